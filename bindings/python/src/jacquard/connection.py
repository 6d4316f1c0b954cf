"""The wish to stay connected to one tag."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable
from ctypes import byref, c_int32, sizeof
from types import TracebackType
from typing import Any, Callable, TypeVar, overload

from ._core import arguments, convert
from ._core.calls import Reference, check, no_callback, not_open, status_error
from ._core.context import Context
from ._core.queue import Queue
from ._native import callbacks, handles, structs
from ._native.library import library
from .component import Component
from .enums import DisconnectReason, Phase, Status
from .event_sources import DECODED, SOURCES, EventSource
from .events import Battery, Gear, Gesture, Name, Touch
from .stream import Stream
from .tag import Tag
from .values import ConnectionState, Counters

# Of events: a type for each kind that is asked for.
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")


def converted_state(context: Context, pointer: Any) -> ConnectionState[Tag]:
    struct = pointer.contents
    return ConnectionState(
        phase=Phase(struct.phase),
        step=struct.step,
        total_steps=struct.total_steps,
        attempt=struct.attempt,
        tag=Tag(context, Reference(library().jacquard_tag_ref(struct.tag))) if struct.tag else None,
        reason=convert.error(struct.reason),
        disconnect_reason=DisconnectReason(struct.disconnect_reason),
        identifier=convert.text(struct.identifier),
    )


class Connection:
    """Keeps a tag connected for the length of an `async with` block: through sleep, range, and restarts of bluetoothd
    and the bus. Made by Manager.connect() and Manager.bind()."""

    def __init__(
        self,
        context: Context,
        function: str,
        options: Any,
        identifier: str | Callable[[], Awaitable[str]],
    ) -> None:
        """identifier: of the tag, or what finds it."""
        self._context = context
        self._function = function
        self._options = options
        self._identifier = identifier
        self._reference: Reference[handles.Connection] | None = None

    @classmethod
    def _of(cls, context: Context, identifier: str, reference: Reference[handles.Connection]) -> Connection:
        """One that the library has restored."""
        connection = cls(context, "", None, identifier)
        connection._reference = reference
        return connection

    @property
    def identifier(self) -> str | None:
        """Of the tag; None before open() has found it."""
        return self._identifier if isinstance(self._identifier, str) else None

    async def open(self) -> None:
        """What `async with` does first: finds the tag, if only its serial is known, and begins to connect; does not
        wait for the link. Without a block, close() it at the end."""
        if self._options is None:
            return  # restored: the library has opened it
        if self._reference is not None:
            raise RuntimeError("this connection is open already")
        if not isinstance(self._identifier, str):
            self._identifier = await self._identifier()
        handle = handles.Connection()
        check(
            getattr(library(), self._function)(
                self._context.handle,
                arguments.text(self._identifier),
                byref(self._options),
                no_callback(callbacks.ConnectionCallback),
                None,
                no_callback(callbacks.DestroyCallback),
                byref(handle),
            )
        )
        self._reference = Reference(handle)

    def close(self) -> None:
        """Drops the link and ends everything under this connection. Closing it again is fine. Unlike disconnect() it
        leaves the tag wanted at the next start of a manager with a restore id."""
        if self._reference is not None:
            self._reference.close()

    async def __aenter__(self) -> Connection:
        await self.open()
        return self

    async def __aexit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def states(self) -> Stream[ConnectionState[Tag]]:
        """The state: the current one, then each change. DISCONNECTED is the last."""
        queue: Queue[ConnectionState[Tag]] = Queue(self._context.driver)

        def deliver(state: ConnectionState[Tag]) -> None:
            queue.put(state)
            if state.phase is Phase.DISCONNECTED:
                queue.end()

        return Stream(queue, [self._watch(deliver, queue)])

    async def tag(self) -> Tag:
        """The tag as soon as it is connected; another one after each reconnection. Raises what ended the connection."""
        async with self.states() as states:
            async for state in states:
                if state.tag is not None:
                    return state.tag
                if state.reason is not None and state.phase is Phase.DISCONNECTED:
                    raise state.reason
        raise status_error(Status.CLOSED)

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
        """What the tag sends by itself, also after reconnections. Raises what ended the connection.

        kinds: Battery, Gear, Gesture, Name, Touch, which are also the default; Notification, RawData, RawValue; and
        ConnectionState, to have the states in between.
        """
        queue: Queue[Any] = Queue(self._context.driver)

        def watch(state: ConnectionState[Tag]) -> None:
            if ConnectionState in kinds:
                queue.put(state)
            if state.phase is Phase.DISCONNECTED:
                queue.end(state.reason)

        references: list[Reference[Any]] = [self._watch(watch, queue)]
        sources = [SOURCES[kind] for kind in kinds or DECODED if kind is not ConnectionState]
        references += [self._subscribe(source, queue) for source in sources]
        return Stream(queue, references)

    def _subscribe(self, source: EventSource, queue: Queue[Any]) -> Reference[Any]:
        context = self._context
        return context.start(
            source.function,
            self._handle,
            handlers={source.callback: lambda pointer: queue.put(source.converted(pointer.contents, context))},
            on_end=queue.end,
            gives=handles.Subscription,
        )

    @property
    def phase(self) -> Phase:
        """Where it is now."""
        return Phase(check(library().jacquard_connection_get_phase(self._handle)))

    @property
    def connected(self) -> bool:
        """Whether it is CONNECTED now."""
        return bool(check(library().jacquard_connection_is_connected(self._handle)))

    @property
    def rssi(self) -> int | None:
        """With what strength, in dBm, the tag was last heard advertising; None when that is not known."""
        rssi = c_int32()
        check(library().jacquard_connection_get_rssi(self._handle, byref(rssi)))
        return None if rssi.value == convert.RSSI_UNKNOWN else rssi.value

    @property
    def counters(self) -> Counters:
        """What has been received and dropped."""
        struct = structs.Counters(struct_size=sizeof(structs.Counters))
        check(library().jacquard_connection_get_counters(self._handle, byref(struct)))
        return Counters(**{field.name: getattr(struct, field.name) for field in dataclasses.fields(Counters)})

    async def disconnect(self) -> None:
        """Drops the link and waits until it is down. A tag that is bound stays bound."""
        async with self.states() as states:
            check(library().jacquard_connection_disconnect(self._handle))
            async for _ in states:
                pass

    @property
    def _handle(self) -> handles.Connection:
        if self._reference is None:
            raise not_open("connection")
        return self._reference.handle

    def _watch(self, deliver: Any, queue: Queue[Any]) -> Reference[Any]:
        context = self._context
        return context.start(
            "jacquard_connection_on_state",
            self._handle,
            handlers={callbacks.ConnectionCallback: lambda pointer: deliver(converted_state(context, pointer))},
            on_end=queue.end,
            gives=handles.Subscription,
        )
