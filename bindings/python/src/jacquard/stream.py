"""Async iterators of events."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine, Sequence
from types import TracebackType
from typing import Any, Callable, Generic, TypeVar

from ._core.calls import Reference
from ._core.checks import checked
from ._core.queue import Queue

Item = TypeVar("Item")


@checked
class Stream(Generic[Item]):
    """An async iterator that starts immediately and ends with the object that it belongs to. Closing it or dropping the
    last reference ends it early; use `async with` to end it at a defined point."""

    def __init__(
        self,
        queue: Queue[Item],
        references: Sequence[Reference[Any]],
        stop: Callable[[], Coroutine[Any, Any, None]] | None = None,
    ) -> None:
        """stop: waits, at the end of an `async with` block, until the tag has stopped what it does for this stream."""
        self._queue = queue
        self._references = references
        self._stop = stop

    async def next(self) -> Item | None:
        """The next item, None at the end."""
        return await self._queue.get()

    def close(self) -> None:
        for reference in self._references:
            reference.close()
        self._queue.end()

    def __aiter__(self) -> Stream[Item]:
        return self

    def __anext__(self) -> Awaitable[Item]:
        return self._queue.next()

    async def __aenter__(self) -> Stream[Item]:
        return self

    async def __aexit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
        if self._stop is not None:
            await self._stop()
