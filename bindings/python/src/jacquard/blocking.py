"""The same without asyncio: every call waits in the calling thread, by poll(), with the interpreter's lock free.

The library works only while a call waits. One thread at a time may use a manager and what came from it.
"""

from __future__ import annotations

import dataclasses
import uuid
from types import TracebackType
from typing import Any, Callable, Generic, TypeVar, overload

from . import connection as core_connection
from . import manager as core_manager
from . import stream as core_stream
from . import tag as core_tag
from ._core.poll_driver import PollDriver
from .values import Adapter, Advertisement, Battery, ConnectionState, TagInfo

Item = TypeVar("Item")
Event = TypeVar("Event")

__all__ = ["Connection", "Manager", "Stream", "Tag"]


class Manager:
    """One connection to the bus, and everything found through it. Use it with `with`. See jacquard.Manager."""

    def __init__(self, *, adapter: str | None = None, bus_address: str | None = None) -> None:
        self._driver = PollDriver()
        self._manager = core_manager.Manager(adapter=adapter, bus_address=bus_address, driver=self._driver)

    def open(self) -> None:
        self._manager.open()

    def close(self) -> None:
        self._manager.close()

    def adapter_states(self) -> Stream[Adapter]:
        """The adapter's state: the current one, then each change."""
        return Stream(self._driver, self._manager.adapter_states())

    def scan(
        self,
        *,
        serial: str | None = None,
        timeout: float | None = None,
        minimum_rssi: int = 0,
        every_report: bool = False,
        wait_for_adapter: bool = False,
    ) -> Stream[Advertisement]:
        """Tags in range, each once unless every_report is asked for. Ends after `timeout` seconds."""
        scan = self._manager.scan(
            serial=serial,
            timeout=timeout,
            minimum_rssi=minimum_rssi,
            every_report=every_report,
            wait_for_adapter=wait_for_adapter,
        )
        return Stream(self._driver, scan)

    def find(
        self,
        *,
        serial: str | None = None,
        timeout: float | None = None,
        minimum_rssi: int = 0,
        wait_for_adapter: bool = False,
    ) -> Advertisement:
        """The first tag seen; NotFoundError after `timeout` seconds."""
        return self._driver.run(
            self._manager.find(
                serial=serial, timeout=timeout, minimum_rssi=minimum_rssi, wait_for_adapter=wait_for_adapter
            )
        )

    def connect(
        self,
        tag: Advertisement | str | uuid.UUID | None = None,
        *,
        serial: str | None = None,
        timeout: float = 60,
        wait_for_adapter: bool = False,
    ) -> Connection:
        """A connection to open with `with`. See jacquard.Manager.connect."""
        return Connection(
            self._driver,
            self._manager.connect(tag, serial=serial, timeout=timeout, wait_for_adapter=wait_for_adapter),
        )

    def __enter__(self) -> Manager:
        self.open()
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class Connection:
    """The wish to stay connected to one tag. See jacquard.Connection."""

    def __init__(self, driver: PollDriver, connection: core_connection.Connection) -> None:
        self._driver = driver
        self._connection = connection

    def open(self) -> None:
        self._driver.run(self._connection.open())

    def close(self) -> None:
        self._connection.close()

    def states(self) -> Stream[ConnectionState[Tag]]:
        """The state: the current one, then each change. DISCONNECTED is the last."""
        return Stream(self._driver, self._connection.states(), self._with_blocking_tag)

    def tag(self, *, timeout: float | None = None) -> Tag:
        """The tag as soon as it is connected. Raises what ended the connection, or TimeoutError after `timeout`
        seconds."""
        return Tag(self._driver, self._driver.run(self._connection.tag(), timeout))

    @overload
    def events(self) -> Stream[Any]: ...

    @overload
    def events(self, *kinds: type[Event]) -> Stream[Event]: ...

    def events(self, *kinds: type[Any]) -> Stream[Any]:
        """What the tag sends by itself, also after reconnections; without arguments: all of it."""
        return Stream(self._driver, self._connection.events(*kinds))

    def disconnect(self) -> None:
        """Drops the link and waits until it is down."""
        self._driver.run(self._connection.disconnect())

    def __enter__(self) -> Connection:
        self.open()
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _with_blocking_tag(self, state: ConnectionState[core_tag.Tag]) -> ConnectionState[Tag]:
        tag = None if state.tag is None else Tag(self._driver, state.tag)
        return dataclasses.replace(state, tag=tag)  # type: ignore[arg-type, return-value]


class Tag:
    """A tag during one life of its link. See jacquard.Tag."""

    def __init__(self, driver: PollDriver, tag: core_tag.Tag) -> None:
        self._driver = driver
        self._tag = tag

    @property
    def info(self) -> TagInfo:
        """What the tag said of itself while connecting."""
        return self._tag.info

    def battery(self, *, timeout: float | None = None) -> Battery:
        """Asks for the battery. None: the library's own time limit."""
        return self._driver.run(self._tag.battery(timeout=timeout))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tag) and self._tag == other._tag

    def __hash__(self) -> int:
        return hash(self._tag)

    def __repr__(self) -> str:
        return repr(self._tag)


class Stream(Generic[Item]):
    """An iterator that waits for what comes, and ends with what it comes from. See jacquard.Stream."""

    def __init__(
        self, driver: PollDriver, stream: core_stream.Stream[Any], convert: Callable[[Any], Item] = lambda item: item
    ) -> None:
        self._driver = driver
        self._stream = stream
        self._convert = convert

    def next(self, timeout: float | None = None) -> Item | None:
        """The next one, None at the end; TimeoutError when none comes within `timeout` seconds."""
        item = self._driver.run(self._stream.next(), timeout)
        return None if item is None else self._convert(item)

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
