"""The blocking layer does what its header says, also under the eyes of sanitizers."""

import re
from pathlib import Path

import pytest
from conftest import ROOT, SIMULATOR, build, run

SOURCE = Path(__file__).with_name("blocking.c")
TESTS = re.findall(r'^  test\("([^"]+)",', SOURCE.read_text(), re.MULTILINE)
# The library is not instrumented, so what its own threads agree on is not seen.
SANITIZERS = {
    "memory": (["-fsanitize=address,undefined", "-fno-sanitize-recover=all"], ""),
    "threads": (["-fsanitize=thread"], "race:libjacquard.so"),
}


LAYER = ROOT / "bindings" / "c" / "jacquard-blocking.h"


def test_each_function_is_described_and_used():
    text = LAYER.read_text()
    declared = re.findall(r"^\w[\w ]*?\**(jb_\w+)\(", text, re.MULTILINE)
    described = re.findall(r"\*/\n\w[\w ]*?\**(jb_\w+)\(", text)
    users = [SOURCE, *(ROOT / "bindings/c/examples").glob("blocking-*.c")]
    used = set(re.findall(r"\b(jb_\w+)\(", "".join(path.read_text() for path in users)))
    assert len(declared) > 20 and declared == described and set(declared) - used == set()


@pytest.fixture(scope="module", params=SANITIZERS)
def ran(request, tmp_path_factory):
    flags, suppressions = SANITIZERS[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "suppressions").write_text(suppressions + "\n")
    layer = LAYER.with_suffix(".c")
    program = build(SOURCE, folder / "blocking", layer, f"-I{LAYER.parent}", "-pthread", *flags)
    control = folder / "control"
    settings = {"JACQUARD_CONTROL": str(control), "JACQUARD_STATE": str(folder / "state")}
    settings |= {"TSAN_OPTIONS": f"suppressions={folder / 'suppressions'}"}
    return run([SIMULATOR, "run", "--time-scale", "10", "--control", control, "--", program], env=settings, timeout=120)


@pytest.mark.parametrize("test", TESTS)
def test_blocking(ran, test):
    assert f"ok {test}" in ran.stdout.splitlines(), ran.stdout


def test_nothing_leaks_and_nobody_races(ran):
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert len(ran.stdout.splitlines()) == len(TESTS) > 20
