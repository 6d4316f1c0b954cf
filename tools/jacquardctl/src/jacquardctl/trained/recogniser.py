"""Recognises taught gestures: the nearest example, if it is near enough.

An episode becomes a list of numbers, in which the distance of two episodes is that of two points. Where on the sleeve and
in which direction it was touched is part of it. What people do not repeat exactly counts little: the strength, and how
long it takes.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .episodes import TOUCHED, Episode

# An episode is reduced to this number of pictures of the sleeve, at equal intervals. A swipe of 0.3 s has 18 samples.
STEPS = 16
# Lower levels are noise and do not count.
LOWEST = 8
# Two strokes are separated by more than this time without a touch. Two lost samples in a row take 50 ms.
GAP = 0.06
# A line is under a finger of its own if it reads at least this share of the strongest line.
FINGER = 0.4
# How much a difference counts: found by search on generated people of one style (docs/touch.md). Those of 16 steps are
# root mean squares.
WEIGHTS = {
    "levels": 0.5,
    "path": 0.84,
    "contact": 0.2,
    "evenness": 0.5,
    "duration": 0.47,
    "strokes": 0.84,
    "strength": 0.6,
    "start": 0.33,
    "end": 0.2,
    "extent": 0.27,
    "width": 1.0,
    "fingers": 0.75,
    "travel": 0.35,
}
# An episode is a gesture if it is at most this far from the nearest example: a constant and a multiple of the spread.
NEAR = 0.25
SPREADS = 0.5
# More strokes are not told apart.
MOST_STROKES = 6

Row = Sequence[float]


@dataclasses.dataclass(frozen=True)
class Decision:
    """gesture: None if it is something else. nearest: the gesture with the nearest example. distance: to it; up to 1 it
    is that gesture."""

    gesture: str | None
    nearest: str
    distance: float


class Rival(NamedTuple):
    """The gesture that is nearest to another one. distance: the mean of those from each example of one to the nearest
    example of the other."""

    name: str
    distance: float


class Taught:
    """A gesture with its examples. tolerance: multiplies how far an episode may be from them."""

    def __init__(self, name: str, examples: Sequence[Episode], tolerance: float = 1.0) -> None:
        self.name = name
        self.points = [point(example) for example in examples]
        # The mean distance of two examples.
        pairs = list(itertools.combinations(self.points, 2))
        self.spread = sum(itertools.starmap(math.dist, pairs)) / len(pairs) if pairs else 0.0
        self.reach = tolerance * (NEAR + SPREADS * self.spread)

    def distance(self, to: Row) -> float:
        return min(math.dist(to, one) for one in self.points)


class Recogniser:
    def __init__(self, taught: Sequence[Taught]) -> None:
        self._taught = list(taught)

    def decide(self, episode: Episode) -> Decision | None:
        """None if no gesture has been taught."""
        found = point(episode)
        decision: Decision | None = None
        for gesture in self._taught:
            distance = gesture.distance(found) / gesture.reach
            if decision is None or distance < decision.distance:
                decision = Decision(gesture.name, gesture.name, distance)
        if decision is not None and (decision.distance > 1 or episode.is_cut):
            return dataclasses.replace(decision, gesture=None)
        return decision

    def rival(self, of: Taught) -> Rival | None:
        """None if no other gesture has been taught."""
        others = [other for other in self._taught if other.name != of.name]
        rivals = [Rival(other.name, sum(map(other.distance, of.points)) / len(of.points)) for other in others]
        return min(rivals, key=lambda rival: rival.distance, default=None)


def point(episode: Episode) -> list[float]:
    """The position of an episode: everything that was measured of it, with its weight."""
    found: list[float] = []
    for name, values in measured(episode).items():
        weight = WEIGHTS[name] / math.sqrt(len(values))
        found += [weight * value for value in values]
    return found


def measured(episode: Episode) -> Mapping[str, Row]:
    """Positions are in lines. Durations and strengths are binary logarithms, so that a factor of two counts as one."""
    rows = resampled(episode)
    totals = list(map(sum, rows))
    strongest = max(map(max, rows))
    touched = [(row, total) for row, total in zip(rows, totals) if max(row) >= TOUCHED]
    track = [centroid(row, total) for row, total in touched]
    mean = sum(track) / len(track)
    widths = sorted(width(row, total, center) for (row, total), center in zip(touched, track))
    few = max(1, len(track) // 6)
    travel = sum(abs(there - here) for here, there in zip(track, track[1:]))
    return {
        "levels": [level / strongest for row in rows for level in row],
        "path": [center - mean for center in filled(rows, track)],
        "contact": [total / max(totals) for total in totals],
        "evenness": [math.log2(sum(totals) / len(totals) / max(totals))],
        "duration": [math.log2(max(episode.duration, GAP))],
        "strokes": [min(strokes(episode), MOST_STROKES)],
        "strength": [math.log2(strongest)],
        "start": [sum(track[:few]) / few],
        "end": [sum(track[-few:]) / few],
        "extent": [max(track) - min(track)],
        "width": [widths[len(widths) // 2]],
        "fingers": [sum(map(fingers, rows)) / len(touched)],
        "travel": [math.log2(1 + travel)],
    }


def resampled(episode: Episode) -> list[list[float]]:
    """The levels of all lines at equal intervals, from the middle of the first one on; at least one of them is touched."""
    samples = episode.samples
    start, duration = samples[0].time, episode.duration
    rows: list[list[float]] = []
    after = 0
    for step in range(STEPS):
        time = start + duration * (step + 0.5) / STEPS
        while after < len(samples) - 1 and samples[after].time < time:
            after += 1
        before, behind = samples[max(0, after - 1)], samples[after]
        span = behind.time - before.time
        share = (time - before.time) / span if span > 0 else 0.0
        if span > GAP:
            # A tag may send nothing while it is not touched.
            row = [0.0] * len(before.levels)
        else:
            row = [low + (high - low) * share for low, high in zip(before.levels, behind.levels)]
        rows.append([level if level >= LOWEST else 0.0 for level in row])
    if max(map(max, rows)) < TOUCHED:
        rows[0] = list(map(float, samples[0].levels))
    return rows


def filled(rows: Sequence[Row], track: Sequence[float]) -> list[float]:
    """The position at each step; while the sleeve is not touched, the last one."""
    found, rest = [track[0]], iter(track)
    for row in rows:
        found.append(next(rest) if max(row) >= TOUCHED else found[-1])
    return found[1:]


def centroid(row: Row, total: float) -> float:
    return sum(map(float.__mul__, row, map(float, range(len(row))))) / total


def width(row: Row, total: float, center: float) -> float:
    """The standard deviation of the levels along the sleeve, in lines."""
    return math.sqrt(sum(level * (line - center) ** 2 for line, level in enumerate(row)) / total)


def fingers(row: Row) -> int:
    """How many maxima a picture has."""
    lowest = max(TOUCHED, FINGER * max(row))
    around = zip((0.0, *row), row, (*row[1:], 0.0))
    return sum(level >= lowest and before < level >= after for before, level, after in around)


def strokes(episode: Episode) -> int:
    times = [sample.time for sample in episode.samples if max(sample.levels) >= TOUCHED]
    return 1 + sum(there - here > GAP for here, there in zip(times, times[1:]))
