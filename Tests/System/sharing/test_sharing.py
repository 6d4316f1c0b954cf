"""Several programs, one tag: real processes on the simulator's bus."""

import signal
import sys
from pathlib import Path

import pytest
from sharing_fixtures import Start, program, simulator, start  # noqa: F401 (first: it finds the others)

# isort: split
import ctl
from members import IDENTIFIER, Gestures, Member, switches
from raw_program import FIRMWARE, RawProgram, bus_id, messages
from simulator import SERIAL, Simulator
from waiting import settled, stays, until

IN_USE = -53


@pytest.fixture
def pair(start: Start) -> tuple[Member, Member]:
    """Two programs that share the tag."""
    first, second = start(), start()
    first.connected()
    second.connected()
    return first, second


# Links


def test_programs_use_the_tag_through_one_service(simulator: Simulator, start: Start) -> None:
    members = [start() for _ in range(8)]
    for member in members:
        member.connected()
    assert len({member.service for member in members}) == 1 and members[0].service
    assert simulator.tell("stats").split()[1] == "links=1"


def test_an_exclusive_program_is_refused_while_others_use_the_tag(start: Start) -> None:
    start().connected()
    refused = start("exclusive")
    refused.wait_for(lambda reports: any(report.values[-1] == IN_USE for report in reports))


def test_an_exclusive_program_gets_a_link_that_no_program_uses(simulator: Simulator, start: Start) -> None:
    first = start()
    first.connected()
    first.kill()
    alone = start("exclusive")
    alone.connected()
    assert alone.service is None
    refused = start()
    refused.wait_for(lambda reports: any(report.values[-1] == IN_USE for report in reports))


def test_the_next_program_is_connected_over_the_same_link(simulator: Simulator, start: Start) -> None:
    first = start()
    first.connected()
    first.kill()
    start().connected()
    assert simulator.tell("stats").split()[1] == "links=1"


# Many programs


def all_arrive(members: list[Member], gestures: Gestures) -> None:
    for member in members:
        member.wait_for(lambda reports: sum(report.kind == "gesture" for report in reports) >= gestures.sent)


def test_twenty_programs_receive_everything(simulator: Simulator, start: Start) -> None:
    members = [start() for _ in range(20)]
    for member in members:
        member.connected()
    # Until the library has set the gear's mode, after CONNECTED, the tag makes no gestures.
    simulator.wait_for_touch_mode(1)
    with Gestures(simulator, 60) as gestures:
        until(lambda: gestures.sent >= 600)
    all_arrive(members, gestures)
    counts = [sum(report.kind == "gesture" for report in member.reports) for member in members]
    assert counts == [gestures.sent] * 20
    for member in members:
        member.check_gestures()


def test_a_program_that_does_not_read_harms_no_one(
    simulator: Simulator, start: Start, pair: tuple[Member, Member]
) -> None:
    first, second = pair
    deaf = start()
    deaf.connected()
    busy = start("lights")
    busy.connected()
    busy.wait_for(lambda reports: any(report.kind == "light" for report in reports))
    before = len(busy.lights)
    deaf.signal(signal.SIGSTOP)
    with Gestures(simulator, 500) as gestures:
        until(lambda: gestures.sent >= 4000, 60)
    all_arrive([first, second, busy], gestures)
    for member in (first, second, busy):
        assert sum(report.kind == "gesture" for report in member.reports) == gestures.sent
        member.check_gestures()
    assert len(busy.lights) - before > 200
    assert not [code for code in busy.lights.values() if code]
    deaf.signal(signal.SIGCONT)
    stays(lambda: deaf.is_connected, 0.5)


def test_idle_programs_do_not_wake_up(pair: tuple[Member, Member]) -> None:
    before = settled(lambda: [switches(member.process.pid) for member in pair], 3)
    stays(lambda: [switches(member.process.pid) for member in pair] == before, 10, 1)


# Unbinding


def unbind(simulator: Simulator) -> RawProgram:
    return RawProgram(simulator.service).hello(bus_id(simulator.bus_address), IDENTIFIER, purpose=messages.Purpose.UNBIND)


@pytest.fixture
def bound(simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Binds the tag, for the programs of this test only."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert ctl.run(simulator, "bind", SERIAL).returncode == 0


@pytest.mark.usefixtures("bound")
def test_the_service_removes_the_bond_for_a_program(simulator: Simulator, start: Start) -> None:
    beside = start()
    beside.connected()
    with unbind(simulator) as program:
        assert program.refusal() is None
        assert program.receive() == messages.Unbound(True)
        assert program.receive() is None
    with unbind(simulator) as again:
        assert again.refusal() is None
        assert again.receive() == messages.Unbound(False)


@pytest.mark.usefixtures("bound")
def test_no_program_unbinds_a_tag_that_another_one_updates(simulator: Simulator) -> None:
    with RawProgram(simulator.service).hello(bus_id(simulator.bus_address), IDENTIFIER) as updating:
        updating.wait_connected().send(messages.Reserve(1, FIRMWARE))
        updating.wait_for(messages.Granted)
        refused = ctl.run(simulator, "unbind", SERIAL)
        assert refused.returncode != 0 and "updating firmware" in refused.stderr, refused.stderr
    assert ctl.run(simulator, "unbind", SERIAL).returncode == 0


# Asking


def hello(simulator: Simulator, purpose: int, bus: str = "") -> RawProgram:
    return RawProgram(simulator.service).hello(bus or bus_id(simulator.bus_address), IDENTIFIER, purpose=purpose)


def test_the_service_answers_at_once(simulator: Simulator) -> None:
    with hello(simulator, messages.Purpose.LINK) as program:
        program.wait_connected()
        program.send(messages.Ping())
        assert program.wait_for(messages.Pong) == messages.Pong()


def test_an_inquiry_is_answered_as_a_request_for_a_link_and_changes_nothing(simulator: Simulator) -> None:
    with hello(simulator, messages.Purpose.INQUIRE) as program:
        assert program.refusal() is None
        assert program.receive() is None
    with hello(simulator, messages.Purpose.INQUIRE, bus="0" * 32) as program:
        refusal = program.refusal()
        assert refusal and refusal[0] == messages.Refusal.OTHER_BUS
    assert "links=0" in simulator.tell("stats")


@pytest.mark.parametrize("purpose", [messages.Purpose.NONE, 99])
def test_an_unknown_purpose_is_refused(simulator: Simulator, purpose: int) -> None:
    with hello(simulator, purpose) as program:
        refusal = program.refusal()
        assert refusal and refusal[0] == messages.Refusal.VERSION
        assert "does not know what the program" in refusal[2]
    assert "links=0" in simulator.tell("stats")


# Programs that people use


def test_a_command_runs_beside_the_program_that_runs_it(simulator: Simulator) -> None:
    command = f"{sys.executable} -m jacquardctl led {SERIAL} teal"
    with ctl.watch(simulator, "--on", "double-tap", command) as watching:
        watching.until(event="state", phase="connected")
        watching.until(event="gear")
        simulator.tell("gesture double-tap")
        until(lambda: simulator.tell("journal lights"))
        assert "frames 0,128,128" in simulator.tell("journal lights")
        # The link was not dropped.
        assert "links=1" in simulator.tell("stats")
