"""Turns touch samples into touches and gestures. docs/touch.md describes what it computes."""

from __future__ import annotations

import time
from ctypes import byref, c_uint8, sizeof
from typing import Any

from ._core.calls import Reference, check
from ._core.checks import checked
from ._dataclass import dataclass
from ._native import handles, structs
from ._native.library import library
from .enums import LineHealth, TouchGestureType, TouchPhase
from .events import Touch

# JACQUARD_TOUCH_POINTS_MAX and JACQUARD_TOUCH_GESTURES_MAX
ROOM = 8
GESTURES = 4
PER_LINE = 256
PER_SECOND = 1_000_000_000


@dataclass(frozen=True)
class TouchPoint:
    """One touch in one sample. All points of a touch have the same ID. position and width (a standard deviation) are in
    lines: 0 is the first line, 11 the last one. speed is in lines per second, strength like the lines of a sample, and
    time in the tracker's seconds."""

    id: int
    phase: TouchPhase
    position: float
    width: float
    strength: int
    speed: float
    time: float

    def __str__(self) -> str:
        return (
            f"touch {self.id} {self.phase.name.lower()} at {self.position:.2f}, {self.speed:+.1f} lines/s, "
            f"strength {self.strength}, width {self.width:.2f}"
        )


@dataclass(frozen=True)
class TouchGesture:
    """A gesture that the tracker has derived from a touch, or from two touches: not one that the tag has recognised,
    which is a Gesture. position is where it ended, in lines; of two touches the middle. distance, in lines, is how far a
    swipe or a stroke of a scrub went, negative towards the first line, and how much farther apart two fingers are. speed
    is the mean one, in lines per second. time is in the tracker's seconds."""

    type: TouchGestureType
    id: int
    other_id: int | None
    position: float
    distance: float
    speed: float
    time: float

    @property
    def fingers(self) -> int:
        return 1 if self.other_id is None else 2

    def __str__(self) -> str:
        touches = f"touch {self.id}" if self.other_id is None else f"touches {self.id} and {self.other_id}"
        moved = f", {self.distance:+.1f} lines, {self.speed:+.1f} lines/s" if self.distance else ""
        return f"{self.type} by {touches} at {self.position:.2f}{moved}"


@checked
class TouchTracker:
    """Turns the touch samples of one tag into touches and gestures. It needs no manager. Tested only with generated
    touches: no real sleeve has been measured.

    Times are in seconds of any clock that does not go back; without one, a sample has the time of its arrival, or that of
    the call if it has none (CLOCK_BOOTTIME)."""

    def __init__(self) -> None:
        handle = handles.TouchTracker()
        check(library().jacquard_touch_tracker_new(None, byref(handle)))
        self._reference = Reference(handle)
        self._points = (structs.TouchPoint * ROOM)()
        self._gestures = (structs.TouchGesture * GESTURES)()

    def process(self, touch: Touch, time: float | None = None) -> list[TouchPoint]:
        """The touches in a sample, and those that have ended. A smaller sequence number ends all of them."""
        lines = (c_uint8 * len(touch.lines))(*touch.lines)
        when = nanoseconds(touch.arrival or None if time is None else time)
        return self._made(library().jacquard_touch_tracker_process, touch.sequence, lines, len(lines), when)

    def wait(self, time: float | None = None) -> list[TouchPoint]:
        """The touches that have ended because no sample has come for 250 ms: a tag sends none while it is not touched."""
        return self._made(library().jacquard_touch_tracker_process, 0, None, 0, nanoseconds(time))

    def cancel(self, time: float | None = None) -> list[TouchPoint]:
        """Cancels all touches: call it when the link is lost or the gear is detached."""
        return self._made(library().jacquard_touch_tracker_cancel, nanoseconds(time))

    def gestures(self) -> list[TouchGesture]:
        """Returns the gestures that the last call of process(), wait() or cancel() has recognised. A double tap is preceded by a tap,
        and the strokes of a scrub are one gesture each."""
        count = check(library().jacquard_touch_tracker_gestures(self._reference.handle, self._gestures, GESTURES))
        return [
            TouchGesture(
                TouchGestureType(each.type),
                each.id,
                each.other_id or None,
                each.position / PER_LINE,
                each.distance / PER_LINE,
                each.speed / PER_LINE,
                each.time_ns / PER_SECOND,
            )
            for each in self._gestures[:count]
        ]

    def health(self) -> tuple[LineHealth, ...]:
        """Returns the health of each of the twelve lines, judged by the samples so far. cancel() forgets them."""
        struct = structs.SleeveHealth(struct_size=sizeof(structs.SleeveHealth))
        check(library().jacquard_touch_tracker_get_health(self._reference.handle, byref(struct)))
        return tuple(LineHealth(each) for each in struct.lines)

    def _made(self, function: Any, *arguments: Any) -> list[TouchPoint]:
        count = check(function(self._reference.handle, *arguments, self._points, ROOM))
        return [
            TouchPoint(
                each.id,
                TouchPhase(each.phase),
                each.position / PER_LINE,
                each.width / PER_LINE,
                each.strength,
                each.speed / PER_LINE,
                each.time_ns / PER_SECOND,
            )
            for each in self._points[:count]
        ]


def nanoseconds(seconds: float | None) -> int:
    return round((time.clock_gettime(time.CLOCK_BOOTTIME) if seconds is None else seconds) * PER_SECOND)
