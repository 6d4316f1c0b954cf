"""Fingers on the sleeve of a software tag in touch mode."""

from __future__ import annotations

import math

from simulator import Simulator
from waiting import paced

PERIOD = 1 / 60


def finger(position: float, strength: float = 86) -> str:
    """The command for one sample."""
    lines = (round(strength * math.exp(-((line - position) ** 2) / (2 * 0.95**2))) for line in range(12))
    return f"touch 64 {' '.join(map(str, lines))}"


def feel(tag: Simulator, *lines: str) -> None:
    """Samples at the rate of a sleeve, and the time until the next one."""
    for number in paced(len(lines) + 1, PERIOD):
        if number < len(lines):
            tag.tell(lines[number])


def swipe(tag: Simulator, start: float, end: float, samples: int) -> None:
    for number in paced(samples + 2, PERIOD):
        if number <= samples:
            tag.tell(finger(start + (end - start) * number / samples))
    tag.tell("touch lift")


def touch(tag: Simulator, position: float) -> None:
    """Two samples: a single one could be a copy, because the first sample of each touch has the same number."""
    swipe(tag, position, position, 2)
