"""A connected library with nothing to do does nothing: no wake-ups, no threads but the one that was asked for."""

import pytest
from conftest import ROOT, SIMULATOR, build, run


@pytest.mark.parametrize("loop", ["poll", "thread"])
def test_an_idle_connection_never_wakes_up(tmp_path, loop):
    program = build(ROOT / "Tests" / "abi" / "idle.c", tmp_path / "idle", "-D_GNU_SOURCE")
    ran = run([SIMULATOR, "run", "--", program, loop])
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
