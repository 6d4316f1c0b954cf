"""A queue of items until its end. All waiting happens here."""

from __future__ import annotations

import collections
from typing import Generic, TypeVar

from .driver import Driver, Future

Item = TypeVar("Item")

# A slower reader loses the oldest items, so memory stays bounded.
CAPACITY = 4096


class Queue(Generic[Item]):
    def __init__(self, driver: Driver) -> None:
        self._create_future = driver.create_future
        self._shared = driver.shared
        self._items: collections.deque[Item] = collections.deque(maxlen=CAPACITY)
        self._ended = False
        self._error: BaseException | None = None
        self._waiting: Future | None = None

    def put(self, item: Item) -> None:
        if not self._ended:
            self._items.append(item)
            self._wake()

    def end(self, error: BaseException | None = None) -> None:
        """Ends the queue: items that are already queued are still read, then `error` or the end. Only the first call
        has an effect."""
        if not self._ended:
            self._ended, self._error = True, error
            self._wake()

    async def get(self) -> Item | None:
        """The next item, None at the end."""
        try:
            return await self.next()
        except StopAsyncIteration:
            return None

    async def next(self) -> Item:
        """The next item."""
        while not self._items:
            if self._ended:
                raise self._error or StopAsyncIteration
            waiting = self._waiting
            if waiting is not None and not self._shared:
                raise RuntimeError("another reader is already waiting")
            if waiting is None or waiting.done():
                waiting = self._waiting = self._create_future()
            try:
                await waiting
            finally:
                if not self._shared:
                    self._waiting = None
        return self._items.popleft()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
