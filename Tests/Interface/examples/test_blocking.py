"""The blocking layer behaves as documented. `Tests/Support/long sanitizers` runs the same program with sanitizers."""

import re
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, SIMULATOR, build, run

SOURCE = Path(__file__).with_name("blocking.c")
TESTS = re.findall(r'^  test\("([^"]+)",', SOURCE.read_text(), re.MULTILINE)
LAYER = ROOT / "bindings" / "c" / "jacquard-blocking.h"


def test_each_function_is_described_and_used() -> None:
    text = LAYER.read_text()
    declared = re.findall(r"^\w[\w ]*?\**(jb_\w+)\(", text, re.MULTILINE)
    described = re.findall(r"\*/\n\w[\w ]*?\**(jb_\w+)\(", text)
    users = [SOURCE, *(ROOT / "bindings/c/examples").glob("blocking-*.c")]
    used = set(re.findall(r"\b(jb_\w+)\(", "".join(path.read_text() for path in users)))
    assert len(declared) > 20 and declared == described and set(declared) - used == set()


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    folder = tmp_path_factory.mktemp("blocking")
    program = build(SOURCE, folder / "blocking", LAYER.with_suffix(".c"), f"-I{LAYER.parent}", "-pthread")
    settings = {"JACQUARD_CONTROL": str(folder / "control"), "JACQUARD_STATE": str(folder / "state")}
    world = ["--time-scale", "10", "--control", folder / "control"]
    return run([SIMULATOR, "run", *world, "--", program], env=settings, timeout=120)


@pytest.mark.parametrize("test", TESTS)
def test_blocking(ran: subprocess.CompletedProcess[str], test: str) -> None:
    assert f"ok {test}" in ran.stdout.splitlines(), ran.stdout


def test_the_program_succeeds(ran: subprocess.CompletedProcess[str]) -> None:
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert len(ran.stdout.splitlines()) == len(TESTS) > 20
