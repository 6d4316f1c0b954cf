"""Things that go on beside one another, and things that may take only so long."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def together(*work: Coroutine[Any, Any, None], seconds: float | None = None) -> None:
    """Until all have ended, one has failed, or the time is over. What still runs then is cancelled."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    finally:
        await end(tasks)


async def within(seconds: float, work: Coroutine[Any, Any, Result]) -> Result:
    """The result, or asyncio.TimeoutError. asyncio.wait_for() of before Python 3.12 may swallow that the caller is
    cancelled; this does not."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait([task], timeout=seconds)
        if not task.done():
            raise asyncio.TimeoutError
        return task.result()
    finally:
        await end([task])


async def end(tasks: list[asyncio.Task[Any]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
