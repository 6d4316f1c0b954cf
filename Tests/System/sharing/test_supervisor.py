"""jacquardd under a supervisor that is not systemd: supervisor.py."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from members import IDENTIFIER, Member, switches
from raw_program import BUS_UNAVAILABLE, RawProgram, bus_id, first_program
from sharing_fixtures import program, simulator  # noqa: F401 (first: it finds the others)
from simulator import Simulator
from supervisor import Supervisor
from waiting import stays, until

JACQUARDD = ROOT / "build" / "bin" / "jacquardd"
StartMember = Callable[[], Member]


@pytest.fixture
def supervise(simulator: Simulator, tmp_path: Path) -> Iterator[Callable[..., Supervisor]]:
    running: list[Supervisor] = []

    def start(*words: str, **options: Any) -> Supervisor:
        command = [JACQUARDD, "--bus", simulator.bus_address, *words]
        running.append(Supervisor(tmp_path, command, **options))
        simulator.service = str(running[-1].path)
        return running[-1]

    yield start
    for supervisor in running:
        supervisor.__exit__()


@pytest.fixture
def member(program: Path, simulator: Simulator, supervise: Callable[..., Supervisor]) -> Iterator[StartMember]:
    """Starts a program that uses the supervised service."""
    members: list[Member] = []

    def start() -> Member:
        members.append(Member(program, simulator, len(members)))
        return members[-1]

    yield start
    for each in members:
        if each.process.poll() is None:
            each.kill()


def test_the_first_program_starts_it_and_it_ends_when_it_is_idle(
    supervise: Callable[..., Supervisor], member: StartMember
) -> None:
    supervisor = supervise("--idle", "0.5", "--linger", "0.2")
    assert supervisor.process is None
    first = member()
    first.connected()
    assert supervisor.texts()[0] == "READY=1"
    first.end()
    assert supervisor.wait_for(lambda it: it.exits) == [0]
    assert supervisor.texts()[-1] == "STOPPING=1"
    second = member()
    second.connected()
    assert supervisor.exits == [0]


def test_it_is_not_idle_while_a_program_uses_it(supervise: Callable[..., Supervisor], member: StartMember) -> None:
    supervisor = supervise("--idle", "0.5")
    only = member()
    only.connected()
    stays(lambda: only.is_connected and supervisor.exits == [], 2)


def test_it_is_not_idle_while_a_program_waits_for_its_bus(tmp_path: Path) -> None:
    with Supervisor(tmp_path, [JACQUARDD, "--bus", "unix:path=/nonexistent", "--idle", "0.5"]) as supervisor:
        with RawProgram(supervisor.path).hello("0" * 32, IDENTIFIER) as program:
            refusal = program.refusal()
            assert refusal and refusal[1] == BUS_UNAVAILABLE
        assert supervisor.wait_for(lambda it: it.exits) == [0]


@pytest.mark.parametrize(
    "number, status",
    [
        (signal.SIGKILL, -signal.SIGKILL),
        (signal.SIGSEGV, -signal.SIGSEGV),
        pytest.param(signal.SIGSTOP, -signal.SIGKILL, id="the watchdog ends one that stands still"),
        pytest.param(signal.SIGTERM, 0, id="an upgrade ends it"),
        (signal.SIGINT, 0),
    ],
)
def test_it_is_started_again_and_programs_have_the_tag(
    supervise: Callable[..., Supervisor], member: StartMember, number: int, status: int
) -> None:
    supervisor = supervise()
    only = member()
    only.connected()
    since = time.monotonic()
    supervisor.running.send_signal(number)
    only.connected(since)
    assert supervisor.exits == [status]


def test_many_failures_in_a_row_close_no_socket(supervise: Callable[..., Supervisor], member: StartMember) -> None:
    supervisor = supervise()
    only = member()
    for _ in range(10):
        only.connected()
        since = time.monotonic()
        supervisor.running.kill()
        only.connected(since)
    assert supervisor.exits == [-signal.SIGKILL] * 10


def settled(process: int) -> int:
    """The context switches of a process, when the work after its set-up is over."""
    counts = [-1]

    def is_the_same() -> bool:
        counts.append(switches(process))
        return counts[-1] == counts[-2]

    until(is_the_same, 60, period=1.5)
    return counts[-1]


def test_only_the_watchdog_wakes_it_while_programs_are_idle(
    supervise: Callable[..., Supervisor], member: StartMember
) -> None:
    supervisor = supervise()
    for each in [member() for _ in range(3)]:
        each.connected()
    service = supervisor.running.pid
    before, messages = settled(service), len(supervisor.messages)
    supervisor.wait_for(lambda it: len(it.messages) >= messages + 3)
    after = switches(service)
    assert set(supervisor.texts()[1:]) == {"WATCHDOG=1"}
    # For each message it sleeps once; another process may interrupt it.
    assert after - before <= 3 * 3


def test_without_a_watchdog_idle_programs_do_not_wake_it(
    supervise: Callable[..., Supervisor], member: StartMember
) -> None:
    supervisor = supervise(watchdog=None)
    for each in [member() for _ in range(3)]:
        each.connected()
    service = supervisor.running.pid
    before = settled(service)
    stays(lambda: switches(service) == before, 5, 1)
    assert supervisor.texts() == ["READY=1"]


def test_a_socket_that_is_meant_for_another_process_is_not_used(simulator: Simulator, tmp_path: Path) -> None:
    environment = {**os.environ, "LISTEN_FDS": "1", "LISTEN_PID": "1", "XDG_RUNTIME_DIR": str(tmp_path)}
    tmp_path.chmod(0o700)
    service = subprocess.Popen([JACQUARDD, "--bus", simulator.bus_address], env=environment)
    try:
        path = tmp_path / "jacquard" / "socket"
        assert first_program(service, path).hello(bus_id(simulator.bus_address), IDENTIFIER).refusal() is None
    finally:
        service.terminate()
        assert service.wait(20) == 0
    assert not path.exists()
