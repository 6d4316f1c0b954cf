"""The manager, the entry point of the package."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from ctypes import byref, sizeof
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Union

from ._core import arguments, convert
from ._core.ask import complete, done
from ._core.calls import Reference, check, status_error
from ._core.checks import constructed, shortened
from ._core.context import Context
from ._core.driver import Driver
from ._core.log import forward, wanted_level
from ._core.process import Process
from ._core.queue import Queue
from ._native import handles, structs
from ._native.library import library
from .connection import Connection, converted_state
from .enums import Status
from .errors import ErrorDetails, InvalidArgumentError, NotFoundError
from .stream import Stream
from .tag import Tag
from .values import Adapter, Advertisement, ConnectionState, KnownTag, Restoration

if TYPE_CHECKING:
    import uuid

AnyIdentifier = Union[Advertisement, KnownTag, str, "uuid.UUID"]


@constructed
class Manager:
    """One connection to the bus, and everything found through it.

    Use it with `async with`: it runs until the block ends, without its own thread. All objects that belong to it end
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
        driver: Driver | None = None,
    ) -> None:
        self._options = structs.ManagerOptions(
            sizeof(structs.ManagerOptions),
            0,
            arguments.text(bus_address),
            arguments.text(adapter),
            arguments.text(None if state_directory is None else os.path.abspath(state_directory)),
            arguments.text(restore_id),
            auto_connect,
            exclusive,
        )
        self._driver = driver
        self._context = Context()
        self._process = Process()

    def open(self) -> None:
        """Called by `async with`. If you cannot use a block, for example at a prompt, call it yourself, and call
        close() at the end."""
        if self._context.is_open:
            raise RuntimeError("this manager is already open")
        driver = self._driver or asyncio_driver()
        handle = handles.Manager()
        check(library().jacquard_manager_new(byref(self._options), byref(handle)))
        self._context.open(driver, Reference(handle))
        self._process = Process()
        try:
            self._log = self._context.start(
                library().jacquard_manager_on_log,
                handle,
                wanted_level(),
                handlers=[forward],
                on_end=lambda: None,
            )
            driver.attach(check(library().jacquard_manager_get_fd(handle)), self._dispatcher(handle))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends everything that belongs to this manager. May be called again."""
        self._context.close()

    async def __aenter__(self) -> Manager:
        self.open()
        return self

    async def __aexit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # __init__ sets it last.
        if hasattr(self, "_process") and self._context.is_open and self._process.is_this_one:
            warnings.warn(f"{self!r} was not closed", ResourceWarning, stacklevel=2, source=self)
            self.close()

    def adapter_states(self) -> Stream[Adapter]:
        """The state of the adapter: the current one, then each change."""
        queue: Queue[Adapter] = Queue(self._context.driver)
        return Stream(
            queue,
            [
                self._context.start(
                    library().jacquard_manager_on_adapter,
                    self._context.handle,
                    handlers=[lambda adapter: queue.put(convert.adapter(adapter))],
                    on_end=queue.end,
                )
            ],
        )

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
        options = structs.ScanOptions(
            sizeof(structs.ScanOptions),
            0 if timeout is None else arguments.milliseconds("timeout", timeout, infinity=0),
            arguments.text(serial),
            arguments.number("minimum_rssi", minimum_rssi, -127, 20),
            every_report,
            wait_for_adapter,
        )
        queue: Queue[Advertisement] = Queue(self._context.driver)
        return Stream(
            queue,
            [
                self._context.start(
                    library().jacquard_manager_scan,
                    self._context.handle,
                    byref(options),
                    handlers=[
                        lambda seen: queue.put(convert.advertisement(seen)),
                        lambda result: queue.end(convert.error(result.contents.error)),
                    ],
                    on_end=queue.end,
                )
            ],
        )

    async def find(
        self,
        *,
        serial: str | None = None,
        timeout: float | None = None,
        minimum_rssi: int = 0,
        wait_for_adapter: bool = False,
    ) -> Advertisement:
        """Returns the first tag found; raises NotFoundError after `timeout` seconds."""
        async with self.scan(
            serial=serial, timeout=timeout, minimum_rssi=minimum_rssi, wait_for_adapter=wait_for_adapter
        ) as scan:
            found = await scan.next()
        if found is not None:
            return found
        if not self._context.is_open:
            raise status_error(Status.CLOSED)
        duration = f"{timeout} {'second' if timeout == 1 else 'seconds'}"
        raise NotFoundError(
            ErrorDetails(
                Status.NOT_FOUND,
                f"No tag was found in {duration}."
                if serial is None
                else f"Tag {serial} was not found in {duration}.",
                "Hold the tag's button for three seconds until its light pulses, and bring it closer.",
            )
        )

    async def connected(self) -> list[Advertisement]:
        """Returns the tags that are connected to the adapter in use, by this program or another one, without a scan."""
        return await complete(
            self._context,
            library().jacquard_manager_list_connected,
            self._context.handle,
            None,
            converted=convert.advertisements,
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
        """Returns a connection to open with `async with`; it lasts until the block ends.

        tag: a result of find(), scan() or known(), or its identifier, possibly from an earlier run.
        serial: alternatively, the serial number, as in find(), or the end of the full number of a tag that is bound here.
            `async with` waits until the tag is found.
        owner: required owner if the tag is bound here.
        timeout: seconds for the first connection, and for the search; None: 60, or no limit for a tag that is bound
            here; math.inf: no limit.
        """
        if (tag is None) == (serial is None):
            raise TypeError("pass either a tag or its serial")
        options = structs.ConnectOptions(
            sizeof(structs.ConnectOptions),
            time_limit(timeout),
            wait_for_adapter,
            0,
            arguments.text(owner),
            arguments.text(serial),
        )
        return Connection(
            self._context, library().jacquard_manager_connect, options, None if tag is None else identifier(tag)
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
        """Binds a tag: checks the code, creates a bond and stores the tag. Open the result with `async with`, and wait
        for its tag(). Afterwards connect() is enough.

        tag: a result of find() or scan(), or its identifier; None: the tag that advertises the end of the code.
        code: the number printed on the tag, or at least its last four characters.
        owner: owner to store with the tag; None: the current owner, or none.
        profile: data to store with the tag; None: keeps the stored profile.
        timeout: seconds for all of it; None: 60; math.inf: no limit.
        """
        entries = arguments.profile(profile)
        options = structs.BindOptions(
            sizeof(structs.BindOptions),
            time_limit(timeout),
            wait_for_adapter,
            0,
            arguments.text(code),
            arguments.text(owner),
            entries,
            len(entries),
        )
        return Connection(
            self._context, library().jacquard_manager_bind, options, None if tag is None else identifier(tag)
        )

    async def known(self) -> list[KnownTag]:
        """Returns the tags that this user has bound to this machine, and which programs have them."""
        return await complete(
            self._context,
            library().jacquard_manager_list_known,
            self._context.handle,
            None,
            converted=convert.known_tags,
        )

    async def update_known(self, tag: AnyIdentifier, profile: Mapping[str, str]) -> None:
        """Replaces the profile of a known tag."""
        entries = arguments.profile(profile)
        await complete(
            self._context,
            library().jacquard_manager_update_known,
            self._context.handle,
            arguments.text(identifier(tag)),
            entries,
            len(entries),
            None,
            converted=done,
        )

    async def unbind(self, tag: AnyIdentifier) -> None:
        """Ends the connection to a tag, and removes the tag here and from BlueZ."""
        await complete(
            self._context,
            library().jacquard_manager_unbind,
            self._context.handle,
            arguments.text(identifier(tag)),
            None,
            converted=done,
        )

    def restorations(self) -> Stream[Restoration[Connection]]:
        """The tags that were wanted when the last manager with this restore_id ended. Connections of these tags, if any,
        are already open. Raises StateFileError if the wanted tags cannot be read."""
        queue: Queue[Restoration[Connection]] = Queue(self._context.driver)

        def restoration(struct: Any) -> Restoration[Connection]:
            text = convert.text(struct.identifier)
            connection = None
            if struct.connection:
                reference = Reference(library().jacquard_connection_ref(struct.connection))
                connection = Connection._of(self._context, text, reference)
            return Restoration(text, convert.known_tag(struct.known) if struct.known else None, connection)

        def deliver(pointers: Any, count: int, error: Any) -> None:
            for index in range(count):
                queue.put(restoration(pointers[index].contents))
            queue.end(convert.error(error))

        return Stream(
            queue,
            [
                self._context.start(
                    library().jacquard_manager_on_restore,
                    self._context.handle,
                    handlers=[deliver],
                    on_end=queue.end,
                )
            ],
        )

    def connections(self) -> Stream[ConnectionState[Tag]]:
        """The states of all connections of this manager, distinguished by identifier: the current ones, then each
        change. The last state of each connection is DISCONNECTED."""
        context = self._context
        queue: Queue[ConnectionState[Tag]] = Queue(context.driver)
        return Stream(
            queue,
            [
                context.subscribe(
                    library().jacquard_manager_on_connection,
                    context.handle,
                    converted_state,
                    queue.put,
                    queue.end,
                )
            ],
        )

    def connection(self, tag: AnyIdentifier) -> Connection:
        """Returns this manager's connection to a tag, which is already open; raises NotFoundError if there is none. It
        lasts until close() was called for each object that represents it, or until disconnect()."""
        text = identifier(tag)
        handle = handles.Connection()
        check(library().jacquard_manager_find_connection(self._context.handle, arguments.text(text), byref(handle)))
        return Connection._of(self._context, text, Reference(handle))

    @property
    def scanning(self) -> bool:
        """Whether any scan of this manager is running."""
        return bool(check(library().jacquard_manager_is_scanning(self._context.handle)))

    def scanning_changes(self) -> Stream[bool]:
        """Whether any scan of this manager is running: the current value, then each change."""
        queue: Queue[bool] = Queue(self._context.driver)
        return Stream(
            queue,
            [
                self._context.start(
                    library().jacquard_manager_on_scanning,
                    self._context.handle,
                    handlers=[lambda scanning: queue.put(bool(scanning.contents.scanning))],
                    on_end=queue.end,
                )
            ],
        )

    def _dispatcher(self, handle: handles.Manager) -> Callable[[], None]:
        """Runs for each notification, so it avoids look-ups."""
        dispatch = library().jacquard_manager_dispatch
        exceptions, report_exceptions = self._context.exceptions, self._context.report_exceptions

        def run() -> None:
            status = dispatch(handle)
            if exceptions:
                report_exceptions()
            if status < 0:
                self.close()
                # A child of fork() that ends runs its copy of the loop once more.
                if status != Status.FORKED:
                    self._context.driver.report(status_error(status))

        return run


def asyncio_driver() -> Driver:
    """Loads asyncio only now, because jacquard.blocking does without it."""
    from ._core.asyncio_driver import AsyncioDriver

    return AsyncioDriver()


def identifier(tag: AnyIdentifier) -> str:
    if isinstance(tag, (Advertisement, KnownTag)):
        return tag.identifier
    text = str(tag)
    if [len(part) for part in text.split("-")] != [8, 4, 4, 4, 12]:
        raise InvalidArgumentError(
            ErrorDetails(
                Status.INVALID_ARGUMENT,
                f"tag is {shortened(text)}; expected a tag that was found, or its identifier, a UUID.",
                "Pass a serial number as serial, or find the tag with it.",
            )
        )
    return text


def time_limit(seconds: float | None) -> int:
    """0 means the library's default."""
    return 0 if seconds is None else arguments.milliseconds("timeout", seconds)
