"""The lock of a tag is a socket with a public name: another user can create it, whether or not he uses the tag."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import jacquard
import pytest
from simulator import SERIAL, SERVICE, Simulator
from waiting import until

# A user without rights.
OTHER_USER = 65534
HOLDER = """
import os, socket, sys
os.setgid({user}); os.setuid({user})
lock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
lock.bind("\\0" + sys.argv[1])
if sys.argv[2] != "bound":
    lock.listen(0 if sys.argv[2] == "full" else 128)
waiting = []
while sys.argv[2] == "full":
    waiting.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK))
    try:
        waiting[-1].connect("\\0" + sys.argv[1])
    except BlockingIOError:
        break
print(flush=True)
sys.stdin.read()
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can start a program of another user")


@pytest.fixture(autouse=True)
def direct(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service takes the lock like any other program."""
    monkeypatch.setenv(SERVICE, "off")


def lock_of_the_tag(simulator: Simulator, state: Path) -> str:
    """The name of the lock, while a program has it."""

    async def connect() -> str:
        async with jacquard.Manager(bus_address=simulator.bus_address, state_directory=state) as manager:
            async with manager.connect(serial=SERIAL) as connection:
                await connection.tag()
                own = {os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}
                locks = re.findall(r" (\d+) @(jacquard/\S+)", Path("/proc/net/unix").read_text())
                [name] = {name for inode, name in locks if f"socket:[{inode}]" in own}
                await connection.disconnect()
                return str(name)

    return asyncio.run(asyncio.wait_for(connect(), 60))


@contextmanager
def held_by_another_user(name: str, how: str = "listening") -> Iterator[int]:
    command = [sys.executable, "-c", HOLDER.format(user=OTHER_USER), name, how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"\n"
        yield holder.pid
        holder.kill()


@pytest.mark.parametrize("how", ["listening", "bound", "full"])
@pytest.mark.parametrize("shares", [True, False])
def test_a_lock_of_another_user_alone_prevents_nothing(
    simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shares: bool, how: str
) -> None:
    name = lock_of_the_tag(simulator, tmp_path)
    if not shares:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "none"))

    async def body() -> None:
        async with jacquard.Manager(bus_address=simulator.bus_address, state_directory=tmp_path) as manager:
            async with manager.connect(serial=SERIAL) as connection:
                assert (await connection.tag()).info

    with held_by_another_user(name, how):
        asyncio.run(asyncio.wait_for(body(), 60))


def test_a_lock_of_another_user_ends_nothing_even_if_another_program_is_subscribed(
    simulator: Simulator, tmp_path: Path
) -> None:
    name = lock_of_the_tag(simulator, tmp_path)

    async def body() -> list[jacquard.JacquardError]:
        reasons = []
        async with jacquard.Manager(bus_address=simulator.bus_address, state_directory=tmp_path) as manager:
            async with manager.connect(serial=SERIAL) as connection:
                async for state in connection.states():
                    if state.reason is not None:
                        reasons.append(state.reason)
                    if state.tag is not None:
                        assert (await state.tag.battery()).percent > 0
                        return reasons
        raise AssertionError(reasons)

    with held_by_another_user(name):
        simulator.tell("foreign connect")
        until(lambda: "links=1" in simulator.tell("stats"))
        simulator.tell("foreign subscribe")
        reasons = asyncio.run(asyncio.wait_for(body(), 60))
    assert reasons and all(isinstance(each, jacquard.InUseError) for each in reasons)


def test_a_service_that_this_user_may_not_use_is_named(
    simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "socket"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(path))
    listener.listen()
    path.chmod(0o660)
    monkeypatch.setenv(SERVICE, str(path))

    async def body() -> jacquard.JacquardError | None:
        async with jacquard.Manager(bus_address=simulator.bus_address, state_directory=tmp_path) as manager:
            async for adapter in manager.adapter_states():
                if adapter.usable:
                    break
            os.seteuid(OTHER_USER)
            try:
                async with manager.connect(serial=SERIAL) as connection:
                    async for state in connection.states():
                        if state.reason:
                            return state.reason
            finally:
                os.seteuid(0)
        return None

    with listener:
        error = asyncio.run(asyncio.wait_for(body(), 60))
    assert isinstance(error, jacquard.ServiceUnavailableError)
    assert str(path) in str(error) and "group" in error.advice


IMPOSTOR = """
import os, socket, sys
path = sys.argv[1]
os.setgid({user}); os.setuid({user})
os.makedirs(path + "/jacquard", exist_ok=True)
service = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
service.bind(path + "/jacquard/socket")
os.chmod(path + "/jacquard/socket", 0o777)
service.listen()
print(flush=True)
while True:
    channel = service.accept()[0]
    print("asked", flush=True)
    channel.close()
"""


@pytest.mark.parametrize("owner", ["this user", "another user"])
def test_a_service_of_another_user_in_the_runtime_directory_is_not_asked(
    simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: str
) -> None:
    """Others can write to the directory or to its subdirectory."""
    monkeypatch.delenv(SERVICE)
    # Others cannot enter the folders of pytest.
    place = Path(tempfile.mkdtemp(prefix="jacquard-public-"))
    place.chmod(0o777)
    if owner == "this user":
        (place / "jacquard").mkdir()
        (place / "jacquard").chmod(0o777)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place))

    async def body() -> None:
        async with jacquard.Manager(bus_address=simulator.bus_address, state_directory=tmp_path / "state") as manager:
            async with manager.connect(serial=SERIAL) as connection:
                assert (await connection.tag()).info

    command = [sys.executable, "-c", IMPOSTOR.format(user=OTHER_USER), str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as impostor:
        try:
            assert impostor.stdout is not None and impostor.stdout.readline() == "\n"
            asyncio.run(asyncio.wait_for(body(), 60))
        finally:
            impostor.kill()
        assert impostor.stdout.read() == ""
    shutil.rmtree(place)
