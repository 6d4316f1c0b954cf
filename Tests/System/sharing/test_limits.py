"""The limits of jacquardd: no program takes resources that the others need."""

from __future__ import annotations

import os
import re
import resource
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from members import IDENTIFIER, Gestures, Member
from raw_program import BUSY, Many, RawProgram, Refusal, bus_id, identifiers, messages
from sharing_fixtures import program, simulator  # noqa: F401 (first: it finds the others)
from simulator import Simulator
from supervisor import Supervisor
from waiting import until

JACQUARDD = ROOT / "build" / "bin" / "jacquardd"
UNITS = sorted((ROOT / "Sources" / "jacquardd" / "systemd").glob("*.service.in"))
OF_PROCESS, OF_USER, IN_TOTAL = 128, 1536, 2048
SERVICE_UNAVAILABLE = -28
REQUESTS, ADAPTERS = 8, 16
INVALID, NO_ADAPTER = -1, -24
SIMULATED_ADAPTER = "00:1A:7D:DA:71:13"
OTHER_USERS = 65001, 65002


def descriptors() -> int:
    """The limit of both units."""
    (limit,) = {int(re.findall(r"^LimitNOFILE=(\d+)$", unit.read_text(), re.M)[0]) for unit in UNITS}
    return limit


def like_the_units() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors(), descriptors()))


class Service(Supervisor):
    def __init__(self, bus: str) -> None:
        """Other users may connect."""
        folder = Path(tempfile.mkdtemp(prefix="jacquard-limits-"))
        folder.chmod(0o755)
        super().__init__(folder, [JACQUARDD, "--bus", bus], limits=like_the_units)
        self.path.chmod(0o666)
        self.bus = bus_id(bus)
        self.folder = folder

    def program(self, tag: str = IDENTIFIER, adapter: str = "") -> RawProgram:
        return RawProgram(self.path).hello(self.bus, tag, adapter)

    @property
    def memory(self) -> int:
        """Bytes that cannot be read from files again."""
        text = Path(f"/proc/{self.running.pid}/smaps_rollup").read_text()
        return sum(int(kilobytes) for kilobytes in re.findall(r"^Private_Dirty: +(\d+) kB", text, re.M)) * 1024

    @property
    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.running.pid}/fd"))

    def settled_descriptors(self) -> int:
        """The number of descriptors when those of earlier tests are closed."""
        numbers: list[int] = []

        def settled() -> bool:
            numbers.append(self.descriptors)
            return numbers[-20:] == numbers[-1:] * 20

        until(settled)
        return numbers[-1]

    def __exit__(self, *error: BaseException | None) -> None:
        super().__exit__(*error)
        for path in self.folder.iterdir():
            path.unlink()
        self.folder.rmdir()


@pytest.fixture
def service(simulator: Simulator) -> Iterator[Service]:
    with Service(simulator.bus_address) as running:
        simulator.service = str(running.path)
        with running.program() as first:
            assert first.refusal() is None
        yield running


def is_full(refusal: Refusal | None) -> bool:
    return refusal is not None and refusal[:2] == (messages.Refusal.FULL, SERVICE_UNAVAILABLE)


def accepts(service: Service) -> bool:
    refusal = service.program().refusal()
    assert refusal is None or is_full(refusal)
    return refusal is None


def test_connections_of_one_program(service: Service) -> None:
    programs = [service.program() for _ in range(OF_PROCESS)]
    assert [each for each in programs if each.refusal() is not None] == []
    refusal = service.program().refusal()
    assert refusal and is_full(refusal) and "accepts no more connections" in refusal[2]
    programs.pop().close()
    until(lambda: accepts(service))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start programs of other users")
def test_programs_of_one_user_and_in_total(service: Service) -> None:
    others = []

    def connect(user: int, count: int) -> int:
        others.append(Many(service.path, service.bus, [IDENTIFIER], count, user))
        return others[-1].welcome()

    try:
        first, second = OTHER_USERS
        for _ in range(OF_USER // OF_PROCESS):
            assert connect(first, OF_PROCESS) == OF_PROCESS
        assert connect(first, 1) == 0
        for _ in range((IN_TOTAL - OF_USER) // OF_PROCESS):
            assert connect(second, OF_PROCESS) == OF_PROCESS
        assert connect(second, 1) == 0
        assert is_full(service.program().refusal())
        assert service.descriptors < descriptors()
    finally:
        for other in others:
            other.end()
    until(lambda: accepts(service))
    assert service.exits == []


def test_adapters(service: Service) -> None:
    """Each adapter has a connection to the bus while programs use tags with it; missing adapters have none."""
    tags = [f"00000000-0000-5000-8000-{number:012}" for number in range(ADAPTERS)]
    before = service.settled_descriptors()
    programs = [service.program(tag, f"00:00:00:00:00:{number:02X}") for number, tag in enumerate(tags)]
    assert {(refusal := each.refusal()) and refusal[:2] for each in programs} == {(messages.Refusal.FULL, NO_ADAPTER)}
    assert service.program(tags[0], "no address").refusal() == (messages.Refusal.FULL, INVALID, "The address of the adapter is malformed.")
    with service.program(tags[0], SIMULATED_ADAPTER.lower()) as program:
        assert program.refusal() is None
        # Its channel and the connection to the bus, which begins after the answer.
        until(lambda: service.descriptors >= before + 2)
    del programs
    until(lambda: service.descriptors <= before)


def test_waiting_requests_of_one_program(service: Service) -> None:
    with service.program() as greedy:
        assert greedy.refusal() is None
        greedy.wait_connected()
        count = 4 * REQUESTS
        for number in range(1, count + 1):
            greedy.request_battery(number)
        answered: set[int] = set()
        refused: set[int] = set()
        while len(answered) + len(refused) < count:
            message = greedy.receive()
            assert message is not None
            if isinstance(message, messages.Response):
                answered.add(message.id)
            elif isinstance(message, messages.Failed):
                assert message.error.code == BUSY
                refused.add(message.id)
        assert set(range(1, REQUESTS + 1)) <= answered and len(refused) >= REQUESTS
        greedy.request_battery(100)
        while not (isinstance(message, messages.Response) and message.id == 100):
            message = greedy.receive()
            assert message is not None and not isinstance(message, messages.Failed)


def test_bytes_kept_for_a_program_that_does_not_read(service: Service, program: Path, simulator: Simulator) -> None:
    """Small messages count with their overhead, and the others do not notice."""
    beside = Member(program, simulator, 0, "lights")
    beside.connected()
    states, before = len(beside.states), service.memory
    with Gestures(simulator, 60) as gestures, service.program() as slow:
        assert slow.refusal() is None
        asked = 0
        while asked < 100_000:
            try:
                slow.send(messages.Reserve(1, 0xFF))
            except (BrokenPipeError, ConnectionResetError):
                break
            asked += 1
        # The sockets keep some hundred messages in each direction.
        assert 1000 < asked < (256 << 10) / 64 + 3000
        assert service.memory - before < 4 << 20
        sent = gestures.sent
        beside.wait_for(lambda reports: any(report.kind == "gesture" and report.values[0] > sent + 30 for report in reports))
    assert beside.is_connected and len(beside.states) == states
    beside.check_gestures()
    assert not [report for report in beside.reports if report.kind == "dropped"]
    beside.end()


def test_events_for_a_program_that_does_not_read(service: Service, program: Path, simulator: Simulator) -> None:
    """They are dropped and counted; the program stays."""
    beside = Member(program, simulator, 0)
    beside.connected()
    with service.program() as slow:
        assert slow.refusal() is None
        slow.wait_connected()
        before = service.memory
        for number in range(1, 3001):
            simulator.tell(f"gesture {number}")
        beside.wait_for(lambda reports: any(each.kind == "gesture" and each.values == (3000,) for each in reports))
        assert service.memory - before < 1 << 20
        notifications = 0
        while not isinstance(message := slow.receive(), messages.Dropped):
            assert message is not None
            notifications += isinstance(message, messages.Notification)
        assert notifications > 100
    beside.check_gestures()
    beside.end()


def test_silent_connections(service: Service, program: Path, simulator: Simulator) -> None:
    silent = [RawProgram(service.path) for _ in range(400)]
    beside = Member(program, simulator, 0)
    beside.connected()
    assert [each.receive() for each in silent] == [None] * len(silent)
    assert beside.is_connected
    beside.end()


PROGRAMS, TAGS = 20, 60
# The most bytes of memory.
MEMORY = {"a service without programs": 2 << 20, "a tag": 128 << 10, "a program for each of its tags": 8 << 10}


def test_twenty_programs_with_sixty_tags_each(capsys: pytest.CaptureFixture[str]) -> None:
    """The service has enough descriptors for them, and needs little memory."""
    tags = identifiers(TAGS)
    others = []
    with Simulator("--no-service", "--tags", str(TAGS), "--time-scale", "10") as simulator:
        with Service(simulator.bus_address) as service:
            RawProgram(service.path).close()
            service.wait_for(lambda it: it.process and "READY=1" in it.texts())
            empty = service.memory
            own = [service.program(tag) for tag in tags]
            assert [each.refusal() for each in own] == [None] * TAGS
            for each in own:
                each.wait_connected()
            one = service.memory
            for _ in range(PROGRAMS - 1):
                others.append(Many(service.path, service.bus, tags, TAGS))
                assert others[-1].welcome() == TAGS
            all_of_them = service.memory
            assert service.descriptors < descriptors() * 3 / 4
            added = (all_of_them - one) / TAGS / (PROGRAMS - 1)
            found = dict(zip(MEMORY, [empty, (one - empty) / TAGS - added, added]))
            with capsys.disabled():
                sizes = ", ".join(f"{name} {size / 1024:.1f} kB" for name, size in found.items())
                print(f"\n  {service.descriptors} descriptors; {sizes}")
            for name, most in MEMORY.items():
                assert found[name] < most, name
            for other in others:
                other.end()
            for program in own:
                program.close()
    assert service.exits == []
