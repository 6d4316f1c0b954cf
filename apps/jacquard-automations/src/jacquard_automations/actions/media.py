"""Controls media players over MPRIS: the one that plays, else the last one that did.

Source: https://specifications.freedesktop.org/mpris-spec/latest/
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from collections.abc import Collection
from typing import Any

from ..action import Action, ActionError, PlayerAbsent, Resource, Run, written
from ..bus import DAEMON, LIBRARY, SessionBus
from ..table import Table

KEYS = ("media",)
MEMBERS = {
    "next": "Next",
    "previous": "Previous",
    "play-pause": "PlayPause",
    "play": "Play",
    "pause": "Pause",
    "stop": "Stop",
}
PREFIX = "org.mpris.MediaPlayer2."
# A proxy for other players; these are on the bus themselves.
PROXY = PREFIX + "playerctld"
PATH = "/org/mpris/MediaPlayer2"
PLAYER = "org.mpris.MediaPlayer2.Player"
PROPERTIES = "org.freedesktop.DBus.Properties"
# How long the choice waits for players that have replied so far. A player that does not reply is not waited for
# again, until its reply arrives.
PATIENCE = 0.5


class Players(Resource):
    """The players on the session bus. Each is asked before the choice, because not all report every change, and a
    player that is stopped does not reply."""

    needs = (SessionBus,)

    def __init__(self, resources: Any) -> None:
        super().__init__(resources)
        self._finding = asyncio.Lock()
        self._listening: Any = None
        self._statuses: dict[str, str] = {}
        self._owners: dict[str, str] = {}
        # The players that have played, the last one last.
        self._played: list[str] = []
        self._questions: dict[str, asyncio.Task[None]] = {}

    async def use(self, actions: Collection[Action]) -> None:
        if not LIBRARY.is_missing:
            await self._find()
            await self._ask(list(self._owners))

    async def control(self, member: str, wanted: str | None) -> str:
        """Returns the name of the player."""
        await self._find()
        names = self._named(wanted)
        if not names:
            # A reply comes after the report of a player that has just started.
            await self._resources.of(SessionBus).call(DAEMON, "/org/freedesktop/DBus", DAEMON, "GetId")
            names = self._named(wanted)
        if not names:
            raise PlayerAbsent("no media player is running" if wanted is None else f"the player {wanted} is not running")
        await self._ask(names)
        chosen = self._choose([name for name in names if name not in self._questions])
        await self._resources.of(SessionBus).call(chosen, PATH, PLAYER, member)
        return chosen[len(PREFIX) :]

    def _named(self, wanted: str | None) -> list[str]:
        return [name for name in self._owners if wanted is None or wanted.lower() in name[len(PREFIX) :].lower()]

    def _choose(self, names: list[str]) -> str:
        if not names:
            raise PlayerAbsent("no media player replies")
        playing = [name for name in names if self._statuses.get(name) == "Playing"]
        among = playing or [name for name in names if name in self._played]
        if among:
            return max(among, key=lambda name: self._played.index(name))
        return next((name for name in names if self._statuses.get(name) == "Paused"), names[0])

    async def _find(self) -> None:
        """The names on the bus; changes are reported from then on."""
        session = self._resources.of(SessionBus)
        async with self._finding:
            bus = await session.connected()
            if self._listening is not bus:
                await self._listen(session)
                self._listening = bus

    async def _listen(self, session: SessionBus) -> None:
        self._owners.clear()
        names = f"type='signal',sender='{DAEMON}',member='NameOwnerChanged',arg0namespace='{PREFIX[:-1]}'"
        await session.listen(names, self._receive)
        statuses = f"type='signal',interface='{PROPERTIES}',member='PropertiesChanged',path='{PATH}'"
        await session.call(DAEMON, "/org/freedesktop/DBus", DAEMON, "AddMatch", "s", [statuses])
        (found,) = await session.call(DAEMON, "/org/freedesktop/DBus", DAEMON, "ListNames")
        for name in found:
            if is_player(name):
                self._owners[name] = ""
        for name in [name for name, owner in self._owners.items() if not owner]:
            with contextlib.suppress(ActionError):  # it has ended since
                (owner,) = await session.call(DAEMON, "/org/freedesktop/DBus", DAEMON, "GetNameOwner", "s", [name])
                # A report of another owner that came with the reply is newer, and was handled before it.
                if self._owners.get(name) == "":
                    self._owners[name] = owner

    def _receive(self, message: Any) -> None:
        if message.member == "NameOwnerChanged" and is_player(message.body[0]):
            name, _, owner = message.body
            self._forget(name)
            if owner:
                self._owners[name] = owner
        elif message.member == "PropertiesChanged" and message.body[0] == PLAYER:
            status = message.body[1].get("PlaybackStatus")
            for name, owner in self._owners.items():
                if owner == message.sender and status is not None:
                    self._learn(name, status.value)

    def _forget(self, name: str) -> None:
        self._owners.pop(name, None)
        self._statuses.pop(name, None)
        self._played = [one for one in self._played if one != name]
        question = self._questions.pop(name, None)
        if question is not None:
            question.cancel()

    def _learn(self, name: str, status: str) -> None:
        if status == "Playing" and self._statuses.get(name) != "Playing":
            self._played = [*(one for one in self._played if one != name), name]
        self._statuses[name] = status

    async def _ask(self, names: list[str]) -> None:
        """Asks these players for their status. Those that have not replied are left in `_questions`."""
        waiting = [self._questions.setdefault(name, asyncio.ensure_future(self._question(name))) for name in names if name not in self._questions]
        if waiting:
            await asyncio.wait(waiting, timeout=PATIENCE)

    async def _question(self, name: str) -> None:
        session = self._resources.of(SessionBus)
        try:
            (status,) = await session.call(name, PATH, PROPERTIES, "Get", "ss", [PLAYER, "PlaybackStatus"], timeout=86400)
            self._learn(name, str(status.value))
        except ActionError:
            pass  # it has replied, with an error
        self._questions.pop(name, None)

    async def close(self) -> None:
        for question in self._questions.values():
            question.cancel()


@dataclasses.dataclass(frozen=True)
class Media(Action):
    word: str
    # Part of the name of a player.
    player: str | None = None

    libraries = (LIBRARY,)
    needs = (Players,)

    async def act(self, run: Run) -> str:
        return await run.resources.of(Players).control(MEMBERS[self.word], self.player)

    def __str__(self) -> str:
        return written("media", self.word, player=self.player)


def is_player(name: str) -> bool:
    return name.startswith(PREFIX) and name != PROXY


def read(table: Table, key: str) -> Action:
    return Media(table.choice(key, MEMBERS) or "", table.text("player"))
