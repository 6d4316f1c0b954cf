"""The adapters for poll, epoll, GLib and libuv, in addition to their examples: invalid use, and ownership of managers."""

import re
import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, SIMULATOR, build, run

SOURCE = Path(__file__).with_name("adapters.c")
TESTS = re.findall(r'^  test\("([^"]+)",', SOURCE.read_text(), re.MULTILINE)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    flags = run(["pkg-config", "--cflags", "--libs", "glib-2.0", "libuv"]).stdout.split()
    folder = tmp_path_factory.mktemp("adapters")
    program = build(SOURCE, folder / "adapters", f"-I{ROOT / 'bindings/c'}", *flags)
    return run([SIMULATOR, "run", "--", program])


@pytest.mark.parametrize("test", TESTS)
def test_adapter(ran: subprocess.CompletedProcess[str], test: str) -> None:
    assert f"ok {test}" in ran.stdout.splitlines(), ran.stdout


def test_the_program_succeeds(ran: subprocess.CompletedProcess[str]) -> None:
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert len(ran.stdout.splitlines()) == len(TESTS)
