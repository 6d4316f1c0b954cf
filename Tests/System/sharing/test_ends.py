"""Programs that share a tag, and the service that has its link, are killed or stopped at random moments.

JACQUARD_SHARING_ENDS is the number of each kind of end, JACQUARD_SHARING_STOPS the number of moments at which a service
without a supervisor stands still, and JACQUARD_SHARING_SEED the seed of the moments. `Tests/Support/long sharing` has a
hundred of each end, and 200 such moments.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from raw_program import first_program
from sharing_fixtures import Start, program, start  # noqa: F401 (first: it finds the others)
from sharing_programs import ENDS, JACQUARDD, LIMIT, LINK_END, STOPS, WATCHDOG, Programs, StrictSimulator
from supervisor import ByHand, Supervisor


@pytest.fixture
def simulator() -> Iterator[StrictSimulator]:
    with StrictSimulator("--no-service") as running:
        running.tell(f"disconnect takes {round(LINK_END * 1000)}ms")
        running.tell("gear attach levis-trucker")
        yield running


@pytest.fixture
def supervisor(simulator: StrictSimulator, tmp_path: Path) -> Iterator[Supervisor]:
    command = [JACQUARDD, "--bus", simulator.bus_address]
    with Supervisor(tmp_path, command) as running:
        simulator.service = str(running.path)
        yield running


@pytest.fixture
def programs(simulator: StrictSimulator, supervisor: Supervisor, start: Start, tmp_path: Path) -> Programs:
    return Programs(simulator, supervisor, start, tmp_path)


def test_a_program_that_is_killed_changes_nothing_for_the_others(programs: Programs) -> None:
    programs.run(programs.end_program, signal.SIGKILL, ENDS or 20)


def test_a_program_that_stands_still_changes_nothing_for_the_others(programs: Programs) -> None:
    programs.run(programs.end_program, signal.SIGSTOP, ENDS or 10)


def test_programs_have_the_tag_again_when_the_service_was_killed(programs: Programs) -> None:
    limit = programs.run(programs.end_service, signal.SIGKILL, ENDS or 20)
    assert max(programs.delays) < limit


def test_programs_have_the_tag_again_when_the_service_stands_still(programs: Programs) -> None:
    programs.simulator.may_miss_acknowledgements = True
    limit = programs.run(programs.end_service, signal.SIGSTOP, ENDS or 3)
    assert max(programs.delays) < limit + WATCHDOG


def test_every_command_ends_while_a_service_stands_still(
    simulator: StrictSimulator, start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The service has neither a supervisor nor a watchdog."""
    simulator.may_miss_acknowledgements = True
    # The state directory of the program that binds the tag.
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    socket = tmp_path / "socket"
    with ByHand([JACQUARDD, "--bus", simulator.bus_address, "--socket", socket]) as service:
        simulator.service = str(socket)
        first_program(service.running, socket).close()
        programs = Programs(simulator, service, start, tmp_path, f"limit={LIMIT * 1000}")
        programs.run(programs.stop_service, signal.SIGSTOP, STOPS)
