"""A finger moves along the lines, step by step. The tag is in touch mode while a rule has this event."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from jacquard_apps.touch.fader import LAST_LINE, Fader

from ..table import Table, shown
from ..triggers import Details, Touches, Trigger, Watch, is_line

KEYS = ("fader",)
ABSOLUTE, RELATIVE = "absolute", "relative"
STEPS, MOST_STEPS = 20, 127
LEAST_LINES = 3
# Greater than 1: the engine drops events that are faster than the rule's rate.
PAUSE = 1.01


@dataclasses.dataclass(frozen=True)
class FaderTrigger(Trigger):
    is_relative: bool
    lines: tuple[int, int] = (0, LAST_LINE)
    steps: int = STEPS

    needs_touches = has_value = True

    def watch(self) -> Watch:
        return FaderWatch(self)

    def __str__(self) -> str:
        return f"{RELATIVE if self.is_relative else ABSOLUTE} fader"


class FaderWatch(Watch):
    """Fires as often as the rule may run, and always for the last step."""

    is_event = True

    def __init__(self, trigger: FaderTrigger) -> None:
        self._trigger = trigger
        self._fader = Fader(*trigger.lines, trigger.is_relative)
        # The last step that was reported.
        self._step = 0
        self._next = -math.inf

    def take(self, event: Any, now: float) -> Details | None:
        if isinstance(event, Touches):
            for point in event.points:
                self._fader.take(point)
            return self._changed(now)
        return None

    def elapsed(self, now: float) -> Details | None:
        return self._changed(now)

    def _changed(self, now: float) -> Details | None:
        steps = self._trigger.steps
        # A relative fader continues beyond its ends: the value that it changes may have other ends.
        step = round((self._fader.travel if self._trigger.is_relative else self._fader.value) * steps)
        self.due = None if step == self._step else self._next
        if step == self._step or now < self._next:
            return None
        self.due = None
        before, self._step, self._next = self._step, step, now + PAUSE / self.rate
        value = self._fader.value if self._trigger.is_relative else step / steps
        return {
            "event": "fader",
            "fader": RELATIVE if self._trigger.is_relative else ABSOLUTE,
            "value": round(value, 4),
            "change": step - before,
            "steps": steps,
        }


def read(table: Table, key: str) -> Trigger:
    is_relative = table.choice(key, (ABSOLUTE, RELATIVE)) == RELATIVE
    return FaderTrigger(is_relative, read_lines(table, LEAST_LINES), table.whole("steps", STEPS, 2, MOST_STEPS))


def read_lines(table: Table, least: int) -> tuple[int, int]:
    """The key `lines`: the first and the last one. least: how many there must be."""
    value = table.value("lines")
    if value is None:
        return (0, LAST_LINE)
    ends = [one for one in value if is_line(one)] if isinstance(value, list) and len(value) == 2 else []
    if len(ends) != 2:
        raise table.problem(f"{shown(value)} is not the first and the last line, such as [0, {LAST_LINE}]", "lines")
    first, last = ends
    if abs(last - first) + 1 < least:
        raise table.problem(f"the lines {first} to {last} are too few; expected at least {least}", "lines")
    return first, last
