"""Services that lie to a program. All lie at the same time, each to a program of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hostile_fixtures import world  # noqa: F401 (first: it finds the others)

# isort: split
from conftest import ROOT
from invariants import MOST_CONNECTIONS, NOTICE, Usage, check_commands, check_pauses, check_returned, within
from lies import LIES, LyingService
from members import Member
from sharing_fixtures import program  # noqa: F401
from simulator import Simulator
from supervisor import Supervisor
from waiting import settled, stays

# The time limit of each command, in seconds. It begins when the command is sent.
LIMIT = 1.0
# Seconds for which the services lie.
LYING = 12.5
# Seconds until the program is connected to a service that no longer lies: the longest pause, a welcome that did not
# come, and the time to connect.
RETURN = 15 + 5 + 5
# A program ends for a service of another version.
ENDING = {"has another version"}
# These end when the program was connected, so it may ask again at once; the cost of connecting limits that.
AT_ONCE = {"ends at a request", "ends later each time"}
# A program notices that these do not respond, because a command waits.
SILENT = {"is silent at a request", "reads nothing"}


class Victim:
    def __init__(self, name: str, folder: Path, program: Path, world: Simulator, real: str) -> None:
        self.name = name
        folder.mkdir()
        self.service = LyingService(folder / "socket", real, LIES[name])
        world.service = str(folder / "socket")
        self.begun = time.monotonic()
        self.member = Member(program, world, 0, "lights=100", f"limit={round(LIMIT * 1000)}")

    def take(self) -> None:
        """Records the state when the lies have ended."""
        self.until = time.monotonic()
        self.usage = Usage.of(self.member.process.pid) if self.member.process.poll() is None else None
        self.service.tell_the_truth()

    def end(self) -> None:
        self.seconds_to_end = time.monotonic()
        self.status = None
        if self.member.process.poll() is None:
            self.member.end()
            self.status = self.member.process.poll()
        self.seconds_to_end = time.monotonic() - self.seconds_to_end
        self.service.close()


@pytest.fixture(scope="module")
def victims(program: Path, world: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Victim]]:
    folder = tmp_path_factory.mktemp("lies")
    with Supervisor(folder, [ROOT / "build" / "bin" / "jacquardd", "--bus", world.bus_address], watchdog=0) as real:
        made = {
            name: Victim(name, folder / str(number), program, world, str(real.path)) for number, name in enumerate(LIES)
        }
        made["honest"].member.connected()
        # The others lie, and the program of the honest one stays connected.
        stays(lambda: made["honest"].member.is_connected, LYING, 0.1)
        for victim in made.values():
            victim.take()
        waiting = [victim.member for victim in made.values() if victim.name not in ENDING]
        within(RETURN, lambda: all(member.is_connected or member.process.poll() is not None for member in waiting))
        settled(lambda: [len(member.states) for member in waiting], 1)
        yield made
        for victim in made.values():
            victim.end()
        for victim in made.values():
            assert victim.status == 0 and victim.seconds_to_end < 5, f"{victim.name}: {victim.status}"


@pytest.fixture(params=LIES)
def victim(request: pytest.FixtureRequest, victims: dict[str, Victim]) -> Victim:
    found = victims[request.param]
    assert found.member.process.poll() is None, f"the program ended with {found.member.process.poll()}"
    return found


def test_every_command_ends(victim: Victim) -> None:
    check_commands(victim.member, LIMIT, victim.begun, victim.until)


def test_every_repetition_has_a_pause(victim: Victim) -> None:
    most = 100 if victim.name in AT_ONCE else MOST_CONNECTIONS
    check_pauses((moment for moment in victim.service.connections if moment < victim.until), most)


@pytest.mark.parametrize("name", SILENT)
def test_silence_is_noticed(victims: dict[str, Victim], name: str) -> None:
    member = victims[name].member
    first = member.connected()
    lost = next((report.time for report in member.states if report.time > first and not report.is_connected), None)
    assert lost is not None and lost - first < NOTICE, f"it was noticed after {(lost or victims[name].until) - first:.1f} s"


def test_the_program_is_connected_afterwards(victim: Victim) -> None:
    if victim.name not in ENDING:
        assert victim.member.is_connected, f"the last state is {victim.member.state}"


def test_every_resource_is_returned(victim: Victim, victims: dict[str, Victim]) -> None:
    """The program has no more resources than one whose service never lied."""
    check_returned(victim.member.process.pid, Usage.of(victims["honest"].member.process.pid))
    assert victim.usage
    assert victim.usage.memory < Usage.of(victims["honest"].member.process.pid).memory + (16 << 20), victim.usage
