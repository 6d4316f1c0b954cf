"""Gestures on one part of the sleeve while a finger rests on another one, like a key together with Shift.

The touches of the whole sleeve decide which lines are held. Beside a touch that rests, the library derives no gestures from
them, so each part that rules name has a tracker of its own, which sees the other lines only.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from typing import Callable

from jacquard import Touch, TouchGesture, TouchGestureType, TouchPhase, TouchPoint, TouchTracker
from jacquard_apps.touch.fader import LAST_LINE

from .table import Table, shown
from .triggers import GestureWhileHeld, Lines, is_line

KEY = "while_held"
# A finger on the last held line is felt on this number of lines beyond it.
REACH = 3
# Lines beside each other that must be left for gestures.
LEAST = 3
# Lines by which a finger may leave the held ones: less is noise.
PLAY = 0.5


def read_lines(table: Table) -> Lines | None:
    """One line, or the first and the last one."""
    value = table.value(KEY)
    if value is None:
        return None
    ends = value if isinstance(value, list) and len(value) == 2 else [value]
    if not all(map(is_line, ends)):
        text = f"{shown(value)} is neither a line, 0 to {LAST_LINE}, nor the first and the last one, such as [0, 2]"
        raise table.problem(text, KEY)
    lines = min(ends), max(ends)
    if lines[0] - REACH < LEAST and lines[1] + REACH > LAST_LINE - LEAST:
        text = f"{shown(value)} leaves too few lines for gestures: {LEAST} beside each other, {REACH} lines away from a held one"
        raise table.problem(text, KEY)
    return lines


class Hold:
    """Whether these lines are held, and the gestures on the others."""

    def __init__(self, lines: Lines) -> None:
        self._first, self._last = lines
        self._tracker = TouchTracker()
        # The ID of the touch that rests there, and since when.
        self._held: tuple[int, float] | None = None
        # The IDs of the other touches, and the time at which the first of them began.
        self._others: set[int] = set()
        self._began = 0.0

    def follow(self, points: Sequence[TouchPoint]) -> None:
        """points: the points of the whole sleeve."""
        for point in points:
            if self._held is not None and point.id == self._held[0]:
                has_ended = point.phase in (TouchPhase.ENDED, TouchPhase.CANCELLED)
                if has_ended or not self._covers(point.position, PLAY):
                    self._held = None

    def begin(self, gestures: Sequence[TouchGesture]) -> None:
        """gestures: the gestures of the whole sleeve. A press takes the place of a hold."""
        for gesture in gestures:
            if gesture.type in (TouchGestureType.HOLD, TouchGestureType.PRESS) and self._covers(gesture.position):
                self._held = gesture.id, gesture.time

    def read(self, touch: Touch) -> list[TouchGesture]:
        """The gestures that began and ended while the lines were held."""
        reached = range(self._first - REACH, self._last + REACH + 1)
        lines = tuple(0 if number in reached else level for number, level in enumerate(touch.lines))
        for point in self._tracker.process(dataclasses.replace(touch, lines=lines)):
            if point.phase is TouchPhase.BEGAN:
                self._began = self._began if self._others else point.time
                self._others.add(point.id)
            elif point.phase is not TouchPhase.MOVED:
                self._others.discard(point.id)
        gestures = self._tracker.gestures()
        return gestures if self._held is not None and self._held[1] <= self._began else []

    def lost(self) -> None:
        self._tracker.cancel()
        self._others.clear()
        self._held = None

    def _covers(self, position: float, beyond: float = 0) -> bool:
        return self._first - 0.5 - beyond <= min(max(position, 0), LAST_LINE) < self._last + 0.5 + beyond


class Holds:
    """Reads the samples of one tag. Its touches are followed before each of them."""

    def __init__(self, receive: Callable[[GestureWhileHeld], None]) -> None:
        self._receive = receive
        self._holds: dict[Lines, Hold] = {}

    def use(self, lines: Collection[Lines]) -> None:
        """Sets the parts that rules name. Parts that were used before continue."""
        self._holds = {part: self._holds.get(part) or Hold(part) for part in lines}

    def follow(self, points: Sequence[TouchPoint]) -> None:
        for hold in self._holds.values():
            hold.follow(points)

    def begin(self, gestures: Sequence[TouchGesture]) -> None:
        for hold in self._holds.values():
            hold.begin(gestures)

    def read(self, touch: Touch) -> None:
        for lines, hold in self._holds.items():
            for gesture in hold.read(touch):
                self._receive(GestureWhileHeld(lines, gesture))

    def lost(self) -> None:
        for hold in self._holds.values():
            hold.lost()


def described(lines: Lines | None) -> str:
    """The end of the description of an event."""
    if lines is None:
        return ""
    first, last = lines
    return f" while line {first} is held" if first == last else f" while lines {first} to {last} are held"
