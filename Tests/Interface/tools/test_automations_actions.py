"""Actions on parts of the desktop: a private session bus with media players, a logind, and devices in place of uinput."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import jacquard
import places
import players
import pytest
from jacquard_apps.terminal import exits
from jacquard_automations import file, toml_file
from jacquard_automations.action import ActionError, Resources, Run
from jacquard_automations.actions import keys, volume
from jacquard_automations.bus import DAEMON
from jacquard_automations.complaints import Complaints
from jacquard_automations.engine import Engine
from jacquard_automations.occasion import Link, Occasion, TagIdentity
from jacquard_automations.playing import midi
from jacquard_automations.screen_lock import ScreenLock
from jacquard_automations.settings import Settings
from jacquard_automations.triggers import LinkChange
from jacquardctl.running import status_of
from waiting import until, until_async

# Of a part of dbus-fast that is not used.
pytestmark = pytest.mark.filterwarnings("ignore:DynamicImporter:ImportWarning")
TAG = TagIdentity("ae7dc88c-1437-5d1e-a862-ce1037371c9a", "0000AAAAA001ZK")
LONGEST = 20

# A player of MPRIS that notes what it is asked for.
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


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
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


# Media


def test_media_controls_the_player_that_plays_else_the_last_one(bus: str) -> None:
    async def test() -> None:
        async with desk('media = "next"', 'media = "pause"', 'media = "play"', 'media = "stop", player = "first"') as one:
            with pytest.raises(ActionError, match="no media player is running"):
                await one.act()
            with Player("first", "Paused") as first, Player("second.instance1", "Playing") as second:
                # Players that start later are found.
                assert await one.act(0) == "second.instance1" and second.line() == "Next"
                assert await one.act(1) == "second.instance1" and second.line() == "Pause"
                assert await one.act(0) == "second.instance1" and second.line() == "Next"
                assert await one.act(3) == "first" and first.line() == "Stop"
                assert await one.act(2) == "second.instance1" and second.line() == "Play"
                second.process.send_signal(signal.SIGSTOP)
                assert await one.act(0) == "first" and first.line() == "Next"
                second.process.send_signal(signal.SIGCONT)
                while await one.act(0) != "second.instance1":
                    assert first.line() == "Next"
                # What was meant for the other player has not reached it late.
                assert second.line() == "Next"

    asyncio.run(test())


def test_a_player_ends_while_players_are_looked_up(bus: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from jacquard_automations.bus import SessionBus

    call = SessionBus.call

    async def test() -> None:
        with Player("first", "Playing") as first, Player("second", "Paused") as second:

            async def ends_after_the_list(session: SessionBus, *arguments: Any, **options: Any) -> list[Any]:
                reply = await call(session, *arguments, **options)
                if arguments[3] == "ListNames":
                    first.process.kill()
                    while "org.mpris.MediaPlayer2.first" in (await call(session, *arguments))[0]:
                        pass
                return reply

            monkeypatch.setattr(SessionBus, "call", ends_after_the_list)
            async with desk('media = "next"') as one:
                assert await one.act() == "second" and second.line() == "Next"
                assert one.problems == []

    asyncio.run(asyncio.wait_for(test(), LONGEST))


def test_a_bus_that_ends_is_used_again(bus: str) -> None:
    async def test() -> None:
        async with desk('media = "next"') as one:
            with Player("first", "Playing") as first:
                assert await one.act() == "first"
                assert first.line() == "Next"
                from jacquard_automations.bus import SessionBus

                (await one.resources.of(SessionBus).connected()).disconnect()
                assert await one.act() == "first"

    asyncio.run(test())


# dbus-fast does not close the sockets of connections that have ended.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_player_that_had_not_replied_is_asked_again_after_the_bus_was_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    address = f"unix:path={tmp_path}/bus"
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)

    @contextlib.contextmanager
    def daemon() -> Iterator[None]:
        words = ["dbus-daemon", "--session", "--nofork", "--print-address", f"--address={address}"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout and process.stdout.readline()
            try:
                yield
            finally:
                process.kill()

    async def test() -> None:
        with contextlib.ExitStack() as first:
            first.enter_context(daemon())
            player = first.enter_context(Player("first", "Playing"))
            one = await first_desk.enter_async_context(desk('media = "next"'))
            player.process.send_signal(signal.SIGSTOP)
            with pytest.raises(ActionError, match="no media player replies"):
                await one.act()
        with daemon(), Player("first", "Playing") as player:
            await asyncio.sleep(0.01)  # in which the loop reads that the connection has ended
            assert await one.act() == "first" and player.line() == "Next"
        await first_desk.aclose()

    gc.collect()  # what other tests have left
    caplog.clear()
    first_desk = contextlib.AsyncExitStack()
    asyncio.run(asyncio.wait_for(test(), LONGEST))
    # What no one has waited for is logged when it is collected.
    gc.collect()
    assert caplog.messages == []


@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param((players.Cmus, players.Chromium), id="cmus-chromium"),
        pytest.param((players.Cmus, players.Mpv), id="cmus-mpv", marks=pytest.mark.mpv),
    ],
)
def test_media_controls_a_player_of_another_author_while_one_is_stopped(
    bus: str, tmp_path: Path, kinds: tuple[type[players.Player], ...]
) -> None:
    folders = [tmp_path / kind.__name__ for kind in kinds]
    for folder in folders:
        folder.mkdir()

    async def test(player: players.Player, stopped: players.Player) -> None:
        async with desk('media = "next"', 'media = "pause"', 'media = "play"') as one:

            async def act(number: int) -> None:
                while True:  # on a busy machine, one that is not stopped may be late as well
                    with contextlib.suppress(ActionError):
                        assert await one.act(number) == player.name
                        return

            for _ in range(2):
                song = player.song
                await act(0)
                players.until(lambda: player.song not in ("", song))
            await act(1)
            players.until(lambda: player.status == "Paused")
            await act(2)
            players.until(lambda: player.status == "Playing")

    with kinds[0](folders[0]) as first, kinds[1](folders[1]) as second:
        for player, stopped in ((first, second), (second, first)):
            song = stopped.song
            stopped.stop()
            asyncio.run(asyncio.wait_for(test(player, stopped), players.LONGEST))
            stopped.go_on()
            # What was meant for the other player has not reached it late.
            players.until(lambda: stopped.status == "Playing")
            assert stopped.song == song


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
    """wpctl as it is without PipeWire, where pactl takes over."""
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
    # What does not work is not tried again.
    assert log.count("wpctl set-volume --limit 1.0 @DEFAULT_AUDIO_SINK@ 5%+\n") == (1 if broken else 2)
    # More than 100% distorts.
    assert ("pactl set-sink-volume @DEFAULT_SINK@ 100%\n" in log) == broken


async def with_either(text: str) -> str:
    """As a rule does it."""
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
    # On a busy machine.
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


# Keys


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


@pytest.fixture
def devices(monkeypatch: pytest.MonkeyPatch) -> list[FakeDevice]:
    pytest.importorskip("evdev", reason="python3-evdev is not installed")
    made: list[FakeDevice] = []

    def opened(name: str, codes: Any) -> FakeDevice:
        made.append(FakeDevice(name, codes))
        return made[-1]

    monkeypatch.setattr(keys, "open_device", opened)
    return made


CTRL, M, SPACE = 29, 50, 57


def test_keys_and_scrolling(devices: list[FakeDevice]) -> None:
    async def test() -> None:
        async with desk('key = "ctrl+m"', "scroll = -2") as one:
            keyboard, wheel = devices
            assert (keyboard.name, keyboard.codes) == ("Jacquard keys", {1: [CTRL, M]})
            await one.act(0)
            await one.act(1)
            assert keyboard.written == [(1, CTRL, 1), (1, M, 1), (0, 0, 0), (1, M, 0), (1, CTRL, 0), (0, 0, 0)]
            assert wheel.written == [(2, 8, -1), (0, 0, 0)] * 2
        assert not keyboard.is_open and not wheel.is_open

    asyncio.run(test())


@pytest.mark.parametrize("change, turned", [(3, [1, 1, 1]), (-2, [-1, -1]), (1000, [1] * 20)])
def test_a_wheel_follows_the_fader(devices: list[FakeDevice], change: int, turned: list[int]) -> None:
    async def test() -> None:
        async with desk('scroll = "fader"') as one:
            await one.act(0, **relative(change))
            assert [value for kind, _, value in devices[0].written if kind] == turned

    asyncio.run(test())


def test_a_device_exists_only_if_a_rule_needs_it(devices: list[FakeDevice]) -> None:
    async def test() -> None:
        async with desk('run = ["true"]') as one:
            assert devices == []
            await one.prepare('key = "space"')
            await one.prepare('key = "space"', 'run = ["true"]')
            await one.prepare('key = "m"')
            assert [device.is_open for device in devices] == [False, True]
            await one.prepare('run = ["true"]')
            assert [device.is_open for device in devices] == [False, False]

    asyncio.run(test())


@pytest.mark.parametrize("end", ["time", "link", "rule", "program", "other tag"])
def test_nothing_stays_pressed(devices: list[FakeDevice], end: str) -> None:
    async def test() -> None:
        hold = 0.05 if end == "time" else 10
        async with desk(f'key = "space", hold = {hold}', 'key = "m"') as one:
            (keyboard,) = devices
            await one.act(0)
            assert keyboard.written == [(1, SPACE, 1), (0, 0, 0)]
            if end == "link":
                one.resources.link_lost(TAG.identifier)
            elif end == "rule":
                await one.prepare('key = "m"')
            elif end == "other tag":
                one.resources.link_lost("another")
                assert keyboard.written[-1] == (0, 0, 0) and len(keyboard.written) == 2
            if end == "time":
                await until_async(lambda: len(keyboard.written) >= 4)
            if end not in ("program", "other tag"):
                assert keyboard.written[2:] == [(1, SPACE, 0), (0, 0, 0)]
        assert keyboard.written[2:] == [(1, SPACE, 0), (0, 0, 0)] and not keyboard.is_open

    asyncio.run(asyncio.wait_for(test(), LONGEST))


@pytest.mark.parametrize("text", ['key = "space"', 'key = "space", hold = 10', "scroll = 1"])
def test_a_device_that_was_removed_is_made_again(devices: list[FakeDevice], text: str) -> None:
    async def test() -> None:
        async with desk(text) as one:
            await one.act()
            devices[0].is_removed = True
            if "hold" in text:
                # The release of the key finds it.
                one.resources.link_lost(TAG.identifier)
            else:
                message = f"{devices[0].name} cannot be used: No such device. It is created again for the next event"
                with pytest.raises(ActionError, match=message):
                    await one.act()
            await one.act()
            assert not devices[0].is_open and len(devices) == 2 and devices[1].written

    asyncio.run(asyncio.wait_for(test(), LONGEST))


TWO_COMMANDS = (
    "Run: echo 'SUBSYSTEM==\"misc\", KERNEL==\"uinput\", TAG+=\"uaccess\", OPTIONS+=\"static_node=uinput\"' | "
    "sudo tee /etc/udev/rules.d/60-uinput.rules, and: "
    "sudo sh -c 'udevadm control --reload; modprobe uinput; udevadm trigger /dev/uinput'"
)


class Uinput:
    """A node that does not exist, or that this user may not open, and what udev says about it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.node, self.rule, self._tags = folder / "uinput", folder / "rule", folder / "tags"
        self._monkeypatch = monkeypatch
        self.tags("")
        (folder / "udevadm").write_text(f'#!/bin/sh\n[ "$*" = "info --query=property {self.node}" ] && cat {self._tags}\n')
        (folder / "udevadm").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        monkeypatch.setattr(keys, "NODE", str(self.node))
        monkeypatch.setattr(keys, "INSTALLED_RULE", self.rule)

    def tags(self, current: str) -> None:
        # A device keeps the tags that it has had as TAGS.
        self._tags.write_text(f"DEVNAME=/dev/uinput\nTAGS=:seat:uaccess:\n{current}")

    def refuse(self) -> None:
        real = os.open

        def opened(path: Any, *words: Any, **options: Any) -> int:
            if path == str(self.node):
                raise PermissionError(13, "Permission denied")
            return real(path, *words, **options)

        self._monkeypatch.setattr(os, "open", opened)

    def is_of_a_package(self) -> None:
        self._monkeypatch.setattr(keys, "PACKAGES", Path(keys.__file__).parent)


@pytest.fixture
def uinput(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Uinput:
    pytest.importorskip("evdev", reason="python3-evdev is not installed")
    return Uinput(tmp_path, monkeypatch)


def test_a_uinput_that_cannot_be_opened_says_what_to_do(uinput: Uinput) -> None:
    begin = f"{uinput.node} cannot be opened: "

    async def test() -> None:
        async with desk('key = "space"', "scroll = 1") as one:

            async def expect(text: str) -> None:
                for number in (0, 1):
                    with pytest.raises(ActionError) as found:
                        await one.act(number)
                    assert str(found.value) == begin + text and one.actions[number].obstacle() == begin + text

            missing, refused = "No such file or directory. ", "Permission denied. "
            assert one.problems == [begin + missing + TWO_COMMANDS] * 2
            await expect(missing + TWO_COMMANDS)
            uinput.is_of_a_package()
            await expect(missing + "Run: sudo apt install ./jacquard-uinput_*.deb")
            uinput.rule.touch()
            await expect(missing + "The kernel's module uinput is not loaded. Run: sudo modprobe uinput")
            uinput.refuse()
            await expect(refused + "Run: sudo apt install ./jacquard-uinput_*.deb")
            uinput.tags("CURRENT_TAGS=:seat:\n")
            await expect(refused + "Run: sudo apt install ./jacquard-uinput_*.deb")

    asyncio.run(test())


def test_the_package_does_not_help_a_user_who_is_not_at_the_screen(uinput: Uinput) -> None:
    uinput.refuse()
    uinput.is_of_a_package()
    uinput.tags("CURRENT_TAGS=:seat:uaccess:\n")

    async def test() -> None:
        async with desk('key = "space"') as one:
            (problem,) = one.problems
            assert problem.endswith("in at the screen can press keys, not over ssh or without a session: log in there")
            assert "install" not in problem

    asyncio.run(test())


def test_check_says_what_keys_need(uinput: Uinput, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file is valid: its other rules run."""
    path = tmp_path / "file"
    path.write_text("".join(f'[[on]]\ngesture = {number}\ndo = {{ key = "space" }}\n' for number in (1, 2)))
    for tags in ("", "CURRENT_TAGS=:uaccess:\n"):
        uinput.refuse()
        uinput.tags(tags)
        assert status_of(["run", "--check", str(path)]) == exits.OK
        shown, complaint = capsys.readouterr()
        advice = keys.LOG_IN if tags else TWO_COMMANDS
        assert shown == f"{path}: valid, 2 rules\n"
        first, unbound = complaint.splitlines()
        assert first == f'jacquardctl: {path}:1: key = "space": {uinput.node} cannot be opened: Permission denied. {advice}'
        assert "no tag is bound" in unbound


# MQTT


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[int]:
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


# Music


def relative(change: int, value: float = 0.5) -> dict[str, Any]:
    """Of a rule's event."""
    return {"event": "fader", "fader": "relative", "value": value, "change": change, "steps": 20}


def test_the_volume_follows_the_fader() -> None:
    assert [volume.of_fader(relative(change)) for change in (1, -3, 50)] == ["+5%", "-15%", "+100%"]
    assert volume.of_fader({"fader": "absolute", "value": 0.55, "change": 1, "steps": 20}) == "55%"
    assert all(volume.LEVEL.fullmatch(volume.of_fader(relative(change))) for change in (-100, -1, 0, 1, 100))


def test_osc_is_sent_with_the_value_of_the_fader_or_of_the_file() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(LONGEST)
        port = receiver.getsockname()[1]

        async def test() -> None:
            ends = ('to = "{}"', 'to = "localhost:{}", value = [1, 0.5, "x"]', 'to = "{}"')
            async with desk(*(f'osc = "/a", {end.format(port)}' for end in ends)) as one:
                await one.act(0, **relative(1, 0.25))
                await one.act(1)
                await one.act(2)

        asyncio.run(test())
        found = [receiver.recv(1000) for _ in range(3)]
    # OSC 1.0: address and types, each filled up to four bytes, and the arguments.
    assert found[0] == b"/a\0\0,f\0\0" + struct.pack(">f", 0.25)
    assert found[1] == b"/a\0\0,ifs\0\0\0\0" + struct.pack(">if", 1, 0.5) + b"x\0\0\0"
    assert found[2] == b"/a\0\0,\0\0\0"


class NotedPort:
    """In place of a port of python3-rtmidi, which needs a sequencer: test_play.py has one of JACK."""

    ports: list[NotedPort] = []

    def __init__(self, api: str) -> None:
        self.api, self.is_open, self.sent = api, True, list[tuple[int, ...]]()
        self.ports.append(self)

    def send(self, messages: Any) -> None:
        self.sent += [one.midi for one in messages]

    def undrained(self) -> float:
        return 0.0

    def close(self) -> None:
        self.is_open = False


def test_midi_is_sent_with_the_value_of_the_fader_or_of_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(midi, "Port", NotedPort)
    NotedPort.ports.clear()

    async def test() -> None:
        written = ['{ cc = 7, channel = 2 }', '{ cc = 7, value = 3 }', '{ note = "C4" }', '{ mmc = "play" }, api = "jack"']
        async with desk(*(f"midi = {text}" for text in written)) as one:
            assert sorted(port.api for port in NotedPort.ports) == ["alsa", "jack"]
            for number in range(4):
                await one.act(number, **relative(1, 0.25))
        assert not any(port.is_open for port in NotedPort.ports)

    asyncio.run(test())
    sent = {port.api: port.sent for port in NotedPort.ports}
    assert sent["alsa"] == [(0xB1, 7, 32), (0xB0, 7, 3), (0x90, 60, 100), (0x80, 60, 0)]
    assert sent["jack"] == [(0xF0, 0x7F, 0x7F, 6, 2, 0xF7)]


# The recipes of docs/automations.md

PAGE = (places.ROOT / "docs" / "automations.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^### ([^\n]*)\n\n```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))
COVER = jacquard.Gesture(jacquard.GestureType.COVER, "cover")


def gesture(name: str) -> jacquard.Gesture:
    (number,) = (number for number in jacquard.GestureType if str(number) == name)
    return jacquard.Gesture(number, name)


async def ran(text: str, *events: Any) -> list[str]:
    """What is shown about the actions that these events run, with a light that is only noted."""
    shown: list[str] = []
    automations = file.parse(text)
    resources = Resources(automations.settings, lambda kind, problem: None)
    complaints = Complaints(shown.append)
    engine = Engine(resources, complaints, lambda rule, action, occasion, result: shown.append(f"{action} {result}".strip()))
    engine.use(automations.rules)
    await resources.use(automations.actions)
    for event in events:
        engine.take(Link(TAG), event)
    await engine.finished()
    await resources.finished()
    engine.close()
    await resources.close()
    return shown


def test_there_are_six_recipes() -> None:
    assert len(RECIPES) == 6 and len(PAGE.split()) <= 1020


def test_recipes_for_media(bus: str) -> None:
    with Player("mpv", "Playing") as player:
        shown = asyncio.run(ran(RECIPES["Skip the song"], COVER, gesture("brush-in")))
        assert shown[0] == 'media = "next" mpv' and player.line() == "Next"
        attached: Any = jacquard.Gear("component")
        events = [LinkChange(True), attached, jacquard.Gear(None)]
        shown = asyncio.run(ran(RECIPES["Pause when the jacket is taken off"], *events))
        assert shown == ['media = "pause" mpv'] and player.line() == "Pause"


def test_the_recipe_for_volume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wpctl").write_text("#!/bin/sh\n[ $1 != get-volume ] || echo Volume: 0.50\n")
    (tmp_path / "wpctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert asyncio.run(ran(RECIPES["Louder"], gesture("brush-up"))) == ['volume = "+5%" 50%']


def test_the_recipe_for_slides(devices: list[FakeDevice]) -> None:
    asyncio.run(ran(RECIPES["Turn slides"], gesture("brush-in"), gesture("brush-out")))
    assert sorted(code for type, code, value in devices[0].written if type and value) == [104, 109]


def test_the_recipe_for_the_battery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notify-send").write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/said\n')
    (tmp_path / "notify-send").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    asyncio.run(ran(RECIPES["Tell me when the battery is low"], jacquard.Battery(25, False), jacquard.Battery(19, False)))
    assert (tmp_path / "said").read_text() == "Jacquard The battery of the tag is low\n"


def test_the_recipe_for_a_lamp(broker: int) -> None:
    text = RECIPES["Switch a lamp"].replace('host = "localhost"', f'host = "127.0.0.1"\nport = {broker}')
    with subscriber(broker) as line:
        shown = asyncio.run(ran(text, gesture("double-tap")))
        assert line("zigbee2mqtt/") == 'zigbee2mqtt/lamp/set {"state": "TOGGLE"}' and len(shown) == 1
