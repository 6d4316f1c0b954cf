"""Something to iterate over while it comes."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Generic, TypeVar

from ._core.calls import Reference
from ._core.queue import Queue

Item = TypeVar("Item")


class Stream(Generic[Item]):
    """An async iterator that begins at once and ends with what it comes from. Closing it, or letting go of it, ends it
    early: `async with` is the sure way, leaving the loop of a stream without a name another."""

    def __init__(self, queue: Queue[Item], references: Sequence[Reference[Any]]) -> None:
        self._queue = queue
        self._references = references

    async def next(self) -> Item | None:
        """The next one, None at the end."""
        return await self._queue.get()

    def close(self) -> None:
        for reference in self._references:
            reference.close()
        self._queue.end()

    def __aiter__(self) -> Stream[Item]:
        return self

    async def __anext__(self) -> Item:
        item = await self.next()
        if item is None:
            raise StopAsyncIteration
        return item

    async def __aenter__(self) -> Stream[Item]:
        return self

    async def __aexit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
