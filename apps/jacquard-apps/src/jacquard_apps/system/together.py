"""Runs coroutines concurrently or with a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def together(*work: Coroutine[Any, Any, None], seconds: float | None = None) -> None:
    """Waits until all have ended, one has failed, or the time limit is reached, and cancels the others."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        for task in done:
            task.result()
    finally:
        await end(tasks)


async def first(*work: Awaitable[None]) -> None:
    """Waits until one has ended or failed, and cancels the others."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        await end(tasks)


async def within(seconds: float | None, work: Coroutine[Any, Any, Result]) -> Result:
    """Returns the result, or raises asyncio.TimeoutError; None: no limit. Before Python 3.12 asyncio.wait_for() can swallow the
    cancellation of the caller; this function does not."""
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
