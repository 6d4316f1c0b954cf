"""The same without asyncio: every call waits in the calling thread, by poll(), with the interpreter's lock released.

The library works only while a call waits. Any thread may use a manager and what came from it: calls wait for their turn.
A callback runs in one of the threads that wait, whose call ends with the exceptions of callbacks; it cannot wait itself.
What waits takes a `timeout` in seconds, after which it raises TimeoutError.

Generated from the asyncio classes by bindings/python/generator; do not edit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar, overload

from ._core.checks import checked, constructed
from ._core.poll_driver import PollDriver
from .component import Component as AsyncComponent
from .configuration import Configuration
from .connection import Connection as AsyncConnection
from .enums import Capability, Phase, TouchMode, UpdateMode, ValueType
from .events import Gear, Gesture, Name, Touch
from .manager import AnyIdentifier, Manager as AsyncManager
from .module import Module
from .stored_value import Value
from .stream import Stream as AsyncStream
from .subscription import Subscription
from .tag import Tag as AsyncTag
from .values import (
    Adapter,
    Advertisement,
    Battery,
    ComponentInfo,
    ConnectionState,
    Counters,
    KnownTag,
    Restoration,
    TagInfo,
)

if TYPE_CHECKING:
    from .firmware import Firmware, UpdateProgress, UpdateResult
    from .haptic import Haptic
    from .led import Led
    from .motion import MotionEvent, MotionSettings, MotionStatus, Session

__all__ = [
    "Component",
    "Connection",
    "Manager",
    "Stream",
    "Tag",
]

Item = TypeVar("Item")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
E = TypeVar("E")
F = TypeVar("F")

# Values that hold an object of this package, and the field that it is in.
HOLDERS: dict[type[Any], str] = {
    ConnectionState: "tag",
    Gear: "component",
    Restoration: "connection",
}


def blocking_form(driver: PollDriver, item: Any) -> Any:
    """An item of a stream, with the blocking form of the object that it holds."""
    field = HOLDERS.get(type(item))
    held = None if field is None else getattr(item, field)
    if field is None or held is None:
        return item
    classes: dict[type[Any], Any] = {
        AsyncComponent: Component,
        AsyncConnection: Connection,
        AsyncTag: Tag,
    }
    return type(item)(**{**vars(item), field: classes[type(held)](driver, held)})


def receiver(driver: PollDriver, callback: Callable[[Any], object]) -> Callable[[Any], object]:
    """A callback that passes on the blocking form. It does not keep the object that it is registered with."""
    return lambda item: callback(blocking_form(driver, item))


@checked
class Component:
    """The tag itself, or its gear while it is attached; after that its commands raise StaleGearError. A command that
    requires a missing capability raises UnsupportedError."""

    def __init__(self, driver: PollDriver, origin: AsyncComponent) -> None:
        self._driver = driver
        self._async = origin

    @property
    def info(self) -> ComponentInfo:
        """Information about the component, available without a request."""
        return self._async.info

    def supports(self, capability: Capability) -> bool:
        with self._driver.turn:
            return self._async.supports(capability)

    def read_info(self, *, timeout: float | None = None) -> ComponentInfo:
        """Re-reads the component's version and manufacturing ID."""
        return self._driver.run(self._async.read_info(timeout=timeout), limited=timeout)

    def led(self, pattern: Led, *, timeout: float | None = None) -> None:
        """Plays an LED pattern."""
        self._driver.run(self._async.led(pattern, timeout=timeout), limited=timeout)

    def haptic(self, haptic: Haptic, *, timeout: float | None = None) -> None:
        """Plays a vibration."""
        self._driver.run(self._async.haptic(haptic, timeout=timeout), limited=timeout)

    def set_touch_mode(self, mode: TouchMode, *, timeout: float | None = None) -> None:
        """Selects gestures, the mode of newly attached gear, or touch data."""
        self._driver.run(self._async.set_touch_mode(mode, timeout=timeout), limited=timeout)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Component) and self._async == other._async

    def __hash__(self) -> int:
        return hash(self._async)

    def __repr__(self) -> str:
        return repr(self._async)


@checked
class Tag:
    """A tag for the duration of one link. After the link is lost its commands raise StaleTagError; the connection has a
    new tag after reconnecting."""

    def __init__(self, driver: PollDriver, origin: AsyncTag) -> None:
        self._driver = driver
        self._async = origin

    @property
    def info(self) -> TagInfo:
        """The tag's report about itself, made while connecting."""
        return self._async.info

    @property
    def component(self) -> Component:
        """The tag itself as a component."""
        return Component(self._driver, self._async.component)

    @property
    def components(self) -> list[Component]:
        """The tag itself, then the gear that it is attached to, if any, as far as it is known without a request."""
        return [Component(self._driver, each) for each in self._async.components]

    def battery(self, *, timeout: float | None = None) -> Battery:
        """Reads the battery level. timeout=None, here and below: the library's default."""
        return self._driver.run(self._async.battery(timeout=timeout), limited=timeout)

    def led(self, pattern: Led, *, timeout: float | None = None) -> None:
        """Plays an LED pattern on the tag itself."""
        self._driver.run(self._async.led(pattern, timeout=timeout), limited=timeout)

    def rename(self, name: str, *, timeout: float | None = None) -> None:
        """Renames the tag: 1 to 21 bytes of UTF-8. Returns when the link is down; connection.tag() is then the tag
        under its new name, as another object. UnchangedError: the tag already has this name."""
        self._driver.run(self._async.rename(name, timeout=timeout), limited=timeout)

    def request_disconnect(
        self, *, delay: float = 0, only_on_motion: bool = False, timeout: float | None = None
    ) -> None:
        """Asks the tag to drop the link after a delay in whole seconds, and optionally to stay away until it is
        moved. Without a delay, returns when the link is down."""
        self._driver.run(
            self._async.request_disconnect(delay=delay, only_on_motion=only_on_motion, timeout=timeout), limited=timeout
        )

    def write_value(
        self,
        key: str,
        value: Value,
        *,
        type: ValueType | None = None,
        vendor_id: int = 0,
        product_id: int = 0,
        timeout: float | None = None,
    ) -> None:
        """Stores a value on the tag. type=None: the smallest type that fits. The IDs identify the owner of the key."""
        self._driver.run(
            self._async.write_value(key, value, type=type, vendor_id=vendor_id, product_id=product_id, timeout=timeout),
            limited=timeout,
        )

    def read_value(
        self, key: str, *, vendor_id: int = 0, product_id: int = 0, timeout: float | None = None
    ) -> Value | None:
        """Reads a value stored with write_value(); None if nothing is stored."""
        return self._driver.run(
            self._async.read_value(key, vendor_id=vendor_id, product_id=product_id, timeout=timeout), limited=timeout
        )

    def configuration(self, *, timeout: float | None = None) -> Configuration:
        """Reads the tag's configuration."""
        return self._driver.run(self._async.configuration(timeout=timeout), limited=timeout)

    def configure(self, changes: Configuration, *, timeout: float | None = None) -> Configuration:
        """Writes the fields that are not None; returns the configuration as the tag now reports it."""
        return self._driver.run(self._async.configure(changes, timeout=timeout), limited=timeout)

    def modules(self, *, timeout: float | None = None) -> list[Module]:
        """Returns the firmware modules installed on the tag."""
        return self._driver.run(self._async.modules(timeout=timeout), limited=timeout)

    def load_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Loads a module and waits until it runs."""
        self._driver.run(self._async.load_module(module, timeout=timeout), limited=timeout)

    def unload_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Unloads a module; it stays installed."""
        self._driver.run(self._async.unload_module(module, timeout=timeout), limited=timeout)

    def delete_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Deletes a module from the tag."""
        self._driver.run(self._async.delete_module(module, timeout=timeout), limited=timeout)

    def prepare_motion(self, *, timeout: float | None = None) -> None:
        """Loads the motion module unless it is already loaded. While it is loaded, motion does not wake the tag, and
        its battery drains quickly. ModuleMissingError: the tag does not have the module."""
        self._driver.run(self._async.prepare_motion(timeout=timeout), limited=timeout)

    def release_motion(self, *, timeout: float | None = None) -> None:
        """Unloads the motion module, so that motion wakes the tag again. CaptureInProgressError: the tag records or
        streams, possibly for another program."""
        self._driver.run(self._async.release_motion(timeout=timeout), limited=timeout)

    def start_recording(
        self, session: str | Session, settings: MotionSettings | None = None, *, timeout: float | None = None
    ) -> None:
        """Starts a recording on the tag, identified by a name or by several labels. It continues without a link.
        Errors: CaptureInProgressError, LowBatteryError, LowStorageError."""
        self._driver.run(self._async.start_recording(session, settings, timeout=timeout), limited=timeout)

    def stop_motion(self, *, timeout: float | None = None) -> None:
        """Stops a recording, a stream or a download, whichever program started it."""
        self._driver.run(self._async.stop_motion(timeout=timeout), limited=timeout)

    def motion_status(self, *, timeout: float | None = None) -> MotionStatus:
        """Reads the state of the tag's motion capture."""
        return self._driver.run(self._async.motion_status(timeout=timeout), limited=timeout)

    def sessions(self, *, timeout: float | None = None) -> list[Session]:
        """Returns the recordings on the tag, oldest first. Connection.download() downloads one."""
        return self._driver.run(self._async.sessions(timeout=timeout), limited=timeout)

    def erase_session(self, session: Session, *, timeout: float | None = None) -> None:
        """Erases a recording on the tag and waits until it is erased, which may take a minute. Nothing else erases
        recordings."""
        self._driver.run(self._async.erase_session(session, timeout=timeout), limited=timeout)

    def erase_all_sessions(self, *, timeout: float | None = None) -> None:
        """Erases all recordings on the tag."""
        self._driver.run(self._async.erase_all_sessions(timeout=timeout), limited=timeout)

    def send_request(self, request: bytes, *, timeout: float | None = None) -> bytes:
        """Sends a serialised Request; the library fills in its ID. Returns the serialised Response, whatever its
        status."""
        return self._driver.run(self._async.send_request(request, timeout=timeout), limited=timeout)

    def send_raw_data(self, packet: bytes, *, timeout: float | None = None) -> None:
        """Sends a packet on the raw data channel and waits until it has been written."""
        self._driver.run(self._async.send_raw_data(packet, timeout=timeout), limited=timeout)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tag) and self._async == other._async

    def __hash__(self) -> int:
        return hash(self._async)

    def __repr__(self) -> str:
        return repr(self._async)


@checked
class Stream(Generic[Item]):
    """An iterator that starts immediately and ends with the object that it belongs to. Closing it or dropping the
    last reference ends it early; use `with` to end it at a defined point."""

    def __init__(self, driver: PollDriver, origin: AsyncStream[Any]) -> None:
        self._driver = driver
        self._async = origin

    def next(self, *, timeout: float | None = None) -> Item | None:
        """The next item, None at the end."""
        item: Item | None = blocking_form(self._driver, self._driver.run(self._async.next(), timeout))
        return item

    def close(self) -> None:
        with self._driver.turn:
            self._async.close()

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
        if self._async._stop is not None:
            self._driver.run(self._async._stop())


@checked
class Connection:
    """Keeps a tag connected during a `with` block: through sleep, range, and restarts of bluetoothd and the bus.
    Created by Manager.connect() and Manager.bind()."""

    def __init__(self, driver: PollDriver, origin: AsyncConnection) -> None:
        self._driver = driver
        self._async = origin

    @property
    def identifier(self) -> str | None:
        """The identifier of the tag; None before open() has found it."""
        return self._async.identifier

    def open(self, *, timeout: float | None = None) -> None:
        """Called by `with`: begins to connect, and waits until the tag is found if only its serial number is known;
        does not wait for the link. Without a block, call close() at the end."""
        self._driver.run(self._async.open(), timeout)

    def close(self) -> None:
        """Drops the link and ends everything that belongs to this connection. May be called again. Unlike disconnect()
        it leaves the tag wanted at the next start of a manager with a restore_id."""
        with self._driver.turn:
            self._async.close()

    def __enter__(self) -> Connection:
        self.open()
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.streaming:
            self.stop_streams()
        self.close()

    def states(self) -> Stream[ConnectionState[Tag]]:
        """The connection's state: the current one, then each change. DISCONNECTED is the last."""
        with self._driver.turn:
            return Stream(self._driver, self._async.states())

    def tag(self, *, timeout: float | None = None) -> Tag:
        """Waits for the connected tag; a new one after each reconnection. Raises the error that ended the
        connection."""
        return Tag(self._driver, self._driver.run(self._async.tag(), timeout))

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
        with self._driver.turn:
            return Stream(self._driver, self._async.events(*kinds))

    def motion(self, settings: MotionSettings | None = None) -> Stream[MotionEvent]:
        """Streams motion: MotionSample, MotionGap for lost samples, and MotionRestart. It continues after a lost link.
        Ends with the error that the tag or the connection reports.

        The end of a `with` block of the stream or of the connection, or stop_streams(), stops it and waits until
        the tag has stopped. A loop that is left without such a block, for example by `break`, stops it too; other
        commands can be sent immediately.
        """
        with self._driver.turn:
            return Stream(self._driver, self._async.motion(settings))

    @property
    def streaming(self) -> bool:
        """Whether any motion stream was started that has neither ended nor been stopped by stop_streams()."""
        return self._async.streaming

    def stop_streams(self, *, timeout: float | None = None) -> None:
        """Ends motion streams, and waits until the tag has stopped. A recording is not stopped."""
        self._driver.run(self._async.stop_streams(), timeout)

    def download(
        self,
        session: Session,
        path: str | os.PathLike[str],
        *,
        progress: Callable[[int, int], object] | None = None,
        timeout: float | None = None,
    ) -> int | None:
        """Downloads a recording into a file, continuing after the bytes that the file already has, and verifies it. A
        download continues after lost links, and can be continued in another process. A file with another session is not
        changed (DamagedSessionError). Nothing is erased on the tag.

        progress: called with the number of bytes received so far and the size. Returns the start value of the checksum
        that matched; None if the tag reported no checksum.
        """
        return self._driver.run(self._async.download(session, path, progress=progress), timeout)

    def update_firmware(
        self,
        images: Sequence[Firmware],
        mode: UpdateMode = UpdateMode.INSTALL,
        *,
        allow_downgrade: bool = False,
        overwrite: bool = False,
        least_battery: int = 20,
        progress: Callable[[UpdateProgress], object] | None = None,
        timeout: float | None = None,
    ) -> list[UpdateResult]:
        """Updates the firmware of the tag, its gear and its modules, in this order, and reads the versions back. It
        continues after lost links and restarts, and in another process. Cancelling it before an image is executed leaves
        what was transferred on the tag. It has never run on a real tag.

        allow_downgrade: installs older versions. overwrite: replaces a part of another image. least_battery: in percent;
        less is enough while the tag charges. Returns a result for each image.
        """
        return self._driver.run(
            self._async.update_firmware(
                images,
                mode,
                allow_downgrade=allow_downgrade,
                overwrite=overwrite,
                least_battery=least_battery,
                progress=progress,
            ),
            timeout,
        )

    def on(self, kind: type[A], callback: Callable[[A], object]) -> Subscription:
        """Calls `callback` with each event of a kind, including those after reconnections, until the subscription is
        closed or the connection ends; the subscription need not be kept. Costs less than events(). An exception that
        leaves `callback` is reported like that of any callback of the loop.

        kind: Battery, Gear, Gesture, ModuleLoad, Name, Touch, Notification, RawData, RawValue or TouchModeReport.
        """
        with self._driver.turn:
            return self._async.on(kind, receiver(self._driver, callback))

    @property
    def phase(self) -> Phase:
        """The current phase."""
        return self._async.phase

    @property
    def connected(self) -> bool:
        """Whether the phase is CONNECTED."""
        return self._async.connected

    @property
    def rssi(self) -> int | None:
        """Signal strength of the tag's last received advertisement in dBm; None if unknown."""
        return self._async.rssi

    @property
    def counters(self) -> Counters:
        """Counts of what has been received and dropped."""
        return self._async.counters

    def disconnect(self, *, timeout: float | None = None) -> None:
        """Drops the link and waits until it is down. A bound tag stays bound."""
        self._driver.run(self._async.disconnect(), timeout)


@constructed
class Manager:
    """One connection to the bus, and everything found through it.

    Use it with `with`: it runs until the block ends, without its own thread. All objects that belong to it end
    with it.

    adapter: address of the Bluetooth adapter to use; None: the first powered one.
    bus_address: D-Bus address; None: the system bus.
    state_directory: directory of the known tags; None: $XDG_STATE_HOME/jacquard, else ~/.local/state/jacquard.
    restore_id: name under which wanted tags are remembered; None: they are not. See restorations().
    auto_connect: connects to the wanted tags automatically.
    exclusive: has the links itself, and does not share tags with other programs.
    """

    def __init__(
        self,
        *,
        adapter: str | None = None,
        bus_address: str | None = None,
        state_directory: str | os.PathLike[str] | None = None,
        restore_id: str | None = None,
        auto_connect: bool = False,
        exclusive: bool = False,
    ) -> None:
        self._driver = PollDriver()
        self._async = AsyncManager(
            adapter=adapter,
            bus_address=bus_address,
            state_directory=state_directory,
            restore_id=restore_id,
            auto_connect=auto_connect,
            exclusive=exclusive,
            driver=self._driver,
        )

    def open(self) -> None:
        """Called by `with`. If you cannot use a block, for example at a prompt, call it yourself, and call
        close() at the end."""
        with self._driver.turn:
            self._async.open()

    def close(self) -> None:
        """Ends everything that belongs to this manager. May be called again."""
        with self._driver.turn:
            self._async.close()

    def __enter__(self) -> Manager:
        self.open()
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def adapter_states(self) -> Stream[Adapter]:
        """The state of the adapter: the current one, then each change."""
        with self._driver.turn:
            return Stream(self._driver, self._async.adapter_states())

    def scan(
        self,
        *,
        serial: str | None = None,
        timeout: float | None = None,
        minimum_rssi: int = 0,
        every_report: bool = False,
        wait_for_adapter: bool = False,
    ) -> Stream[Advertisement]:
        """Tags in range, each once unless every_report is set. Ends after `timeout` seconds; raises the error if the
        scan fails, also if the controller has refused to scan until then."""
        with self._driver.turn:
            return Stream(
                self._driver,
                self._async.scan(
                    serial=serial,
                    timeout=timeout,
                    minimum_rssi=minimum_rssi,
                    every_report=every_report,
                    wait_for_adapter=wait_for_adapter,
                ),
            )

    def find(
        self,
        *,
        serial: str | None = None,
        timeout: float | None = None,
        minimum_rssi: int = 0,
        wait_for_adapter: bool = False,
    ) -> Advertisement:
        """Returns the first tag found; raises NotFoundError after `timeout` seconds."""
        return self._driver.run(
            self._async.find(
                serial=serial, timeout=timeout, minimum_rssi=minimum_rssi, wait_for_adapter=wait_for_adapter
            ),
            limited=timeout,
        )

    def connected(self, *, timeout: float | None = None) -> list[Advertisement]:
        """Returns the tags that are connected to the adapter in use, by this program or another one, without a scan."""
        return self._driver.run(self._async.connected(), timeout)

    def connect(
        self,
        tag: AnyIdentifier | None = None,
        *,
        serial: str | None = None,
        owner: str | None = None,
        timeout: float | None = None,
        wait_for_adapter: bool = False,
    ) -> Connection:
        """Returns a connection to open with `with`; it lasts until the block ends.

        tag: a result of find(), scan() or known(), or its identifier, possibly from an earlier run.
        serial: alternatively, the serial number, as in find(), or the end of the full number of a tag that is bound here.
            `with` waits until the tag is found.
        owner: required owner if the tag is bound here.
        timeout: seconds for the first connection, and for the search; None: 60, or no limit for a tag that is bound
            here; math.inf: no limit.
        """
        with self._driver.turn:
            return Connection(
                self._driver,
                self._async.connect(tag, serial=serial, owner=owner, timeout=timeout, wait_for_adapter=wait_for_adapter),
            )

    def bind(
        self,
        tag: AnyIdentifier | None = None,
        *,
        code: str,
        owner: str | None = None,
        profile: Mapping[str, str] | None = None,
        timeout: float | None = None,
        wait_for_adapter: bool = False,
    ) -> Connection:
        """Binds a tag: checks the code, creates a bond and stores the tag. Open the result with `with`, and wait
        for its tag(). Afterwards connect() is enough.

        tag: a result of find() or scan(), or its identifier; None: the tag that advertises the end of the code.
        code: the number printed on the tag, or at least its last four characters.
        owner: owner to store with the tag; None: the current owner, or none.
        profile: data to store with the tag; None: keeps the stored profile.
        timeout: seconds for all of it; None: 60; math.inf: no limit.
        """
        with self._driver.turn:
            return Connection(
                self._driver,
                self._async.bind(
                    tag, code=code, owner=owner, profile=profile, timeout=timeout, wait_for_adapter=wait_for_adapter
                ),
            )

    def known(self, *, timeout: float | None = None) -> list[KnownTag]:
        """Returns the tags that this user has bound to this machine, and which programs have them."""
        return self._driver.run(self._async.known(), timeout)

    def update_known(self, tag: AnyIdentifier, profile: Mapping[str, str], *, timeout: float | None = None) -> None:
        """Replaces the profile of a known tag."""
        self._driver.run(self._async.update_known(tag, profile), timeout)

    def unbind(self, tag: AnyIdentifier, *, timeout: float | None = None) -> None:
        """Ends the connection to a tag, and removes the tag here and from BlueZ."""
        self._driver.run(self._async.unbind(tag), timeout)

    def restorations(self) -> Stream[Restoration[Connection]]:
        """The tags that were wanted when the last manager with this restore_id ended. Connections of these tags, if any,
        are already open. Raises StateFileError if the wanted tags cannot be read."""
        with self._driver.turn:
            return Stream(self._driver, self._async.restorations())

    def connections(self) -> Stream[ConnectionState[Tag]]:
        """The states of all connections of this manager, distinguished by identifier: the current ones, then each
        change. The last state of each connection is DISCONNECTED."""
        with self._driver.turn:
            return Stream(self._driver, self._async.connections())

    def connection(self, tag: AnyIdentifier) -> Connection:
        """Returns this manager's connection to a tag, which is already open; raises NotFoundError if there is none. It
        lasts until close() was called for each object that represents it, or until disconnect()."""
        with self._driver.turn:
            return Connection(self._driver, self._async.connection(tag))

    @property
    def scanning(self) -> bool:
        """Whether any scan of this manager is running."""
        return self._async.scanning

    def scanning_changes(self) -> Stream[bool]:
        """Whether any scan of this manager is running: the current value, then each change."""
        with self._driver.turn:
            return Stream(self._driver, self._async.scanning_changes())
