"""Something to iterate over while it comes."""

from __future__ import annotations

import dataclasses
from types import TracebackType
from typing import Any, Generic, TypeVar

from .. import stream as core
from .._core.poll_driver import PollDriver
from ..events import Gear
from ..values import ConnectionState, Restoration
from .component import Component
from .tag import Tag

Item = TypeVar("Item")


def blocking(driver: PollDriver, item: Any) -> Any:
    """What comes with something to command gets the blocking form of it."""
    if isinstance(item, ConnectionState) and item.tag is not None:
        return dataclasses.replace(item, tag=Tag(driver, item.tag))
    if isinstance(item, Gear) and item.component is not None:
        return Gear(Component(driver, item.component))
    if isinstance(item, Restoration) and item.connection is not None:
        from .connection import Connection

        return dataclasses.replace(item, connection=Connection(driver, item.connection))
    return item


class Stream(Generic[Item]):
    """An iterator that waits for what comes, and ends with what it comes from. See jacquard.Stream."""

    def __init__(self, driver: PollDriver, stream: core.Stream[Any]) -> None:
        self._driver = driver
        self._stream = stream

    def next(self, timeout: float | None = None) -> Item | None:
        """The next one, None at the end; TimeoutError when none comes within `timeout` seconds."""
        item: Item | None = blocking(self._driver, self._driver.run(self._stream.next(), timeout))
        return item

    def close(self) -> None:
        self._stream.close()

    def __iter__(self) -> Stream[Item]:
        return self

    def __next__(self) -> Item:
        item = self.next()
        if item is None:
            raise StopIteration
        return item

    def __enter__(self) -> Stream[Item]:
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
