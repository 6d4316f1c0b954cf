"""Strokes on a sleeve, and gestures that are taught with them."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from jacquard_automations.trained.episodes import Episode, Episodes
from jacquard_automations.trained.recogniser import Recogniser, Taught

RATE = 60


REST = (0,) * 12


class Stroke:
    """A finger that goes from one line to another."""

    def __init__(self, seconds: float, start: float, end: float | None = None, strength: float = 100) -> None:
        self.seconds = seconds
        self._start, self._end = start, start if end is None else end
        self._strength = strength

    def lines(self, share: float) -> tuple[int, ...]:
        at = self._start + (self._end - self._start) * share
        return tuple(round(self._strength * math.exp(-((line - at) ** 2) / 2)) for line in range(12))


def samples(*strokes: Stroke | float) -> list[tuple[float, tuple[int, ...]]]:
    """The samples of strokes and of pauses between them, which are numbers of seconds."""
    found: list[tuple[float, tuple[int, ...]]] = []
    for stroke in strokes:
        count = round((stroke.seconds if isinstance(stroke, Stroke) else stroke) * RATE)
        for number in range(count):
            lines = stroke.lines(number / max(1, count - 1)) if isinstance(stroke, Stroke) else REST
            found.append((len(found) / RATE, lines))
    return found


def episodes(touches: Sequence[tuple[float, Sequence[int]]]) -> list[Episode]:
    running = Episodes()
    found = [running.add(at, lines) for at, lines in touches]
    found.append(running.wait(math.inf))
    return [episode for episode in found if episode is not None]


def episode(*strokes: Stroke | float) -> Episode:
    (only,) = episodes(samples(*strokes))
    return only


def jittered(seed: int, *strokes: Stroke | float) -> Episode:
    """A stroke with noise of 3 counts, one sample in twenty lost, and an offset of up to half a line."""
    dice = random.Random(seed)
    shift = dice.uniform(-0.5, 0.5)
    moved = [
        Stroke(one.seconds * dice.uniform(0.9, 1.1), one._start + shift, one._end + shift, dice.uniform(80, 120))
        if isinstance(one, Stroke)
        else one
        for one in strokes
    ]
    noisy = [
        (at, tuple(min(128, max(0, round(line + dice.gauss(0, 3)))) for line in lines))
        for at, lines in samples(*moved, 0.1)
        if dice.random() > 0.05
    ]
    return max(episodes(noisy), key=lambda one: one.duration)


SWIPE_IN = (Stroke(0.4, 1.5, 9.5),)


SWIPE_OUT = (Stroke(0.4, 9.5, 1.5),)


DOUBLE_TAP = (Stroke(0.12, 5), 0.15, Stroke(0.12, 5))


HOLD = (Stroke(1.0, 5),)


def taught(name: str, strokes: Sequence[Stroke | float], tolerance: float = 1.0) -> Taught:
    return Taught(name, [jittered(seed, *strokes) for seed in range(5)], tolerance)


ALL = Recogniser([taught("in", SWIPE_IN), taught("out", SWIPE_OUT), taught("double", DOUBLE_TAP), taught("hold", HOLD)])


def decided(recogniser: Recogniser, episode: Episode) -> str | None:
    decision = recogniser.decide(episode)
    assert decision is not None
    return decision.gesture
