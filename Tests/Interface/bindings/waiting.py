"""Waiting for what nothing reports: a condition is checked until it holds. Where an event can be awaited, do that."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")
LONGEST = 30
PERIOD = 0.01


def nothing() -> None:
    pass


def until(
    condition: Callable[[], T],
    seconds: float = LONGEST,
    *,
    problem: Callable[[], object] = nothing,
    meanwhile: Callable[[], object] = nothing,
    period: float = PERIOD,
) -> T:
    """The first true value of the condition. Calls `meanwhile` before each wait."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, problem()
        meanwhile()
        time.sleep(period)
    return found


def stays(condition: Callable[[], object], seconds: float, period: float = PERIOD) -> None:
    """Demands that the condition holds for this time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert condition()
        time.sleep(period)
    assert condition()


def settled(value: Callable[[], T], seconds: float, longest: float = LONGEST) -> T:
    """The value once it has not changed for this time."""
    end = time.monotonic() + longest
    found, since = value(), time.monotonic()
    while time.monotonic() < since + seconds:
        assert time.monotonic() < end, found
        time.sleep(PERIOD)
        if (new := value()) != found:
            found, since = new, time.monotonic()
    return found


def paced(count: int, period: float) -> Iterator[int]:
    """Numbers at a constant rate. One that is late does not delay the others."""
    start = time.monotonic()
    for number in range(count):
        time.sleep(max(0, start + number * period - time.monotonic()))
        yield number


async def until_async(condition: Callable[[], T], seconds: float = LONGEST) -> T:
    """The same while the loop runs."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        await asyncio.sleep(PERIOD)
    return found


async def turn() -> None:
    """Lets everything that is ready run once."""
    await asyncio.sleep(0)
