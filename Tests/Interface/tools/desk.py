"""A desktop for actions: a private bus with media players, and a broker."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import places
import pytest
from jacquard_automations import file
from jacquard_automations.action import Resources, Run
from jacquard_automations.actions import keys
from jacquard_automations.occasion import Link, Occasion, TagIdentity
from jacquard_automations.settings import Settings
from waiting import until

TAG = TagIdentity("ae7dc88c-1437-5d1e-a862-ce1037371c9a", "0000AAAAA001ZK")


LONGEST = 20


# A player of MPRIS that prints its requests.
PLAYER = """
import asyncio, sys
from dbus_fast import Message, MessageType, Variant
from dbus_fast.aio.message_bus import MessageBus

name, status = sys.argv[1:]

async def main():
    global status
    bus = await MessageBus().connect()
    def answer(message):
        global status
        if message.message_type is not MessageType.METHOD_CALL or message.path != "/org/mpris/MediaPlayer2":
            return None
        if message.member == "Get":
            return Message.new_method_return(message, "v", [Variant("s", status)])
        status = {"Play": "Playing", "Pause": "Paused"}.get(message.member, status)
        print(message.member, flush=True)
        return Message.new_method_return(message)
    bus.add_message_handler(answer)
    await bus.request_name("org.mpris.MediaPlayer2." + name)
    print("ready", flush=True)
    await bus.wait_for_disconnect()

asyncio.run(main())
"""


@pytest.fixture(name="bus")
def bus_fixture(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A private bus, which is both the session bus and the system bus."""
    words = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as daemon:
        assert daemon.stdout
        address = daemon.stdout.readline().strip()
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", address)
        yield address
        daemon.kill()


class Player:
    def __init__(self, name: str, status: str) -> None:
        words = [sys.executable, "-c", PLAYER, name, status]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self.line() == "ready"

    def line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().rstrip("\n")

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()


class Desk:
    """Carries out the actions of a text."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.resources = Resources(Settings(), lambda kind, problem: self.problems.append(problem) if problem else None)

    async def prepare(self, *texts: str) -> None:
        events = ["fader = 'relative'" if "fader" in text or "cc" in text else f"gesture = {n}" for n, text in enumerate(texts)]
        rules = file.parse("".join(f"[[on]]\n{event}\ndo = {{ {text} }}\n" for event, text in zip(events, texts))).rules
        self.actions = [action for rule in rules for action in rule.actions]
        await self.resources.use(self.actions)

    async def act(self, number: int = 0, **details: Any) -> str:
        action = self.actions[number]
        occasion = Occasion(Link(TAG), None, details or {"event": "gesture"}, 0)  # type: ignore[arg-type]
        run = Run(occasion, "rule", self.resources, lambda problem: None)
        return await asyncio.wait_for(action.act(run), LONGEST)


@contextlib.asynccontextmanager
async def desk(*texts: str) -> AsyncIterator[Desk]:
    one = Desk()
    await one.prepare(*texts)
    try:
        yield one
    finally:
        await one.resources.close()


# MQTT


@pytest.fixture(name="broker")
def broker_fixture(tmp_path: Path) -> Iterator[int]:
    """The port of a broker."""
    program = shutil.which("mosquitto") or str(places.ROOT / "build/packages/usr/sbin/mosquitto")
    if not Path(program).exists():
        pytest.skip("mosquitto is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    with subprocess.Popen([program, "-p", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:

        def listens() -> bool:
            assert process.poll() is None
            with socket.socket() as client:
                return client.connect_ex(("127.0.0.1", port)) == 0

        until(listens)
        yield port
        process.kill()


@contextlib.contextmanager
def subscriber(port: int) -> Iterator[Any]:
    """Returns the next message as text when it is called."""
    words = ["stdbuf", "-oL", "mosquitto_sub", "-p", str(port), "-v", "-d", "-t", "#"]
    if shutil.which("mosquitto_sub") is None:
        pytest.skip("mosquitto-clients is not installed")
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:

        def line(begins: str) -> str:
            assert process.stdout
            return next(line.rstrip("\n") for line in iter(process.stdout.readline, "") if line.startswith(begins))

        try:
            line("Subscribed")
            yield line
        finally:
            process.kill()


class FakeDevice:
    def __init__(self, name: str, codes: Any) -> None:
        self.name, self.codes, self.written, self.is_open = name, codes, [], True

    written: list[tuple[int, int, int]]
    is_removed = False

    def write(self, type: int, code: int, value: int) -> None:
        assert self.is_open
        if self.is_removed:
            raise OSError(errno.ENODEV, "No such device")
        self.written.append((type, code, value))

    def syn(self) -> None:
        self.written.append((0, 0, 0))

    def close(self) -> None:
        self.is_open = False
        if self.is_removed:
            raise OSError(errno.ENODEV, "No such device")


@pytest.fixture(name="devices")
def devices_fixture(monkeypatch: pytest.MonkeyPatch) -> list[FakeDevice]:
    pytest.importorskip("evdev", reason="python3-evdev is not installed")
    made: list[FakeDevice] = []

    def opened(name: str, codes: Any) -> FakeDevice:
        made.append(FakeDevice(name, codes))
        return made[-1]

    monkeypatch.setattr(keys, "open_device", opened)
    return made
