"""Running a body with an open manager, or with a connected tag."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import jacquard
from jacquard._core import registry
from simulator import SERIAL, Simulator

Item = TypeVar("Item")


def with_manager(simulator: Simulator, body: Callable[[jacquard.Manager], Awaitable[Any]], seconds: float = 30) -> Any:
    """Checks that nothing stays registered afterwards."""

    async def main() -> Any:
        async with jacquard.Manager(bus_address=simulator.bus_address) as manager:
            return await asyncio.wait_for(body(manager), seconds)

    result = asyncio.run(main())
    assert registry.count() == 0
    return result


def with_tag(simulator: Simulator, body: Callable[[jacquard.Connection, jacquard.Tag], Awaitable[Any]]) -> Any:
    async def connected(manager: jacquard.Manager) -> Any:
        async with manager.connect(serial=SERIAL) as connection:
            tag = await connection.tag()
            return await body(connection, tag)

    return with_manager(simulator, connected)


async def next_of(stream: jacquard.Stream[Item]) -> Item:
    """The next item of a stream that has not ended."""
    item = await stream.next()
    assert item is not None
    return item
