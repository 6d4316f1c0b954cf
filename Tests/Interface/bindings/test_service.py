"""Programs share a tag through the service, and what happens without one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jacquard
import places
import pytest
from simulator import SERIAL, SERVICE, Simulator
from waiting import until


@pytest.fixture
def world() -> Iterator[Simulator]:
    """A software tag without a service."""
    with Simulator("--no-service") as running:
        yield running


def within(body: Any) -> Any:
    return asyncio.run(asyncio.wait_for(body, 60))


def manager(world: Simulator, folder: Path, **options: Any) -> jacquard.Manager:
    return jacquard.Manager(bus_address=world.bus_address, state_directory=folder, **options)


async def connected(connection: jacquard.Connection) -> jacquard.ConnectionState[jacquard.Tag]:
    async for state in connection.states():
        if state.tag is not None:
            return state
        if state.phase is jacquard.Phase.DISCONNECTED and state.reason is not None:
            raise state.reason
    raise AssertionError("it has ended")


@contextlib.contextmanager
def service(world: Simulator, *words: str, passed: int | None = None, **env: str) -> Iterator[subprocess.Popen[str]]:
    """passed: a listening socket, as from a supervisor."""
    passing = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
    through = [] if passed is None else ["-c", passing, str(passed)]
    process = subprocess.Popen(
        [sys.executable, *through, "-m", "jacquard.service", "--bus", world.bus_address, *words],
        env={**os.environ, "PYTHONPATH": str(places.PYTHON_SOURCE), **({"LISTEN_FDS": "1"} if through else {}), **env},
        pass_fds=[] if passed is None else [passed],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until(path: Path) -> None:
    """Waits until a service listens there."""

    def listens() -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as program:
            return program.connect_ex(str(path)) == 0

    until(listens)


def test_two_programs_use_a_tag_through_the_service(simulator: Simulator, tmp_path: Path) -> None:
    async def body() -> None:
        async with manager(simulator, tmp_path / "1") as first, manager(simulator, tmp_path / "2") as second:
            async with first.connect(serial=SERIAL) as one, second.connect(serial=SERIAL) as other:
                states = [await connected(one), await connected(other)]
                assert states[0].service_process == states[1].service_process is not None
                assert states[0].service_process != os.getpid()
                one.close()
                assert states[1].tag is not None
                assert (await states[1].tag.battery()).percent == 80

    within(body())
    assert simulator.tell("stats").split()[1] == "links=1"


def test_without_a_service_a_second_program_is_refused(world: Simulator, tmp_path: Path) -> None:
    async def body() -> None:
        async with manager(world, tmp_path / "1") as first, manager(world, tmp_path / "2") as second:
            async with first.connect(serial=SERIAL) as one, second.connect(serial=SERIAL) as other:
                assert (await connected(one)).service_process is None
                with pytest.raises(jacquard.InUseError) as refused:
                    await connected(other)
                assert "systemctl --user start jacquardd.socket" in refused.value.advice

    within(body())


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime directory with one page and 20 names."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    path = tmp_path / "run"
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0700,size=4k,nr_inodes=20", "none", path], check=True)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(path))
    yield path
    subprocess.run(["umount", "--lazy", path], check=True)


@pytest.mark.parametrize("lacks", ["names", "space"])
def test_a_disk_that_was_full_at_the_start_prevents_no_sharing_later(
    world: Simulator, tmp_path: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch, lacks: str
) -> None:
    monkeypatch.delenv(SERVICE)
    folder = small_disk / "jacquard"
    folder.mkdir(mode=0o700)

    async def refused() -> None:
        async with manager(world, tmp_path / "1") as first, manager(world, tmp_path / "2") as second:
            async with first.connect(serial=SERIAL) as one, second.connect(serial=SERIAL) as other:
                assert (await connected(one)).service_process is None
                with pytest.raises(jacquard.InUseError):
                    await connected(other)

    async def shared() -> None:
        async with manager(world, tmp_path / "1") as first, manager(world, tmp_path / "2") as second:
            async with first.connect(serial=SERIAL) as one, second.connect(serial=SERIAL) as other:
                assert [(await connected(each)).service_process for each in (one, other)] == [running.pid] * 2

    if lacks == "space":
        (small_disk / "full").write_bytes(bytes(4096))
    else:
        with contextlib.suppress(OSError):
            for number in range(20):
                (small_disk / str(number)).touch()
    within(refused())
    assert list(folder.iterdir()) == []
    subprocess.run(["mount", "-o", "remount,size=1m,nr_inodes=100", small_disk], check=True)
    with service(world) as running:
        wait_until(folder / "socket")
        within(shared())


def test_a_service_that_is_named_and_does_not_run_is_an_error(
    world: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SERVICE, str(tmp_path / "none"))

    async def body() -> jacquard.JacquardError:
        async with manager(world, tmp_path) as only, only.connect(serial=SERIAL) as connection:
            async for state in connection.states():
                if state.reason is not None:
                    assert state.phase is jacquard.Phase.PREPARING
                    return state.reason
        raise AssertionError("it has ended")

    reason = within(body())
    assert isinstance(reason, jacquard.ServiceUnavailableError)
    assert str(tmp_path / "none") in reason.message


def test_the_service_in_python(world: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "socket"
    monkeypatch.setenv(SERVICE, str(path))

    async def use() -> int | None:
        async with manager(world, tmp_path) as only, only.connect(serial=SERIAL) as connection:
            return (await connected(connection)).service_process

    with service(world, "--socket", str(path)) as running:
        wait_until(path)
        assert within(use()) == running.pid
        with service(world, "--socket", str(path)) as other:
            _, complaint = other.communicate(timeout=30)
            assert other.returncode == 1 and f"bind {path}: " in complaint
        running.terminate()
        _, log = running.communicate(timeout=30)
        assert running.returncode == 0
        assert f"process {os.getpid()} uses the tag" in log
    assert not path.exists()


def test_the_service_in_python_takes_the_socket_of_a_supervisor(
    world: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(str(path))
        listening.listen()
        monkeypatch.setenv(SERVICE, str(path))

        async def use() -> int | None:
            async with manager(world, tmp_path) as only, only.connect(serial=SERIAL) as connection:
                return (await connected(connection)).service_process

        with service(world, "--linger", "0", "--idle", "3", passed=listening.fileno()) as process:
            within(use())
            # The kernel names the process that listened when the program connected.
            assert within(use()) == process.pid
            # Without a program, the service ends.
            _, log = process.communicate(timeout=60)
            assert process.returncode == 0, log


def test_the_service_in_python_refuses_several_sockets_of_a_supervisor(world: Simulator) -> None:
    with service(world, LISTEN_FDS="2") as process:
        _, complaint = process.communicate(timeout=30)
    assert process.returncode == 2
    assert complaint == "jacquard.service: LISTEN_FDS must be 1, for one socket: 2\n"


def test_the_service_in_python_needs_a_runtime_directory(world: Simulator, tmp_path: Path) -> None:
    with service(world, XDG_RUNTIME_DIR=str(tmp_path / "missing")) as process:
        _, complaint = process.communicate(timeout=30)
    assert process.returncode == 1
    assert complaint == f"jacquard.service: {tmp_path}/missing does not exist.\n"
