"""The position of a finger on the sleeve as a value from 0 to 1.

The filter is the 1€ filter (Casiez, Roussel and Vogel, CHI 2012): a low-pass filter of first order whose cut-off frequency
grows with the speed of the finger, so that a finger at rest does not jitter and a fast one is not late. Two things differ:
the speed is that of the touch tracker, a straight line through the last positions, which needs no filter of its own; and
the lowest frequency follows from a greatest delay instead of the other way round. A median or a moving average with as
little jitter is later, and a Kalman filter needs a model of the noise, but the noise has not been measured.
"""

from __future__ import annotations

import math

from jacquard import TouchPhase, TouchPoint

# Seconds by which the filter lags behind a finger that moves steadily, whatever samples are lost. People notice delays
# of 20 ms or more in sound, and of 10 ms or more in dragging: a finger that moves fast enough to notice has a higher
# cut-off frequency.
GREATEST_DELAY = 0.02
LOWEST = 1 / (2 * math.pi * GREATEST_DELAY)
# Hz for each line per second. With 1, the filter is never more than 1/(2π) line behind the finger.
RISE = 1.0
# Lines that a finger moves before the value follows it, as in a mechanical fader: less than that is noise.
PLAY = 0.05
# Lines at each end that are part of the end, so that it can be reached.
END = 0.25
LAST_LINE = 11


class Follower:
    """The filtered position of one touch."""

    def __init__(self, point: TouchPoint) -> None:
        self.position = point.position
        self._filtered = point.position
        self._time = point.time

    def follow(self, point: TouchPoint) -> float:
        elapsed = max(0.0, point.time - self._time)
        self._time = point.time
        delay = 1 / (2 * math.pi * (LOWEST + RISE * abs(point.speed)))
        # The delay of this recurrence is exactly `delay` for samples at any distance.
        self._filtered += (point.position - self._filtered) * elapsed / (elapsed + delay)
        self.position = min(max(self.position, self._filtered - PLAY), self._filtered + PLAY)
        return self.position


class Fader:
    """Follows one touch at a time. low, high: the lines at which the value is 0 and 1; low may be the greater one."""

    def __init__(self, low: float = 0, high: float = LAST_LINE, relative: bool = False) -> None:
        self.value = 0.0
        # How far fingers have moved it, also beyond its ends; 1 is from end to end.
        self.travel = 0.0
        self._low = low
        self._high = high
        self._is_relative = relative
        self._touch: int | None = None
        self._follower: Follower | None = None

    @property
    def is_touched(self) -> bool:
        return self._touch is not None

    def take(self, point: TouchPoint) -> bool:
        """Returns whether the value, or whether it is touched, has changed. A touch that began elsewhere, or while another
        one has the fader, does not move it."""
        if point.phase is TouchPhase.BEGAN and self._touch is None and self.covers(point.position):
            self._touch, self._follower = point.id, Follower(point)
            if not self._is_relative:
                self.value = self._at(point.position)
            return True
        if point.id != self._touch or self._follower is None:
            return False
        if point.phase is not TouchPhase.MOVED:
            self._touch = self._follower = None
            return True
        before, value = self._follower.position, self.value
        after = self._follower.follow(point)
        moved = (after - before) / self._length
        self.travel += moved
        self.value = between_ends(value + moved) if self._is_relative else self._at(after)
        return moved != 0 if self._is_relative else self.value != value

    def covers(self, position: float) -> bool:
        """Whether a position is on the fader, which extends to the middle between its last line and the next one."""
        return min(self._low, self._high) - 0.5 <= position < max(self._low, self._high) + 0.5

    @property
    def _length(self) -> float:
        return self._high - self._low - math.copysign(2 * END, self._high - self._low)

    def _at(self, position: float) -> float:
        return between_ends((position - self._low - math.copysign(END, self._length)) / self._length)


def between_ends(value: float) -> float:
    return min(max(value, 0.0), 1.0)
