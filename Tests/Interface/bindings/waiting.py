"""Waits for conditions that no event reports, by checking them. Where an event can be awaited, do that."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from jacquard.blocking import Manager

T = TypeVar("T")
LONGEST = 30
PERIOD = 0.01


def nothing() -> None:
    pass


def moments(seconds: float, period: float = PERIOD) -> Iterator[None]:
    """The moments at which to check something: they end with this time, and each is followed by this pause."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        pause_until(min(end, time.monotonic() + period))


def pause_until(moment: float) -> None:
    """Waits for this time of the monotonic clock, which may have passed."""
    time.sleep(max(0, moment - time.monotonic()))


def until(
    condition: Callable[[], T],
    seconds: float = LONGEST,
    *,
    problem: Callable[[], object] = nothing,
    meanwhile: Callable[[], object] = nothing,
    period: float = PERIOD,
) -> T:
    """The first true value of the condition. Calls `meanwhile` before each wait."""
    for _ in moments(seconds, period):
        if found := condition():
            return found
        meanwhile()
    found = condition()
    assert found, problem()
    return found


def stays(condition: Callable[[], object], seconds: float, period: float = PERIOD) -> None:
    """Demands that the condition holds for this time."""
    for _ in moments(seconds, period):
        assert condition()
    assert condition()


def settled(value: Callable[[], T], seconds: float, longest: float = LONGEST) -> T:
    """The value once it has not changed for this time."""
    found, since = value(), time.monotonic()
    for _ in moments(longest):
        if time.monotonic() >= since + seconds:
            return found
        if (new := value()) != found:
            found, since = new, time.monotonic()
    raise AssertionError(found)


# A pause whose length is the subject of a test, such as an outage. A comment at the call names the subject.
elapse = time.sleep


def waiting_calls(manager: Manager) -> int:
    """The number of calls of a blocking manager that wait, in other threads."""
    driver = manager._driver
    return (driver._polling is not None) + len(driver._followers)


def paced(count: int, period: float) -> Iterator[int]:
    """Numbers at a constant rate. One that is late does not delay the others."""
    start = time.monotonic()
    for number in range(count):
        pause_until(start + number * period)
        yield number


async def until_async(condition: Callable[[], T], seconds: float = LONGEST) -> T:
    """Like until(), while the loop runs."""

    async def found() -> T:
        return condition()

    return await until_awaited(found, seconds)


async def until_awaited(
    condition: Callable[[], Awaitable[T]],
    seconds: float = LONGEST,
    *,
    problem: Callable[[], object] = nothing,
    period: float = PERIOD,
) -> T:
    """Like until(), for a condition that is a coroutine function."""
    end = time.monotonic() + seconds
    while not (found := await condition()):
        assert time.monotonic() < end, problem()
        await asyncio.sleep(period)  # between two checks
    return found


async def turn() -> None:
    """Lets everything that is ready run once."""
    await asyncio.sleep(0)  # yields to the loop
