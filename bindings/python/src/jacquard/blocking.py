"""The same without asyncio: every call waits in the calling thread, by poll(), with the interpreter's lock released.

The library works only while a call waits. One thread at a time may use a manager and what came from it. What waits
takes a `timeout` in seconds, after which it raises TimeoutError.

Generated from the asyncio classes by bindings/python/generator; do not edit.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Generic, TypeVar, overload

from ._core.poll_driver import PollDriver
from .component import Component as AsyncComponent
from .configuration import Configuration
from .connection import Connection as AsyncConnection
from .enums import Capability, Phase, TouchMode, ValueType
from .events import Gear, Gesture, Name, Touch
from .haptic import Haptic
from .led import Led
from .manager import AnyIdentifier, Manager as AsyncManager
from .module import Module
from .stored_value import Value
from .stream import Stream as AsyncStream
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
    return dataclasses.replace(item, **{field: classes[type(held)](driver, held)})


class Component:
    """The tag itself, or gear for as long as it stays attached: then its commands raise StaleGearError. A command for
    an ability that it lacks raises UnsupportedError."""

    def __init__(self, driver: PollDriver, origin: AsyncComponent) -> None:
        self._driver = driver
        self._async = origin

    @property
    def info(self) -> ComponentInfo:
        """What is known of it, without asking it."""
        return self._async.info

    def supports(self, capability: Capability) -> bool:
        return self._async.supports(capability)

    def read_info(self, *, timeout: float | None = None) -> ComponentInfo:
        """Asks it for its version and manufacturing id anew."""
        return self._driver.run(self._async.read_info(timeout=timeout))

    def led(self, pattern: Led, *, timeout: float | None = None) -> None:
        """Plays an LED pattern."""
        self._driver.run(self._async.led(pattern, timeout=timeout))

    def haptic(self, haptic: Haptic, *, timeout: float | None = None) -> None:
        """Vibrates."""
        self._driver.run(self._async.haptic(haptic, timeout=timeout))

    def set_touch_mode(self, mode: TouchMode, *, timeout: float | None = None) -> None:
        """Chooses between gestures, where attaching starts, and touch data."""
        self._driver.run(self._async.set_touch_mode(mode, timeout=timeout))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Component) and self._async == other._async

    def __hash__(self) -> int:
        return hash(self._async)

    def __repr__(self) -> str:
        return repr(self._async)


class Tag:
    """A tag during one life of its link. After the link is lost its commands raise StaleTagError; the connection has
    a new tag when it is back."""

    def __init__(self, driver: PollDriver, origin: AsyncTag) -> None:
        self._driver = driver
        self._async = origin

    @property
    def info(self) -> TagInfo:
        """What the tag said of itself while connecting."""
        return self._async.info

    @property
    def component(self) -> Component:
        """The tag itself as a component."""
        return Component(self._driver, self._async.component)

    def battery(self, *, timeout: float | None = None) -> Battery:
        """Asks for the battery. None, here and below: the library's own time limit."""
        return self._driver.run(self._async.battery(timeout=timeout))

    def led(self, pattern: Led, *, timeout: float | None = None) -> None:
        """Plays an LED pattern on the tag itself."""
        self._driver.run(self._async.led(pattern, timeout=timeout))

    def rename(self, name: str, *, timeout: float | None = None) -> None:
        """Renames the tag: 1 to 21 bytes of UTF-8. It comes back under the new name, as another tag object.
        UnchangedError: this is its name already."""
        self._driver.run(self._async.rename(name, timeout=timeout))

    def request_disconnect(
        self, *, delay: float = 0, only_on_motion: bool = False, timeout: float | None = None
    ) -> None:
        """Asks the tag to drop the link, in whole seconds from now, and perhaps to stay away until it is moved."""
        self._driver.run(self._async.request_disconnect(delay=delay, only_on_motion=only_on_motion, timeout=timeout))

    def set_value(
        self,
        key: str,
        value: Value,
        *,
        type: ValueType | None = None,
        vendor_id: int = 0,
        product_id: int = 0,
        timeout: float | None = None,
    ) -> None:
        """Stores a value of one's own on the tag. type: None: the smallest that fits. The ids say whose key it is."""
        self._driver.run(
            self._async.set_value(key, value, type=type, vendor_id=vendor_id, product_id=product_id, timeout=timeout)
        )

    def get_value(
        self, key: str, *, vendor_id: int = 0, product_id: int = 0, timeout: float | None = None
    ) -> Value | None:
        """Reads what set_value() stored; None when there is nothing."""
        return self._driver.run(self._async.get_value(key, vendor_id=vendor_id, product_id=product_id, timeout=timeout))

    def configuration(self, *, timeout: float | None = None) -> Configuration:
        """Reads the tag's configuration."""
        return self._driver.run(self._async.configuration(timeout=timeout))

    def configure(self, changes: Configuration, *, timeout: float | None = None) -> Configuration:
        """Changes what is not None; returns what the tag says it has now."""
        return self._driver.run(self._async.configure(changes, timeout=timeout))

    def modules(self, *, timeout: float | None = None) -> list[Module]:
        """The firmware modules that are on the tag."""
        return self._driver.run(self._async.modules(timeout=timeout))

    def load_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Loads a module, and waits until it runs."""
        self._driver.run(self._async.load_module(module, timeout=timeout))

    def unload_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Unloads a module; it stays on the tag."""
        self._driver.run(self._async.unload_module(module, timeout=timeout))

    def delete_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Deletes a module from the tag."""
        self._driver.run(self._async.delete_module(module, timeout=timeout))

    def send_request(self, request: bytes, *, timeout: float | None = None) -> bytes:
        """Sends a serialised Request; the library fills in its id. Returns the serialised Response, whatever its
        status."""
        return self._driver.run(self._async.send_request(request, timeout=timeout))

    def send_raw_data(self, packet: bytes, *, timeout: float | None = None) -> None:
        """Sends a packet on the raw data channel, and waits until it is written."""
        self._driver.run(self._async.send_raw_data(packet, timeout=timeout))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tag) and self._async == other._async

    def __hash__(self) -> int:
        return hash(self._async)

    def __repr__(self) -> str:
        return repr(self._async)


class Stream(Generic[Item]):
    """An iterator that begins at once and ends with what it comes from. Closing it, or letting go of it, ends it
    early: `with` is the sure way, leaving the loop of a stream without a name another."""

    def __init__(self, driver: PollDriver, origin: AsyncStream[Any]) -> None:
        self._driver = driver
        self._async = origin

    def next(self, *, timeout: float | None = None) -> Item | None:
        """The next one, None at the end."""
        item: Item | None = blocking_form(self._driver, self._driver.run(self._async.next(), timeout))
        return item

    def close(self) -> None:
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


class Connection:
    """Keeps a tag connected for the length of a `with` block: through sleep, range, and restarts of bluetoothd
    and the bus. Made by Manager.connect() and Manager.bind()."""

    def __init__(self, driver: PollDriver, origin: AsyncConnection) -> None:
        self._driver = driver
        self._async = origin

    @property
    def identifier(self) -> str | None:
        """Of the tag; None before open() has found it."""
        return self._async.identifier

    def open(self, *, timeout: float | None = None) -> None:
        """What `with` does first: finds the tag, if only its serial is known, and begins to connect; does not
        wait for the link. Without a block, close() it at the end."""
        self._driver.run(self._async.open(), timeout)

    def close(self) -> None:
        """Drops the link and ends everything under this connection. Closing it again is fine. Unlike disconnect() it
        leaves the tag wanted at the next start of a manager with a restore id."""
        self._async.close()

    def __enter__(self) -> Connection:
        self.open()
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def states(self) -> Stream[ConnectionState[Tag]]:
        """The state: the current one, then each change. DISCONNECTED is the last."""
        return Stream(self._driver, self._async.states())

    def tag(self, *, timeout: float | None = None) -> Tag:
        """The tag as soon as it is connected; another one after each reconnection. Raises what ended the connection."""
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
        """What the tag sends by itself, also after reconnections. Raises what ended the connection.

        kinds: Battery, Gear, Gesture, Name, Touch, which are also the default; Notification, RawData, RawValue; and
        ConnectionState, to have the states in between.
        """
        return Stream(self._driver, self._async.events(*kinds))

    @property
    def phase(self) -> Phase:
        """Where it is now."""
        return self._async.phase

    @property
    def connected(self) -> bool:
        """Whether it is CONNECTED now."""
        return self._async.connected

    @property
    def rssi(self) -> int | None:
        """With what strength, in dBm, the tag was last heard advertising; None when that is not known."""
        return self._async.rssi

    @property
    def counters(self) -> Counters:
        """What has been received and dropped."""
        return self._async.counters

    def disconnect(self, *, timeout: float | None = None) -> None:
        """Drops the link and waits until it is down. A tag that is bound stays bound."""
        self._driver.run(self._async.disconnect(), timeout)


class Manager:
    """One connection to the bus, and everything found through it.

    Use it with `with`: it works until the block ends, without a thread of its own. Everything under it ends with
    it.

    adapter: address of the Bluetooth adapter to use; None: the first powered one.
    bus_address: D-Bus address; None: the system bus.
    state_directory: where known tags are kept; None: $XDG_STATE_HOME/jacquard, else ~/.local/state/jacquard.
    restore_id: under which name the tags that are wanted are remembered; None: they are not. See restorations().
    auto_connect: connects by itself to the tags that were wanted.
    """

    def __init__(
        self,
        *,
        adapter: str | None = None,
        bus_address: str | None = None,
        state_directory: str | os.PathLike[str] | None = None,
        restore_id: str | None = None,
        auto_connect: bool = False,
    ) -> None:
        self._driver = PollDriver()
        self._async = AsyncManager(
            adapter=adapter,
            bus_address=bus_address,
            state_directory=state_directory,
            restore_id=restore_id,
            auto_connect=auto_connect,
            driver=self._driver,
        )

    def open(self) -> None:
        """What `with` does first. For where there is no block, as at a prompt; close() it then."""
        self._async.open()

    def close(self) -> None:
        """Ends everything under this manager. Closing it again is fine."""
        self._async.close()

    def __enter__(self) -> Manager:
        self.open()
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def adapter_states(self) -> Stream[Adapter]:
        """The adapter's state: the current one, then each change."""
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
        """Tags in range, each once unless every_report is asked for. Ends after `timeout` seconds; raises what else
        ended it."""
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
        """The first tag seen; NotFoundError after `timeout` seconds."""
        return self._driver.run(
            self._async.find(
                serial=serial, timeout=timeout, minimum_rssi=minimum_rssi, wait_for_adapter=wait_for_adapter
            )
        )

    def connect(
        self,
        tag: AnyIdentifier | None = None,
        *,
        serial: str | None = None,
        owner: str | None = None,
        timeout: float | None = None,
        wait_for_adapter: bool = False,
    ) -> Connection:
        """A connection to open with `with`; it lasts until the block ends.

        tag: what find(), scan() or known() gave, or its identifier, also from an earlier run.
        serial: instead of that, the serial number to look for first.
        owner: whose tag it must be if it is bound here to anybody.
        timeout: seconds for the first connection, and for the search; None: 60, or no limit for a tag that is bound
            here; math.inf: no limit.
        """
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
        """A first connection, which checks the code, bonds and remembers the tag; open it with `with`, and wait
        for its tag(). From then on connect() is enough.

        tag: what find() or scan() gave, or its identifier; None: the one that advertises the end of the code.
        code: the number printed on the tag, or at least the last four characters of it.
        owner: None: whoever it is bound to already, or nobody in particular.
        profile: what to keep with the tag; None: what is kept already.
        timeout: seconds for all of it; None: 60; math.inf: no limit.
        """
        return Connection(
            self._driver,
            self._async.bind(
                tag, code=code, owner=owner, profile=profile, timeout=timeout, wait_for_adapter=wait_for_adapter
            ),
        )

    def known(self, *, timeout: float | None = None) -> list[KnownTag]:
        """The tags that are bound to this machine by this user."""
        return self._driver.run(self._async.known(), timeout)

    def update_known(self, tag: AnyIdentifier, profile: Mapping[str, str], *, timeout: float | None = None) -> None:
        """Replaces the profile of a known tag."""
        self._driver.run(self._async.update_known(tag, profile), timeout)

    def unbind(self, tag: AnyIdentifier, *, timeout: float | None = None) -> None:
        """Ends the connection to a tag, and forgets it here and in BlueZ."""
        self._driver.run(self._async.unbind(tag), timeout)

    def restorations(self) -> Stream[Restoration[Connection]]:
        """The tags that were wanted when the last manager of this restore id ended; it waits for more until it is
        closed or the manager is. Their connections, if there are, are open. Raises StateFileError when they cannot be
        read."""
        return Stream(self._driver, self._async.restorations())

    def connections(self) -> Stream[ConnectionState[Tag]]:
        """The states of all connections under this manager, told apart by their identifier: the current ones, then each
        change. The last one of each is DISCONNECTED."""
        return Stream(self._driver, self._async.connections())

    @property
    def scanning(self) -> bool:
        """Whether any scan of this manager goes on."""
        return self._async.scanning
