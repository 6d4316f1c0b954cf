"""The last items of a kind, and which of them are new."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class History(Generic[Item]):
    """Bounded: the oldest items are dropped."""

    def __init__(self, most: int) -> None:
        self._items: collections.deque[Item] = collections.deque(maxlen=most)
        self._new: collections.deque[Item] = collections.deque(maxlen=most)

    def add(self, item: Item) -> None:
        self._items.append(item)
        self._new.append(item)

    def take_new(self) -> list[Item]:
        """The items added since the last call."""
        new = list(self._new)
        self._new.clear()
        return new

    def clear(self) -> None:
        self._items.clear()
        self._new.clear()

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __reversed__(self) -> Iterator[Item]:
        return reversed(self._items)

    def __len__(self) -> int:
        return len(self._items)

    @property
    def last(self) -> Item | None:
        return self._items[-1] if self._items else None
