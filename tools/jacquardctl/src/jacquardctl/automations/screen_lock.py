"""Whether the screen of this user is locked, as logind says (LockedHint of org.freedesktop.login1)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .action import Action, Resource
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

    @property
    def is_locked(self) -> bool:
        """An unknown state counts as not locked."""
        return self._hint and self._resources.of(SystemBus).is_connected

    async def use(self, actions: Collection[Action]) -> None:
        bus = self._resources.of(SystemBus)
        if self._path and bus.is_connected:
            return
        # Of the caller, or of the user's session at the screen: a user unit has no session.
        (self._path,) = await bus.call(LOGIND, "/org/freedesktop/login1", f"{LOGIND}.Manager", "GetSession", "s", ["auto"])
        rule = f"type='signal',sender='{LOGIND}',interface='{PROPERTIES}',member='PropertiesChanged',path='{self._path}'"
        (self._owner,) = await bus.call(DAEMON, "/org/freedesktop/DBus", DAEMON, "GetNameOwner", "s", [LOGIND])
        await bus.listen(rule, self._receive)
        (hint,) = await bus.call(LOGIND, self._path, PROPERTIES, "Get", "ss", [SESSION, "LockedHint"])
        self._hint = bool(hint.value)

    def _receive(self, message: Any) -> None:
        is_change = message.member == "PropertiesChanged" and message.path == self._path
        if is_change and message.sender == self._owner and message.body[0] == SESSION:
            hint = message.body[1].get("LockedHint")
            if hint is not None:
                self._hint = bool(hint.value)
