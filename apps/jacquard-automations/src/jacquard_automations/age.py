"""How old events are. A gesture that was made long ago must not trigger anything.

Gestures and touch samples wait in the service, and in the library, while a program is stopped or the machine is suspended.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Callable

import jacquard

from .triggers import Touches, TrainedGesture

# Seconds. An event that arrived earlier runs nothing.
OLDEST = 1.0
# Events that a person causes, unlike mere changes.
MADE = (jacquard.Gesture, jacquard.TouchGesture, TrainedGesture, Touches)


def boottime() -> float:
    """Includes suspend."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Ages:
    def __init__(self, clock: Callable[[], float] = boottime) -> None:
        self._clock = clock
        self._suspended = SuspendDetector(clock)

    def arrival(self, event: Any) -> float:
        """When the event arrived, in CLOCK_BOOTTIME; if derived from touch samples, when the deciding sample did."""
        if isinstance(event, jacquard.Gesture):
            return event.arrival or self._clock()
        if isinstance(event, Touches):
            return event.points[-1].time
        return event.time if isinstance(event, (jacquard.TouchGesture, TrainedGesture)) else self._clock()

    def is_doubtful(self, event: Any) -> bool:
        """Whether it may have arrived before the machine was suspended. Must be called for each event."""
        return self._suspended.check() and isinstance(event, MADE)

    def left(self, arrived: float) -> float:
        """Seconds until an event that arrived then is too old; negative if it is."""
        return arrived + OLDEST - self._clock()


class SuspendDetector:
    """Events that are handled first after suspend may have arrived before it."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._offset = clock() - time.monotonic()
        self._is_first = False

    def check(self) -> bool:
        """Whether this is the first iteration of the loop after suspend."""
        offset = self._clock() - time.monotonic()
        if offset - self._offset > OLDEST:
            self._is_first = True
            asyncio.get_running_loop().call_soon(self._clear)
        self._offset = offset
        return self._is_first

    def _clear(self) -> None:
        self._is_first = False
