"""Recognises taught gestures: the nearest example, if it is near enough.

An episode becomes twelve measurements of a few numbers each. How much a difference counts depends on the measurement,
and on how much the examples of the gesture differ in it themselves. Where on the sleeve and in which direction it was
touched is part of a gesture.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import operator
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .episodes import TOUCHED, Episode

# An episode is reduced to this number of pictures of the sleeve, at equal intervals. A swipe of 0.3 s has 18 samples.
STEPS = 16
# Lower levels are noise and do not count.
LOWEST = 8
# More time than this without a sample is time without a touch. Two lost samples in a row take 50 ms.
GAP = 0.06
# A line is under a finger of its own if it reads at least this share of the strongest line.
FINGER = 0.4
# The picture around a finger, to this number of lines on either side: half the width of a hand.
AROUND = 4
# The weight of a difference of one in each measurement if the examples are equal. Found by search on generated people of
# one style (jacquard-sim strokes): most gestures, of the same and of other people, with few false ones among other touches.
WEIGHTS = {
    "levels": 0.6,
    "profile": 2.6,
    "widths": 0.45,
    "place": 0.09,
    "contact": 1.3,
    "evenness": 1.7,
    "duration": 0.6,
    "strength": 0.75,
    "start": 0.14,
    "end": 0.06,
    "fingers": 1.9,
    "travel": 0.45,
}
# How much the examples' own differences lower these weights.
ADAPTATION = 3.5
# The greatest distance of a gesture from an example. Generated people then make 0.2 false gestures an hour, and those of
# another style 0.6.
LIMIT = 0.65

Numbers = Sequence[float]


@dataclasses.dataclass(frozen=True)
class Decision:
    """gesture: None if it is something else. nearest: the gesture with the nearest example. distance: to it; up to 1 it
    is that gesture."""

    gesture: str | None
    nearest: str
    distance: float


class Rival(NamedTuple):
    """The gesture that is nearest to another one. distance: the mean distance of its examples."""

    name: str
    distance: float


class Taught:
    """A gesture with its examples. tolerance: multiplies how far an episode may be from them."""

    def __init__(self, name: str, examples: Sequence[Episode], tolerance: float = 1.0) -> None:
        self.name = name
        self.examples = [measured(example) for example in examples]
        self._limit = LIMIT * tolerance
        pairs = list(itertools.combinations(self.examples, 2))
        self._scales: list[float] = []
        for part, weight in WEIGHTS.items():
            count = len(self.examples[0][part])
            variance = sum(math.dist(one[part], other[part]) ** 2 for one, other in pairs) / max(1, len(pairs)) / count
            scale = math.sqrt(weight**2 / (1 + ADAPTATION * weight**2 * variance) / count)
            self._scales += [scale] * count
        self._points = list(map(self._point, self.examples))
        # The mean distance of two examples.
        distances = list(itertools.starmap(math.dist, itertools.combinations(self._points, 2)))
        self.spread = sum(distances) / max(1, len(distances)) / self._limit

    def distance(self, episode: Mapping[str, Numbers]) -> float:
        """The distance to the nearest example; above 1: no match."""
        point = self._point(episode)
        return min(math.dist(point, one) for one in self._points) / self._limit

    def _point(self, episode: Mapping[str, Numbers]) -> list[float]:
        return list(map(operator.mul, itertools.chain.from_iterable(map(episode.__getitem__, WEIGHTS)), self._scales))


class Recogniser:
    def __init__(self, taught: Sequence[Taught]) -> None:
        self._taught = list(taught)

    def decide(self, episode: Episode) -> Decision | None:
        """None if no gesture has been taught."""
        found = measured(episode)
        distances = [(gesture.distance(found), gesture.name) for gesture in self._taught]
        if not distances:
            return None
        distance, nearest = min(distances)
        return Decision(nearest if distance <= 1 and not episode.is_cut else None, nearest, distance)

    def rival(self, of: Taught) -> Rival | None:
        """None if no other gesture has been taught."""
        others = [other for other in self._taught if other.name != of.name]
        rivals = [Rival(other.name, sum(map(of.distance, other.examples)) / len(other.examples)) for other in others]
        return min(rivals, key=operator.attrgetter("distance")) if rivals else None


def measured(episode: Episode) -> Mapping[str, Numbers]:
    """Positions and widths are in lines. Durations and strengths are binary logarithms, so that a factor of two counts as
    one. While the sleeve is not touched, it has the last position and width."""
    rows = resampled(episode)
    totals = [sum(row) for row in rows]
    strongest, most = max(max(row) for row in rows), max(totals)
    is_touched = [max(row) >= TOUCHED for row in rows]
    touched = [row for row, is_one in zip(rows, is_touched) if is_one]
    track = [centroid(row) for row in touched]
    widths = [width(row, center) for row, center in zip(touched, track)]
    few = max(1, len(track) // 6)
    travel = sum(abs(there - here) for here, there in zip(track, track[1:]))
    return {
        "levels": [level / strongest for row in rows for level in row],
        "profile": [level / strongest for level in profile(touched, track)],
        "widths": filled(is_touched, widths),
        "place": filled(is_touched, track),
        "contact": [total / most for total in totals],
        "evenness": [math.log2(sum(totals) / len(totals) / most)],
        "duration": [math.log2(max(episode.duration, GAP))],
        "strength": [math.log2(strongest)],
        "start": [sum(track[:few]) / few],
        "end": [sum(track[-few:]) / few],
        "fingers": [sum(map(fingers, touched)) / len(touched)],
        "travel": [math.log2(1 + travel)],
    }


def resampled(episode: Episode) -> list[list[float]]:
    """The levels of all lines in the middle of equal intervals; at least one row is touched."""
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
        if span > GAP:
            # A tag may send nothing while it is not touched.
            row = [0.0] * len(before.levels)
        else:
            share = (time - before.time) / span if span > 0 else 0.0
            row = [low + (high - low) * share for low, high in zip(before.levels, behind.levels)]
        rows.append([level if level >= LOWEST else 0.0 for level in row])
    if max(max(row) for row in rows) < TOUCHED:
        rows[0] = list(map(float, samples[0].levels))
    return rows


def filled(is_touched: Sequence[bool], values: Numbers) -> list[float]:
    found, rest = [values[0]], iter(values)
    for is_one in is_touched:
        found.append(next(rest) if is_one else found[-1])
    return found[1:]


def profile(rows: Sequence[Numbers], track: Numbers) -> list[float]:
    """The mean row, centred on the finger."""
    found = [0.0] * (2 * AROUND + 1)
    beside = [0.0] * (AROUND + 1)
    for row, center in zip(rows, track):
        first = math.floor(center)
        share = center - first
        around = [*beside, *row, *beside, 0.0][first + 1 : first + 2 * AROUND + 3]
        found = [level + low + (high - low) * share for level, low, high in zip(found, around, around[1:])]
    return [level / len(rows) for level in found]


def centroid(row: Numbers) -> float:
    return float(sum(map(operator.mul, row, range(len(row)))) / sum(row))


def width(row: Numbers, center: float) -> float:
    """The standard deviation of the levels along the sleeve, in lines."""
    return math.sqrt(sum(level * (line - center) ** 2 for line, level in enumerate(row)) / sum(row))


def fingers(row: Numbers) -> int:
    """How many maxima a picture has."""
    lowest = max(TOUCHED, FINGER * max(row))
    around = zip((0.0, *row), row, (*row[1:], 0.0))
    return sum(level >= lowest and before < level >= after for before, level, after in around)


def strokes(episode: Episode) -> int:
    times = [sample.time for sample in episode.samples if max(sample.levels) >= TOUCHED]
    return 1 + sum(there - here > GAP for here, there in zip(times, times[1:]))
