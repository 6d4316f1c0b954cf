"""Actions on media players."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import players
import pytest
from desk import (
    LONGEST,
    Player,
    bus_fixture,  # noqa: F401
    desk,
)
from jacquard_automations.action import ActionError
from waiting import until_async

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
                # Requests that the other player carried out have not reached it late.
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
    from jacquard_automations.bus import SessionBus

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
            # The loop reads that the connection has ended.
            await until_async(lambda: not one.resources.of(SessionBus).is_connected)
            assert await one.act() == "first" and player.line() == "Next"
        await first_desk.aclose()

    gc.collect()  # garbage of other tests
    caplog.clear()
    first_desk = contextlib.AsyncExitStack()
    asyncio.run(asyncio.wait_for(test(), LONGEST))
    # An error that was never awaited is logged when it is collected.
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
            # Requests that the other player carried out have not reached it late.
            players.until(lambda: stopped.status == "Playing")
            assert stopped.song == song
