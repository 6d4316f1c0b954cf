"""Files and sockets of jacquardd: what it removes, and what it accepts."""

from __future__ import annotations

import os
import signal
import socket
import stat
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import ROOT
from members import IDENTIFIER
from raw_program import RawProgram, bus_id, first_program
from sharing_fixtures import simulator  # noqa: F401 (first: it finds the others)
from simulator import Simulator
from waiting import until

JACQUARDD = ROOT / "build" / "bin" / "jacquardd"
NO_BUS = ["--bus", "unix:path=/nonexistent"]
EXPECTED = "it must be a listening Unix socket of type SOCK_SEQPACKET"
# Replaces a descriptor, then the process.
PASSING = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(sys.argv[2], sys.argv[2:])
"""


def ended(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A service that does not start."""
    command = [str(JACQUARDD), "--socket", str(path), *NO_BUS, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=20)


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    processes: list[subprocess.Popen[str]] = []

    def start_one(*words: object, **environment: str) -> subprocess.Popen[str]:
        command = [str(JACQUARDD), *map(str, words)]
        processes.append(
            subprocess.Popen(command, env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True)
        )
        return processes[-1]

    yield start_one
    for process in processes:
        process.kill()
        process.communicate()


def left_over(path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as old:
        old.bind(str(path))


def make_file(path: Path) -> None:
    path.write_text("precious")


def make_link(path: Path) -> None:
    target = path.with_name("target")
    target.write_text("precious")
    path.symlink_to(target)


def make_dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def make_link_to_socket(path: Path) -> None:
    target = path.with_name("target")
    left_over(target)
    path.symlink_to(target)


@pytest.mark.parametrize("make", [make_file, make_link, make_dangling_link, make_link_to_socket, os.mkdir, os.mkfifo])
def test_it_removes_nothing_but_sockets(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "socket"
    make(path)
    before = {each: each.lstat() for each in tmp_path.iterdir()}
    refused = ended(path)
    assert {each: each.lstat() for each in tmp_path.iterdir()}.keys() == before.keys()
    for each, status in before.items():
        now = each.lstat()
        assert (now.st_ino, now.st_mode, now.st_size, now.st_mtime_ns) == (
            status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns,
        )  # fmt: skip
    assert refused.returncode == 1
    assert refused.stderr == f"jacquardd: bind {path}, which is not a socket: File exists.\n"


def test_it_does_not_take_the_socket_of_another_service(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    path = tmp_path / "socket"
    first = start("--socket", path, *NO_BUS)
    first_program(first, path).close()
    refused = ended(path)
    assert (refused.returncode, refused.stderr) == (1, f"jacquardd: bind {path}: Address already in use.\n")
    RawProgram(path).close()


@pytest.mark.parametrize("kind", [socket.SOCK_SEQPACKET, socket.SOCK_STREAM])
def test_it_replaces_a_socket_that_was_left_over(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]], kind: socket.SocketKind
) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX, kind) as old:
        old.bind(str(path))
    service = start("--socket", path, *NO_BUS)
    first_program(service, path).close()
    service.terminate()
    assert service.wait(20) == 0
    assert list(tmp_path.iterdir()) == []


def test_it_leaves_the_socket_of_the_service_that_has_replaced_it(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    path = tmp_path / "socket"
    first = start("--socket", path, *NO_BUS)
    first_program(first, path).close()
    path.unlink()
    second = start("--socket", path, *NO_BUS)
    first_program(second, path).close()
    first.terminate()
    assert first.wait(20) == 0
    RawProgram(path).close()
    second.terminate()
    assert second.wait(20) == 0
    assert list(tmp_path.iterdir()) == []


def test_services_that_start_at_the_same_time_leave_one(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    for _ in range(10):
        path = tmp_path / "socket"
        left_over(path)
        services = [start("--socket", path, *NO_BUS) for _ in range(4)]
        until(lambda: sum(each.poll() is None for each in services) <= 1)  # noqa: B023
        (last,) = [each for each in services if each.poll() is None]
        RawProgram(path).close()
        last.terminate()
        assert last.wait(20) == 0
        assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_exist_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "none" / "socket"
    assert ended(path).stderr == f"jacquardd: bind {path}: No such file or directory.\n"


# The journal


def lines(simulator: Simulator, tmp_path: Path, stream: Callable[[int], str | None]) -> list[str]:
    """The standard error of a service that a program has used. `stream`: JOURNAL_STREAM for that descriptor."""
    reading, writing = os.pipe()
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    environment.pop("JOURNAL_STREAM", None)
    value = stream(writing)
    if value is not None:
        environment["JOURNAL_STREAM"] = value
    tmp_path.chmod(0o700)
    path = tmp_path / "socket"
    command = [str(JACQUARDD), "--socket", str(path), "--bus", simulator.bus_address]
    with subprocess.Popen(command, env=environment, stderr=writing) as service:
        os.close(writing)
        with first_program(service, path).hello(bus_id(simulator.bus_address), IDENTIFIER) as program:
            assert program.refusal() is None
        service.terminate()
    with os.fdopen(reading) as log:
        return log.read().splitlines()


def own(descriptor: int) -> str:
    status = os.fstat(descriptor)
    return f"{status.st_dev}:{status.st_ino}"


def test_log_lines_have_a_priority_for_the_journal(simulator: Simulator, tmp_path: Path) -> None:
    found = lines(simulator, tmp_path, own)
    assert found and all(line.startswith("<6>") for line in found)


@pytest.mark.parametrize("value", [None, "", "1:2", "text"])
def test_log_lines_have_no_priority_elsewhere(simulator: Simulator, tmp_path: Path, value: str | None) -> None:
    found = lines(simulator, tmp_path, lambda _: value)
    assert found and not any(line.startswith("<") for line in found)


# Lock files


def locks(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "jacquard").glob("*.lock"))


def test_invented_tags_leave_no_lock_files(
    simulator: Simulator, tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    path = tmp_path / "socket"
    tmp_path.chmod(0o700)
    service = start("--socket", path, "--bus", simulator.bus_address, XDG_RUNTIME_DIR=str(tmp_path))
    first_program(service, path).close()
    bus = bus_id(simulator.bus_address)
    for _ in range(20):
        programs = [RawProgram(path).hello(bus, str(uuid.uuid4())) for _ in range(20)]
        assert [each.refusal() for each in programs] == [None] * len(programs)
        for each in programs:
            each.close()
    until(lambda: not locks(tmp_path), problem=lambda: len(locks(tmp_path)))


def test_a_service_removes_the_lock_files_of_the_one_that_was_killed(
    simulator: Simulator, tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    path = tmp_path / "socket"
    tmp_path.chmod(0o700)
    words = ["--socket", path, "--bus", simulator.bus_address]
    killed = start(*words, XDG_RUNTIME_DIR=str(tmp_path))
    with first_program(killed, path).hello(bus_id(simulator.bus_address), IDENTIFIER) as program:
        program.wait_connected()
        held = locks(tmp_path)
        assert held
        killed.send_signal(signal.SIGKILL)
        killed.wait(20)
    folder = tmp_path / "jacquard"
    (folder / "notes.lock").write_text("not a lock of a tag")
    (folder / "a-directory.lock").mkdir()
    assert set(locks(tmp_path)) > set(held)
    second = start(*words, XDG_RUNTIME_DIR=str(tmp_path))
    first_program(second, path).close()
    assert locks(tmp_path) == ["a-directory.lock", "notes.lock"]
    assert stat.S_ISSOCK(path.stat().st_mode)
