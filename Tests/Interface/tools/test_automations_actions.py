"""Actions on parts of the desktop: a private session bus with media players, a logind, and devices in place of uinput."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import Any

import players
import pytest
from desk import LONGEST, broker_fixture, bus_fixture, desk, subscriber  # noqa: F401
from jacquard_automations import file, toml_file
from jacquard_automations.action import ActionError
from jacquard_automations.actions import volume
from jacquard_automations.bus import DAEMON
from jacquard_automations.screen_lock import ScreenLock
from jacquard_automations.settings import Settings
from waiting import until_async

# D-Bus


def test_a_check_finds_services_on_the_bus(bus: str) -> None:
    async def test() -> None:
        calls = [f"dbus = {{ destination = '{name}', path = '/', interface = 'a.b', member = 'C' }}" for name in (DAEMON, "no.one")]
        async with desk(*calls) as one:
            await one.actions[0].check(one.resources)
            with pytest.raises(ActionError) as found:
                await one.actions[1].check(one.resources)
            assert str(found.value) == "no service no.one is on the session bus, or can be started there"

    asyncio.run(test())


def test_a_call_on_d_bus(bus: str) -> None:
    async def test() -> None:
        names = 'destination = "org.freedesktop.DBus", path = "/org/freedesktop/DBus", interface = "org.freedesktop.DBus"'
        texts = [
            f'dbus = {{ {names}, member = "NameHasOwner", signature = "s", arguments = ["org.freedesktop.DBus"] }}',
            f'dbus = {{ {names}, member = "NoSuchMember", bus = "system" }}',
        ]
        async with desk(*texts) as one:
            assert await one.act(0) == "True"
            with pytest.raises(ActionError, match="NoSuchMember"):
                await one.act(1)

    asyncio.run(test())


@pytest.mark.parametrize(
    "signature, arguments, problem",
    [
        ("s", "[1]", "the arguments do not have the signature 's'"),
        ("ss", '["a"]', "the signature has 2 types, and there are 1 arguments"),
        ("(", "[]", "the arguments do not have the signature '('"),
        ("a{sv}as", '[{ a = 1, b = "c" }, ["d"]]', None),
        ("sud(si)", '["a", 1, 2, ["b", 3]]', None),
    ],
)
def test_arguments_have_the_types_of_the_signature(signature: str, arguments: str, problem: str | None) -> None:
    call = f'destination = "a.b", path = "/", interface = "a.b", member = "C", signature = "{signature}", arguments = {arguments}'
    text = f"[[on]]\ngesture = 'cover'\ndo = {{ dbus = {{ {call} }} }}\n"
    if problem is None:
        file.parse(text)
        return
    with pytest.raises(toml_file.Problems) as found:
        file.parse(text)
    assert problem in str(found.value.all[0])


class Logind:
    """A logind whose hint is set by the test."""

    path, session = "/org/freedesktop/login1/session/_31", "org.freedesktop.login1.Session"
    unlocks_when_read = False

    async def start(self, is_locked: bool) -> Logind:
        from dbus_fast import Message, MessageType, Variant
        from dbus_fast.aio.message_bus import MessageBus

        def answer(message: Any) -> Any:
            if message.message_type is MessageType.METHOD_CALL and message.member == "GetSession":
                return Message.new_method_return(message, "o", [self.path])
            if message.message_type is MessageType.METHOD_CALL and message.member == "Get":
                reply = Message.new_method_return(message, "v", [Variant("b", self.is_locked)])
                if self.unlocks_when_read:
                    self.bus.send(reply)
                    reply = self.changed(False)
                return reply
            return None

        self.is_locked = is_locked
        self.bus = await MessageBus().connect()
        self.bus.add_message_handler(answer)
        await self.bus.request_name("org.freedesktop.login1")
        return self

    async def set(self, is_locked: bool) -> None:
        self.is_locked = is_locked
        await self.bus.send(self.changed(is_locked))

    def changed(self, is_locked: bool) -> Any:
        from dbus_fast import Message, Variant

        body = [self.session, {"LockedHint": Variant("b", is_locked)}, []]
        return Message.new_signal(self.path, "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as", body)


async def until_unlocked(lock: ScreenLock) -> None:
    await until_async(lambda: not lock.is_locked)


def test_a_screen_that_is_unlocked_just_after_it_was_read(bus: str) -> None:
    """The reply and the signal may arrive together."""

    async def test() -> None:
        logind = Logind()
        logind.unlocks_when_read = True
        await logind.start(is_locked=True)
        for _ in range(20):
            async with desk() as one:
                await one.resources.use([], ScreenLock)
                await until_unlocked(one.resources.of(ScreenLock))
        logind.bus.disconnect()

    asyncio.run(asyncio.wait_for(test(), LONGEST))


def test_the_screen_lock_of_logind(bus: str) -> None:
    """A logind whose hint changes; without one, the screen is not locked."""

    async def test() -> None:
        from dbus_fast import Message
        from dbus_fast.aio.message_bus import MessageBus
        from jacquard_automations.bus import SystemBus

        async with desk() as one:
            await one.resources.use([], ScreenLock)
            assert not one.resources.of(ScreenLock).is_locked and one.problems
            logind = await Logind().start(is_locked=True)
            await one.resources.use([], ScreenLock)
            lock = one.resources.of(ScreenLock)
            assert lock.is_locked
            unlocked = logind.changed(False)
            # The bus delivers a signal that is sent to one receiver, although no rule selects its sender.
            ours = await one.resources.of(SystemBus).connected()
            forger = await MessageBus().connect()
            unlocked.destination = ours.unique_name
            await forger.send(unlocked)
            # The reply comes after the signal.
            await forger.call(Message(destination=ours.unique_name, path="/", interface="org.freedesktop.DBus.Peer", member="Ping"))
            assert lock.is_locked
            await logind.set(is_locked=False)
            await until_async(lambda: not lock.is_locked)
            logind.bus.disconnect()
            forger.disconnect()

    asyncio.run(asyncio.wait_for(test(), LONGEST))


def test_the_screen_lock_after_logind_was_restarted(bus: str) -> None:
    async def test() -> None:
        async with desk() as one:
            logind = await Logind().start(is_locked=False)
            await one.resources.use([], ScreenLock)
            lock = one.resources.of(ScreenLock)
            assert not lock.is_locked
            logind.bus.disconnect()
            logind = await Logind().start(is_locked=True)
            await until_async(lambda: lock.is_locked)
            await logind.set(is_locked=False)
            await until_async(lambda: not lock.is_locked)
            await logind.set(is_locked=True)
            await until_async(lambda: lock.is_locked)
            # Without logind, the state is unknown.
            logind.bus.disconnect()
            await until_async(lambda: not lock.is_locked)

    asyncio.run(asyncio.wait_for(test(), LONGEST))


# Volume


@pytest.mark.parametrize("broken", [False, True], ids=["wpctl", "pactl"])
def test_volume_with_programs_in_place_of_wpctl_and_pactl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bool) -> None:
    """A broken wpctl fails as it does without PipeWire, and pactl takes over."""
    scripts = {
        "wpctl": "echo wpctl $* >>log; [ ! -e broken ] || { echo Could not connect to PipeWire; exit 2; }\n"
        '[ $1 != get-volume ] || echo "Volume: 0.45 [MUTED]"',
        "pactl": 'echo pactl $* >>log; case $1 in get-sink-volume) echo "front-left: 78643 / 120% / 4 dB";; get-sink-mute) echo Mute: no;; esac',
    }
    for name, text in scripts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\ncd {tmp_path}\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    if broken:
        (tmp_path / "broken").touch()

    async def test() -> None:
        async with desk('volume = "+5%"') as one:
            for _ in range(2):
                assert await one.act() == ("100%" if broken else "45%, muted")

    asyncio.run(test())
    log = (tmp_path / "log").read_text()
    # A program that has failed is not tried again.
    assert log.count("wpctl set-volume --limit 1.0 @DEFAULT_AUDIO_SINK@ 5%+\n") == (1 if broken else 2)
    # More than 100% distorts.
    assert ("pactl set-sink-volume @DEFAULT_SINK@ 100%\n" in log) == broken


async def with_either(text: str) -> str:
    """Changes the volume as a rule does."""
    async with desk(f'volume = "{text}"') as one:
        return await one.act()


@pytest.mark.parametrize(
    "server, changes",
    [
        (players.pipewire, (volume.with_wpctl, volume.with_pactl, with_either)),
        # wpctl, which is there as well, cannot be used with it.
        (players.pulseaudio, (volume.with_pactl, with_either)),
    ],
    ids=["PipeWire", "PulseAudio"],
)
def test_volume_of_a_null_sink(
    bus: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Any, changes: tuple[Any, ...]
) -> None:
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    # A longer limit, for a busy machine.
    monkeypatch.setattr(volume, "TIME_LIMIT", LONGEST)

    async def test() -> None:
        for change in changes:
            texts = ("40%", "+5%", "-10%", "mute", "toggle-mute", "100%", "+5%")
            shown = [await change(text) for text in texts]
            assert shown == ["40%", "45%", "35%", "35%, muted", "35%", "100%", "100%"]

    with server():
        asyncio.run(test())


def test_a_machine_without_either_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert volume.Volume("+5%").problem() == (
        "neither wpctl nor pactl is installed. Run: sudo apt install wireplumber, or pulseaudio-utils"
    )


def test_a_message_with_the_event(broker: int) -> None:
    async def test() -> None:
        async with desk('mqtt = "a/b", qos = 1', 'mqtt = "a/c", payload = "x"') as one:
            one.resources.settings = Settings(mqtt={"host": "127.0.0.1", "port": broker})
            await one.act(0)
            assert line("a/b ").startswith('a/b {"rule": "rule", "event": "gesture", "tag": "ae7dc88c-')
            await one.act(1)
            assert line("a/c ") == "a/c x"
            one.resources.settings = Settings(mqtt={"host": "127.0.0.1", "port": 1})
            await one.resources.use(one.actions)
            with pytest.raises(ActionError, match="the broker 127.0.0.1 cannot be used: "):
                await one.act(0)

    with subscriber(broker) as line:
        asyncio.run(test())
