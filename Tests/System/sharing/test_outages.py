"""A service ends and is not started again for some time, beside programs that find it where services usually are.

JACQUARD_SHARING_OUTAGE adds an outage of this many seconds; `Tests/Support/long sharing` has one of five minutes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from sharing_fixtures import program  # noqa: F401 (first: it finds the others)

# isort: split
from members import Member, check_lights, switches
from raw_program import first_program, identifiers
from simulator import Simulator
from supervisor import ByHand
from waiting import stays, until

OUTAGE = float(os.environ.get("JACQUARD_SHARING_OUTAGE", "0"))
# Seconds: how long programs wait for a service that was killed, before one takes the tag, with a margin for the next attempt.
PATIENCE = 10 + 8
# Seconds until all share again when the service is back.
RETURN = 5.0
MEMBERS = 4
ENDED, PREPARING = 0, 1
IN_USE = -53


class Place:
    """The environment of programs that are given no service."""

    def __init__(self, simulator: Simulator, folder: Path) -> None:
        self.simulator = simulator
        self.environment = {
            "DBUS_SYSTEM_BUS_ADDRESS": simulator.bus_address, "JACQUARD_SERVICE": "", "XDG_RUNTIME_DIR": str(folder)
        }

    def tell(self, line: str) -> str:
        return self.simulator.tell(line)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    tmp_path.chmod(0o700)
    with Simulator("--no-service", "--tags", "2") as running:
        running.tell("disconnect takes 200ms")
        running.tell("gear attach levis-trucker")
        yield Place(running, tmp_path)


@pytest.fixture
def start(program: Path, place: Place) -> Iterator[Callable[..., Member]]:
    members: list[Member] = []

    def start_one(tag: int, words: str = "lights=50 limit=2000", **environment: str) -> Member:
        before = dict(place.environment)
        place.environment.update(environment)
        members.append(Member(program, place, len(members), *words.split(), identifier=identifiers(2)[tag]))
        place.environment = before
        return members[-1]

    yield start_one
    for member in members:
        if member.process.poll() is None:
            member.kill()


@pytest.mark.skipif(Path("/run/jacquard/socket").exists(), reason="the system has a service")
@pytest.mark.parametrize(
    "number, seconds",
    [
        pytest.param(signal.SIGTERM, 5, id="ends for 5 s"),
        pytest.param(signal.SIGKILL, 5, id="is killed for 5 s"),
        pytest.param(signal.SIGKILL, 25, id="is killed for 25 s"),
        *([pytest.param(signal.SIGKILL, OUTAGE, id=f"is killed for {OUTAGE:.0f} s")] if OUTAGE else []),
    ],
)
def test_programs_share_again_after_an_outage(
    place: Place, start: Callable[..., Member], number: int, seconds: float
) -> None:
    with ByHand([ROOT / "build" / "bin" / "jacquardd", "--bus", place.simulator.bus_address], **place.environment) as service:
        first_program(service.running, Path(place.environment["XDG_RUNTIME_DIR"]) / "jacquard" / "socket").close()
        members = [start(0) for _ in range(MEMBERS)]
        for member in members:
            member.connected()
            assert member.service == service.running.pid
        alone = start(1, JACQUARD_SERVICE="off")
        alone.connected()
        assert alone.service is None
        states = len(alone.states)

        service.end(number)
        # The outage. The program that uses no service does not notice it.
        stays(lambda: len(alone.states) == states, seconds)
        check_away(members, seconds)
        service.start()
        until(
            lambda: [each.service for each in members] == [service.running.pid] * MEMBERS,
            RETURN,
            problem=lambda: [each.state for each in members],
        )
        check_none_ends(members)
        assert len(alone.states) == states, alone.states[states:]
        assert not [code for code in alone.lights.values() if code]
        alone.check_commands(0.5)
        for each in [*members, alone]:
            each.check_commands(2 + 10.5)
            each.end()
        check_lights(place, [*members])


def check_none_ends(members: list[Member]) -> None:
    assert all(member.process.poll() is None for member in members)
    ended = [report for member in members for report in member.states if report.values[0] == ENDED]
    assert not ended, f"connections ended: {ended}"


def check_away(members: list[Member], seconds: float) -> None:
    """While the service is away, one has the link, once all have given the service up, and the others wait."""
    check_none_ends(members)
    connected = [member for member in members if member.is_connected]
    assert not [member for member in connected if member.service], "a service that has ended is in use"
    assert len(connected) <= 1 and (connected or seconds < PATIENCE), [member.state for member in members]
    others = [member.state for member in members if member not in connected]
    # A program that is trying to connect has left PREPARING for a while.
    assert len([state for state in others if state and state.values[0] != PREPARING]) <= (0 if connected else 1), others


@pytest.mark.skipif(Path("/run/jacquard/socket").exists(), reason="the system has a service")
def test_a_program_that_waits_costs_nothing_and_takes_the_tag_of_one_that_is_killed(
    place: Place, start: Callable[..., Member]
) -> None:
    with ByHand([ROOT / "build" / "bin" / "jacquardd", "--bus", place.simulator.bus_address], **place.environment) as service:
        first_program(service.running, Path(place.environment["XDG_RUNTIME_DIR"]) / "jacquard" / "socket").close()
        members = [start(0, words="") for _ in range(2)]
        for member in members:
            member.connected()
        service.end(signal.SIGKILL)

        # Until it notices the end of the service, its last state is CONNECTED through it.
        def is_direct(member: Member) -> bool:
            return member.is_connected and member.service is None

        until(lambda: any(map(is_direct, members)), PATIENCE)
        waiting, holder = sorted(members, key=is_direct)
        assert holder.is_connected and holder.service is None and not waiting.is_connected
        waiting.wait_for(lambda reports: any(report.kind == "state" and report.values[-1] == IN_USE for report in reports), PATIENCE)
        reports, before = len(waiting.reports), switches(waiting.process.pid)
        # Attempts would follow after 0.25, 0.5, 1, 2 and 4 s. Timers of the search for the service may still end.
        stays(lambda: len(waiting.reports) == reports, 8)
        assert switches(waiting.process.pid) - before < 20
        moment = holder.kill()
        waiting.wait_for(lambda reports: any(report.kind == "state" and report.time > moment for report in reports), 1)
        waiting.connected(moment, 8)
