"""A gesture, or the same gesture twice within a time. It is derived from touches while the tag is in touch mode."""

from __future__ import annotations

import dataclasses
from argparse import ArgumentTypeError
from typing import Any

import jacquard
from jacquard_apps.touch import gestures
from jacquard_apps.touch.touching import own_gesture

from ..held import KEY as WHILE_HELD, described, read_lines
from ..reasons import Reason
from ..table import Table, expected
from ..triggers import Details, Lines, Trigger, Watch

KEYS = ("gesture",)
LONGEST = 10


@dataclasses.dataclass(frozen=True)
class GestureTrigger(Trigger):
    gesture: str
    # Seconds within which the gesture must be made again.
    twice: float | None = None
    held: Lines | None = None

    needs_gear = True

    def watch(self) -> Watch:
        return GestureWatch(self)

    def __str__(self) -> str:
        return f"{self.gesture}{'' if self.twice is None else ' twice'}{described(self.held)}"


class GestureWatch(Watch):
    def __init__(self, trigger: GestureTrigger) -> None:
        self._trigger = trigger
        # The time of the first gesture, by number.
        self._first: tuple[int, float] | None = None

    def take(self, event: Any, now: float) -> Details | None:
        is_derived = isinstance(event, jacquard.TouchGesture)
        if isinstance(event, jacquard.TouchGesture):
            event = own_gesture(event)
        if not isinstance(event, jacquard.Gesture):
            return None
        # An action must not run twice for one gesture.
        if event.may_be_copy:
            self.refusal = Reason.COPY if gestures.answers(event, self._trigger.gesture) else None
            return None
        number = int(event.type)
        if not gestures.answers(event, self._trigger.gesture):
            self._first = None
            return None
        if self._trigger.twice is not None:
            first, self._first = self._first, (number, now)
            if first is None or first[0] != number or now - first[1] > self._trigger.twice:
                self.refusal = Reason.MADE_ONCE
                return None
            self._first = None
        return {"event": "gesture", "gesture": event.name, "gesture_number": number, **({"derived": True} if is_derived else {})}


def read(table: Table, key: str) -> Trigger:
    value = table.value(key)
    word = str(value) if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else value
    if not isinstance(word, str):
        raise table.problem(expected(value, gestures.NAMES), key)
    try:
        gesture = gestures.wanted(word)
    except ArgumentTypeError:
        raise table.problem(expected(value, gestures.NAMES), key) from None
    twice, held = table.number("twice", None, 0.05, LONGEST), read_lines(table)
    if held is not None and not gestures.exist_in_touch_mode(gesture):
        derived = ", ".join(filter(gestures.exist_in_touch_mode, gestures.NAMES))
        raise table.problem(f"{gesture} is not derived from touches; expected {derived}", WHILE_HELD)
    return GestureTrigger(gesture, twice, held)
