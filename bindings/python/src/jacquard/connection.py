"""A request to stay connected to one tag."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from ctypes import byref, c_int32, sizeof
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, TypeVar, overload

from ._core import arguments, convert
from ._core.calls import Reference, check, no_callback, not_open, status_error
from ._core.checks import checked, shortened
from ._core.context import Context
from ._core.queue import Queue
from ._native import callbacks, handles, structs
from ._native.library import library
from .component import Component
from .enums import DisconnectReason, MotionActivity, Phase, Status, UpdateMode
from .errors import JacquardError
from .event_sources import DECODED, SOURCES, EventSource
from .events import Battery, Gear, Gesture, Name, Touch
from .stream import Stream
from .subscription import Subscription
from .tag import Tag
from .values import ConnectionState, Counters

# Loaded when used.
if TYPE_CHECKING:
    from .firmware import Firmware, UpdateProgress, UpdateResult
    from .motion import MotionEvent, MotionQueue, MotionSettings, Session

# The types of the requested kinds of events.
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")


def converted_state(address: int, context: Context) -> ConnectionState[Tag]:
    struct = structs.ConnectionState.from_address(address)
    return ConnectionState(
        phase=Phase(struct.phase),
        step=struct.step,
        total_steps=struct.total_steps,
        attempt=struct.attempt,
        tag=Tag(context, Reference(library().jacquard_tag_ref(struct.tag))) if struct.tag else None,
        reason=convert.error(struct.reason),
        disconnect_reason=DisconnectReason(struct.disconnect_reason),
        identifier=convert.text(struct.identifier),
        service_process=struct.service_process or None,
    )


def source_of(parameter: str, kind: type[Any]) -> EventSource:
    source = SOURCES.get(kind)
    if source is None:
        raise TypeError(f"{parameter} is {shortened(kind)}; expected a kind of event, such as jacquard.Gesture")
    return source


# The tag responds within milliseconds, or not at all.
STOP_TIMEOUT = 2.0


@checked
class Connection:
    """Keeps a tag connected during an `async with` block: through sleep, range, and restarts of bluetoothd and the bus.
    Created by Manager.connect() and Manager.bind()."""

    def __init__(self, context: Context, function: Any, options: Any, identifier: str | None) -> None:
        """identifier: the tag's identifier; None: the library finds the tag."""
        self._context = context
        self._function = function
        self._options = options
        self._identifier = identifier
        self._reference: Reference[handles.Connection] | None = None
        # Streams that may be running on the tag. Weak, so that a stream ends when its reader drops it.
        self._streams: dict[MotionQueue, weakref.ref[Reference[Any]]] = {}

    @classmethod
    def _of(cls, context: Context, identifier: str, reference: Reference[handles.Connection]) -> Connection:
        """Wraps a connection that the library has restored."""
        connection = cls(context, None, None, identifier)
        connection._reference = reference
        return connection

    @property
    def identifier(self) -> str | None:
        """The identifier of the tag; None before open() has found it."""
        return self._identifier

    async def open(self) -> None:
        """Called by `async with`: begins to connect, and waits until the tag is found if only its serial number is known;
        does not wait for the link. Without a block, call close() at the end."""
        if self._options is None:
            return  # restored: already opened by the library
        if self._reference is not None:
            raise RuntimeError("this connection is already open")
        handle = handles.Connection()
        check(
            self._function(
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
        if self._identifier is not None:
            return
        try:
            self._identifier = await self._first(lambda state: state.identifier)
        except BaseException:
            self.close()
            self._reference = None
            raise

    def close(self) -> None:
        """Drops the link and ends everything that belongs to this connection. May be called again. Unlike disconnect()
        it leaves the tag wanted at the next start of a manager with a restore_id."""
        if self._reference is not None:
            self._reference.close()

    async def __aenter__(self) -> Connection:
        await self.open()
        return self

    async def __aexit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.streaming:
            await self.stop_streams()
        self.close()

    def states(self) -> Stream[ConnectionState[Tag]]:
        """The connection's state: the current one, then each change. DISCONNECTED is the last."""
        queue: Queue[ConnectionState[Tag]] = Queue(self._context.driver)

        def deliver(state: ConnectionState[Tag]) -> None:
            queue.put(state)
            if state.phase is Phase.DISCONNECTED:
                queue.end()

        return Stream(queue, [self._watch(deliver, queue)])

    async def tag(self) -> Tag:
        """Waits for the connected tag; a new one after each reconnection. Raises the error that ended the
        connection."""
        return await self._first(lambda state: state.tag)

    async def _first(self, wanted: Callable[[ConnectionState[Tag]], A | None]) -> A:
        """The first value that a state has. Raises the error that ended the connection."""
        async with self.states() as states:
            async for state in states:
                if value := wanted(state):
                    return value
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
        """The tag's events, including those after reconnections. Raises the error that ended the connection.

        kinds: Battery, Gear, Gesture, Name, Touch (the default); ModuleLoad, Notification, RawData, RawValue,
        TouchModeReport; and ConnectionState, to receive the states in order with the events.
        """
        sources = [source_of("kinds", kind) for kind in kinds or DECODED if kind is not ConnectionState]
        queue: Queue[Any] = Queue(self._context.driver)

        def watch(state: ConnectionState[Tag]) -> None:
            if ConnectionState in kinds:
                queue.put(state)
            if state.phase is Phase.DISCONNECTED:
                queue.end(state.reason)

        references: list[Reference[Any]] = [self._watch(watch, queue)]
        references += [self._subscribe(source, queue.put, queue.end) for source in sources]
        return Stream(queue, references)

    def motion(self, settings: MotionSettings | None = None) -> Stream[MotionEvent]:
        """Streams motion: MotionSample, MotionGap for lost samples, and MotionRestart. It continues after a lost link.
        Ends with the error that the tag or the connection reports.

        The end of an `async with` block of the stream or of the connection, or stop_streams(), stops it and waits until
        the tag has stopped. A loop that is left without such a block, for example by `break`, stops it too; other
        commands can be sent immediately.
        """
        from .motion import MotionQueue, MotionSettings, reader

        settings = settings or MotionSettings()
        queue = MotionQueue(self._context.driver)

        # Weak, so that a connection that is dropped is closed.
        this = weakref.ref(self)

        def done(error: Any) -> None:
            # The tag no longer streams, so there is nothing to stop.
            connection = this()
            if connection is not None:
                connection._streams.pop(queue, None)
            queue.end(convert.error(error))

        async def stop() -> None:
            connection = this()
            if connection is not None and queue in connection._streams:
                await connection.stop_streams()

        reference = self._context.start(
            library().jacquard_connection_stream_motion,
            self._handle,
            byref(settings._struct()),
            handlers=[reader(settings, queue.put), done],
            on_end=queue.end,
        )
        self._streams = {each: stream for each, stream in self._streams.items() if stream() is not None}
        self._streams[queue] = weakref.ref(reference)
        return Stream(queue, [reference], stop)

    @property
    def streaming(self) -> bool:
        """Whether any motion stream was started that has neither ended nor been stopped by stop_streams()."""
        return bool(self._streams)

    async def stop_streams(self) -> None:
        """Ends motion streams, and waits until the tag has stopped. A recording is not stopped."""
        streams, self._streams = self._streams, {}
        for weak in streams.values():
            stream = weak()
            if stream is not None:
                stream.close()
        if not streams or self._reference is None:
            return
        try:
            if not self.connected:
                return
            async with self.states() as states:
                state = await states.next()
            if state is None or state.tag is None:
                return
            # The library stops the stream, at the latest between these two.
            for _ in range(2):
                status = await state.tag.motion_status(timeout=STOP_TIMEOUT)
                if status.activity in (MotionActivity.IDLE, MotionActivity.RECORDING):
                    return
            await state.tag.stop_motion(timeout=STOP_TIMEOUT)
        except JacquardError:
            pass  # For example, the link was lost, which also ends a stream.

    async def download(
        self,
        session: Session,
        path: str | os.PathLike[str],
        *,
        progress: Callable[[int, int], object] | None = None,
    ) -> int | None:
        """Downloads a recording into a file, continuing after the bytes that the file already has, and verifies it. A
        download continues after lost links, and can be continued in another process. A file with another session is not
        changed (DamagedSessionError). Nothing is erased on the tag.

        progress: called with the number of bytes received so far and the size. Returns the start value of the checksum
        that matched; None if the tag reported no checksum.
        """
        from .download import download

        return await download(self._context, self._handle, session, path, progress)

    async def update_firmware(
        self,
        images: Sequence[Firmware],
        mode: UpdateMode = UpdateMode.INSTALL,
        *,
        allow_downgrade: bool = False,
        overwrite: bool = False,
        least_battery: int = 20,
        progress: Callable[[UpdateProgress], object] | None = None,
    ) -> list[UpdateResult]:
        """Updates the firmware of the tag, its gear and its modules, in this order, and reads the versions back. It
        continues after lost links and restarts, and in another process. Cancelling it before an image is executed leaves
        what was transferred on the tag. It has never run on a real tag.

        allow_downgrade: installs older versions. overwrite: replaces a part of another image. least_battery: in percent;
        less is enough while the tag charges. Returns a result for each image.
        """
        from .firmware import options_of, update

        options = options_of(mode, allow_downgrade, overwrite, least_battery)
        return await update(self._context, self._handle, images, options, progress)

    def on(self, kind: type[A], callback: Callable[[A], object]) -> Subscription:
        """Calls `callback` with each event of a kind, including those after reconnections, until the subscription is
        closed or the connection ends; the subscription need not be kept. Costs less than events(). An exception that
        leaves `callback` is reported like that of any callback of the loop.

        kind: Battery, Gear, Gesture, ModuleLoad, Name, Touch, Notification, RawData, RawValue or TouchModeReport.
        """
        source = source_of("kind", kind)
        # The registration keeps the reference until it ends.
        kept: list[Reference[Any]] = []
        reference = self._subscribe(source, callback, kept.clear)
        kept.append(reference)
        return Subscription(reference)

    def _subscribe(
        self, source: EventSource, deliver: Callable[[Any], object], on_end: Callable[[], None]
    ) -> Reference[Any]:
        return self._context.subscribe(source.function(), self._handle, source.converted, deliver, on_end)

    @property
    def phase(self) -> Phase:
        """The current phase."""
        return Phase(check(library().jacquard_connection_get_phase(self._handle)))

    @property
    def connected(self) -> bool:
        """Whether the phase is CONNECTED."""
        return self.phase is Phase.CONNECTED

    @property
    def rssi(self) -> int | None:
        """Signal strength of the tag's last received advertisement in dBm; None if unknown."""
        rssi = c_int32()
        check(library().jacquard_connection_get_rssi(self._handle, byref(rssi)))
        return None if rssi.value == convert.RSSI_UNKNOWN else rssi.value

    @property
    def counters(self) -> Counters:
        """Counts of what has been received and dropped."""
        struct = structs.Counters(struct_size=sizeof(structs.Counters))
        check(library().jacquard_connection_get_counters(self._handle, byref(struct)))
        return Counters(**{name: getattr(struct, name) for name in Counters.__annotations__})

    async def disconnect(self) -> None:
        """Drops the link and waits until it is down. A bound tag stays bound."""
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
        return self._context.subscribe(
            library().jacquard_connection_on_state,
            self._handle,
            converted_state,
            deliver,
            queue.end,
        )
