"""A connected library with nothing to do does nothing: no wake-ups, no threads except a requested one."""

import subprocess

import pytest
from conftest import ROOT, SIMULATOR, build

# The same program must detect a single notification while it counts.
DISTURBANCE = "after ready 5s battery 42"


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Runs all four concurrently, because each takes real time: the kernel counts the wake-ups."""
    folder = tmp_path_factory.mktemp("idle")
    program = build(ROOT / "Tests" / "Interface" / "abi" / "idle.c", folder / "idle", "-D_GNU_SOURCE")
    (folder / "disturbed").write_text(DISTURBANCE + "\n")
    running = {}
    for loop in ["poll", "thread"]:
        for scenario in ["plain", str(folder / "disturbed")]:
            command = [SIMULATOR, "run", "--scenario", scenario, "--", program, loop]
            streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            running[loop, scenario == "plain"] = subprocess.Popen(command, text=True, **streams)
    try:
        return {key: (*process.communicate(timeout=60), process.returncode) for key, process in running.items()}
    finally:
        for process in running.values():
            process.kill()


@pytest.mark.parametrize("loop", ["poll", "thread"])
def test_an_idle_connection_never_wakes_up(outcomes, loop):
    assert outcomes[loop, True] == ("", "", 0)


@pytest.mark.parametrize("loop", ["poll", "thread"])
def test_one_notification_is_detected(outcomes, loop):
    output, errors, status = outcomes[loop, False]
    assert (status, errors) == (1, "")
    assert output != ""
