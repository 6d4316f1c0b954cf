"""The wish to stay connected to one tag."""

from __future__ import annotations

from types import TracebackType
from typing import Any, TypeVar, overload

from .. import connection as core
from .._core.poll_driver import PollDriver
from ..enums import Phase
from ..events import Battery, Gear, Gesture, Name, Touch
from ..values import ConnectionState, Counters
from .component import Component
from .stream import Stream
from .tag import Tag

# Of events: a type for each kind that is asked for.
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")


class Connection:
    """The wish to stay connected to one tag. See jacquard.Connection."""

    def __init__(self, driver: PollDriver, connection: core.Connection) -> None:
        self._driver = driver
        self._connection = connection

    @property
    def identifier(self) -> str | None:
        """Of the tag; None before open() has found it."""
        return self._connection.identifier

    def open(self) -> None:
        """What `with` does first: finds the tag, if only its serial is known, and begins to connect; does not wait for
        the link. Without a block, close() it at the end."""
        self._driver.run(self._connection.open())

    def close(self) -> None:
        """Drops the link and ends everything under this connection. See jacquard.Connection.close."""
        self._connection.close()

    def states(self) -> Stream[ConnectionState[Tag]]:
        """The state: the current one, then each change. DISCONNECTED is the last."""
        return Stream(self._driver, self._connection.states())

    def tag(self, *, timeout: float | None = None) -> Tag:
        """The tag as soon as it is connected. Raises what ended the connection, or TimeoutError after `timeout`
        seconds."""
        return Tag(self._driver, self._driver.run(self._connection.tag(), timeout))

    @overload
    def events(self) -> Stream[Battery | Gear[Component] | Gesture | Name | Touch]: ...

    @overload
    def events(self, a: type[A], /) -> Stream[A]: ...

    @overload
    def events(self, a: type[A], b: type[B], /) -> Stream[A | B]: ...

    @overload
    def events(self, a: type[A], b: type[B], c: type[C], /) -> Stream[A | B | C]: ...

    @overload
    def events(self, a: type[A], b: type[B], c: type[C], d: type[D], /) -> Stream[A | B | C | D]: ...

    @overload
    def events(self, a: type[A], b: type[B], c: type[C], d: type[D], e: type[E], /) -> Stream[A | B | C | D | E]: ...

    @overload
    def events(
        self, a: type[A], b: type[B], c: type[C], d: type[D], e: type[E], f: type[F], /
    ) -> Stream[A | B | C | D | E | F]: ...

    @overload
    def events(self, *kinds: type[Any]) -> Stream[Any]: ...

    def events(self, *kinds: type[Any]) -> Stream[Any]:
        """What the tag sends by itself, also after reconnections; without arguments: all of it."""
        return Stream(self._driver, self._connection.events(*kinds))

    @property
    def phase(self) -> Phase:
        """Where it is now."""
        return self._connection.phase

    @property
    def connected(self) -> bool:
        """Whether it is CONNECTED now."""
        return self._connection.connected

    @property
    def rssi(self) -> int | None:
        """With what strength, in dBm, the tag was last heard advertising; None when that is not known."""
        return self._connection.rssi

    @property
    def counters(self) -> Counters:
        """What has been received and dropped."""
        return self._connection.counters

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
