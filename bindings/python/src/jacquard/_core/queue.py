"""What arrives, in order, until it ends: the one place where anything waits."""

from __future__ import annotations

import collections
from typing import Generic, TypeVar

from .driver import Driver, Future

Item = TypeVar("Item")

# A reader that falls behind by more loses the oldest; memory stays bounded however fast a tag talks.
CAPACITY = 4096


class Queue(Generic[Item]):
    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._items: collections.deque[Item] = collections.deque(maxlen=CAPACITY)
        self._ended = False
        self._error: BaseException | None = None
        self._waiting: Future | None = None

    def put(self, item: Item) -> None:
        if not self._ended:
            self._items.append(item)
            self._wake()

    def end(self, error: BaseException | None = None) -> None:
        """Nothing more comes: what is here already is still read, then `error`, or the end. The first end counts."""
        if not self._ended:
            self._ended, self._error = True, error
            self._wake()

    async def get(self) -> Item | None:
        """The next item, None at the end."""
        while not self._items:
            if self._ended:
                if self._error is not None:
                    raise self._error
                return None
            if self._waiting is not None:
                raise RuntimeError("somebody else is waiting here already")
            self._waiting = self._driver.create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        return self._items.popleft()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
