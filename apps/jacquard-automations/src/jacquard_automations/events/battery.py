"""The battery's level falls below a value."""

from __future__ import annotations

import dataclasses
from typing import Any

import jacquard

from ..table import Table
from ..triggers import Details, Trigger, Watch

KEYS = ("battery_below",)
# Percent above the value from which on the rule can run again: levels vary by one or two.
RECOVERY = 5


@dataclasses.dataclass(frozen=True)
class BatteryTrigger(Trigger):
    below: int

    def watch(self) -> Watch:
        return BatteryWatch(self.below)

    def __str__(self) -> str:
        return f"battery below {self.below}%"


class BatteryWatch(Watch):
    def __init__(self, below: int) -> None:
        self._below = below
        self._was_low = False

    def take(self, event: Any, now: float) -> Details | None:
        if not isinstance(event, jacquard.Battery):
            return None
        was_low = self._was_low
        if event.percent < self._below:
            self._was_low = True
        elif event.percent >= min(100, self._below + RECOVERY):
            self._was_low = False
        return {"event": "battery", "battery": event.percent} if self._was_low and not was_low else None


def read(table: Table, key: str) -> Trigger:
    return BatteryTrigger(table.whole(key, 0, 1, 100))
