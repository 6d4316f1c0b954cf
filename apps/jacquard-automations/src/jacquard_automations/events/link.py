"""A tag has been connected, or away, for a time."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..table import Table
from ..triggers import Details, LinkChange, Trigger, Watch

CONNECTED, AWAY = "connected_for", "away_for"
KEYS = (CONNECTED, AWAY)
LONGEST = 86400


@dataclasses.dataclass(frozen=True)
class LinkTrigger(Trigger):
    is_up: bool
    seconds: float

    def watch(self) -> Watch:
        return LinkWatch(self)

    def __str__(self) -> str:
        return f"{'connected' if self.is_up else 'away'} for {self.seconds:g} s"


class LinkWatch(Watch):
    """A tag that has not been connected yet is not away."""

    def __init__(self, trigger: LinkTrigger) -> None:
        self._trigger = trigger

    def take(self, event: Any, now: float) -> Details | None:
        if isinstance(event, LinkChange):
            self.due = now + self._trigger.seconds if event.is_up == self._trigger.is_up else None
        return None

    def elapsed(self, now: float) -> Details | None:
        self.due = None
        return {"event": "connected" if self._trigger.is_up else "away", "seconds": self._trigger.seconds}


def read(table: Table, key: str) -> Trigger:
    return LinkTrigger(key == CONNECTED, table.number(key, None, 0, LONGEST) or 0)
