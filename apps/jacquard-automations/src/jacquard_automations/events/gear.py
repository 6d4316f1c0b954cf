"""Gear is attached or detached."""

from __future__ import annotations

import dataclasses
from typing import Any

import jacquard
from jacquard_apps.tags import gear

from ..table import Table
from ..triggers import Details, LinkChange, Trigger, Watch

KEYS = ("gear",)
ATTACHED, DETACHED = "attached", "detached"
# A tag reports attached gear immediately after connecting.
SETTLED = gear.TIMEOUT


@dataclasses.dataclass(frozen=True)
class GearTrigger(Trigger):
    change: str

    def watch(self) -> Watch:
        return GearWatch(self.change == ATTACHED)

    def __str__(self) -> str:
        return f"gear {self.change}"


class GearWatch(Watch):
    """Gear that is reported again after a lost link was not attached again. The first state is not a change."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._is_attached: bool | None = None

    def take(self, event: Any, now: float) -> Details | None:
        if isinstance(event, LinkChange):
            self.due = now + SETTLED if event.is_up else None
        elif isinstance(event, jacquard.Gear):
            self.due = None
            return self._changed(event.component is not None)
        return None

    def elapsed(self, now: float) -> Details | None:
        """The tag has reported no gear since it was connected."""
        self.due = None
        return self._changed(False)

    def _changed(self, is_attached: bool) -> Details | None:
        before, self._is_attached = self._is_attached, is_attached
        if before is None or before == is_attached or is_attached != self._wanted:
            return None
        return {"event": "gear", "gear": ATTACHED if is_attached else DETACHED}


def read(table: Table, key: str) -> Trigger:
    return GearTrigger(table.choice(key, (ATTACHED, DETACHED)) or ATTACHED)
