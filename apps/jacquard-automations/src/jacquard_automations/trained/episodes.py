"""Splits touch samples into episodes of touching. An episode is one attempt at a gesture: it lasts from the first touch
to a pause, so that a double tap is one episode."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

# An episode ends after this time without a touch. People pause for less than 0.3 s between the taps of a double tap.
PAUSE = 0.4
# A longer episode, such as an arm that rests on a table, is cut here and is not a gesture.
LONGEST = 5.0
# A line is touched at this level above its resting level: four times the noise of a line that reads 5 counts of it.
TOUCHED = 20
# Fewer touched samples are noise: a short tap of 50 ms has three at 60 samples a second, and one of them may be lost.
FEWEST = 2
# How fast a resting level follows the readings of an untouched sleeve: within about half a second.
FOLLOWING = 1 / 32


@dataclasses.dataclass(frozen=True)
class Sample:
    """time: in seconds. levels: of each line, above its resting level."""

    time: float
    levels: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Episode:
    """The samples from the first to the last touched one."""

    samples: tuple[Sample, ...]
    # Whether it was cut because it was too long.
    is_cut: bool = False

    @property
    def duration(self) -> float:
        return self.samples[-1].time - self.samples[0].time


class Episodes:
    def __init__(self) -> None:
        self.cancel()

    def cancel(self) -> None:
        """Forgets everything: the link was lost."""
        self._rest: list[float] = []
        self._samples: list[Sample] = []
        # The number of samples up to the last touched one, and of touched ones.
        self._end = 0
        self._touched = 0
        # Whether the episode has been cut, and is ignored until a pause.
        self._is_cut = False

    @property
    def due(self) -> float | None:
        """When the episode ends, unless a touch comes first; None: no episode has begun."""
        return self._samples[self._end - 1].time + PAUSE if self._samples else None

    def add(self, time: float, lines: Sequence[int]) -> Episode | None:
        """Returns the episode that has ended."""
        ended = self.wait(time)
        if len(self._rest) != len(lines):
            self._rest = [0.0] * len(lines)
        levels = tuple(max(0, round(line - rest)) for line, rest in zip(lines, self._rest))
        is_touched = max(levels) >= TOUCHED
        if not is_touched:
            self._rest = [rest + (line - rest) * FOLLOWING for line, rest in zip(lines, self._rest)]
        if is_touched or self._samples:
            self._samples.append(Sample(time, levels))
        if is_touched:
            self._end = len(self._samples)
            self._touched += 1
            if time - self._samples[0].time > LONGEST:
                # A line that is still touched has something resting on it.
                self._rest = list(map(float, lines))
                ended = None if self._is_cut else Episode(tuple(self._samples), is_cut=True)
                self._samples, self._is_cut = self._samples[-1:], True
                self._end = self._touched = 1
        return ended

    def wait(self, now: float) -> Episode | None:
        """Returns the episode that has ended without a further sample."""
        due = self.due
        if due is None or now < due:
            return None
        samples, touched, is_cut = self._samples[: self._end], self._touched, self._is_cut
        self._samples, self._end, self._touched, self._is_cut = [], 0, 0, False
        return Episode(tuple(samples)) if touched >= FEWEST and not is_cut else None
