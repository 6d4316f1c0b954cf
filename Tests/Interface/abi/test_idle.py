"""A connected library with nothing to do does nothing: no wake-ups, no threads except a requested one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, SIMULATOR, build

# The same program must detect a single notification while it counts.
DISTURBANCE = "after ready 5s battery 42"
# Output, errors and status of each loop, without and with a notification.
Outcomes = dict[tuple[str, bool], tuple[str, str, int]]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """Runs all four concurrently, because each takes real time: the kernel counts the wake-ups."""
    folder = tmp_path_factory.mktemp("idle")
    program = build(ROOT / "Tests" / "Interface" / "abi" / "idle.c", folder / "idle", "-D_GNU_SOURCE")
    (folder / "disturbed").write_text(DISTURBANCE + "\n")
    running = {}
    for loop in ["poll", "thread"]:
        for scenario in ["plain", str(folder / "disturbed")]:
            command: list[str | Path] = [SIMULATOR, "run", "--scenario", scenario, "--", program, loop]
            running[loop, scenario == "plain"] = subprocess.Popen(
                command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
    try:
        return {key: (*process.communicate(timeout=60), process.returncode) for key, process in running.items()}
    finally:
        for process in running.values():
            process.kill()


@pytest.mark.parametrize("loop", ["poll", "thread"])
def test_an_idle_connection_never_wakes_up(outcomes: Outcomes, loop: str) -> None:
    assert outcomes[loop, True] == ("", "", 0)


@pytest.mark.parametrize("loop", ["poll", "thread"])
def test_one_notification_is_detected(outcomes: Outcomes, loop: str) -> None:
    output, errors, status = outcomes[loop, False]
    assert (status, errors) == (1, "")
    assert output != ""
