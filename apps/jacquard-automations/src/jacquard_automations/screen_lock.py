"""Whether the screen of this user is locked, as logind says (LockedHint of org.freedesktop.login1)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection
from typing import Any

from .action import Action, ActionError, Resource
from .bus import DAEMON, SystemBus

LOGIND = "org.freedesktop.login1"
SESSION = f"{LOGIND}.Session"
PROPERTIES = "org.freedesktop.DBus.Properties"


class ScreenLock(Resource):
    needs = (SystemBus,)

    _path = ""
    # The unique name of logind: any user can send this bus connection a signal of the same form.
    _owner = ""
    _hint = False
    # How many changes logind has signalled.
    _changes = 0
    # The connection to the bus whose signals are received.
    _listening: Any = None
    _reading: asyncio.Task[None] | None = None

    @property
    def is_locked(self) -> bool:
        """An unknown state counts as not locked."""
        return self._hint and self._resources.of(SystemBus).is_connected

    async def use(self, actions: Collection[Action]) -> None:
        bus = self._resources.of(SystemBus)
        connection = await bus.connected()
        if self._listening is not connection:
            self._forget()
            await bus.listen(f"type='signal',sender='{DAEMON}',member='NameOwnerChanged',arg0='{LOGIND}'", self._receive)
            changes = f"type='signal',sender='{LOGIND}',interface='{PROPERTIES}',member='PropertiesChanged',arg0='{SESSION}'"
            await bus.call(DAEMON, "/org/freedesktop/DBus", DAEMON, "AddMatch", "s", [changes])
            self._listening = connection
        if not self._owner:
            await self._read()

    async def _read(self) -> None:
        bus = self._resources.of(SystemBus)
        # The session of the caller, or the user's session at the screen: a user unit has no session.
        (self._path,) = await bus.call(LOGIND, "/org/freedesktop/login1", f"{LOGIND}.Manager", "GetSession", "s", ["auto"])
        (self._owner,) = await bus.call(DAEMON, "/org/freedesktop/DBus", DAEMON, "GetNameOwner", "s", [LOGIND])
        changes = self._changes
        (hint,) = await bus.call(LOGIND, self._path, PROPERTIES, "Get", "ss", [SESSION, "LockedHint"])
        # A change that came with the reply is newer, and was handled before it.
        if self._changes == changes:
            self._hint = bool(hint.value)

    def _receive(self, message: Any) -> None:
        if message.sender == DAEMON and message.member == "NameOwnerChanged" and message.body[0] == LOGIND:
            self._forget()
            if message.body[2]:
                self._reading = asyncio.ensure_future(self._read_again())
            return
        is_change = message.member == "PropertiesChanged" and message.path == self._path
        if is_change and message.sender == self._owner and message.body[0] == SESSION:
            hint = message.body[1].get("LockedHint")
            if hint is not None:
                self._changes += 1
                self._hint = bool(hint.value)

    async def _read_again(self) -> None:
        with contextlib.suppress(ActionError):  # then the state is unknown
            await self._read()

    def _forget(self) -> None:
        self._owner, self._hint = "", False
        if self._reading is not None:
            self._reading.cancel()

    async def close(self) -> None:
        self._forget()
