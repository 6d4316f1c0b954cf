"""The way in."""

from __future__ import annotations

import uuid
import warnings
from ctypes import byref, sizeof
from types import TracebackType
from typing import Any

from ._core import arguments, convert
from ._core.asyncio_driver import AsyncioDriver
from ._core.calls import Reference, check, start, status_error
from ._core.driver import Driver
from ._core.log import forward, wanted_level
from ._core.queue import Queue
from ._native import callbacks, handles, structs
from ._native.library import library
from .connection import Connection, converted_state
from .enums import Status
from .errors import ErrorDetails, NotFoundError
from .stream import Stream
from .tag import Tag
from .values import Adapter, Advertisement, ConnectionState


class Manager:
    """One connection to the bus, and everything found through it.

    Use it with `async with`: it works in the running asyncio loop, without a thread of its own, until the block ends.
    Everything under it ends with it.

    adapter: address of the Bluetooth adapter to use; None: the first powered one.
    bus_address: D-Bus address; None: the system bus.
    """

    def __init__(
        self, *, adapter: str | None = None, bus_address: str | None = None, driver: Driver | None = None
    ) -> None:
        self._options = structs.ManagerOptions(
            sizeof(structs.ManagerOptions), arguments.text(bus_address), arguments.text(adapter)
        )
        self._chosen_driver = driver
        self._reference: Reference[handles.Manager] | None = None
        self._exceptions: list[BaseException] = []

    def open(self) -> None:
        if self._reference is not None:
            raise RuntimeError("this manager is open already")
        self._driver = self._chosen_driver or AsyncioDriver()
        handle = handles.Manager()
        check(library().jacquard_manager_new(byref(self._options), byref(handle)))
        self._reference = Reference(handle)
        try:
            self._log = self._start(
                "jacquard_manager_on_log",
                handle,
                wanted_level(),
                handlers={callbacks.LogCallback: forward},
                on_end=lambda: None,
                gives=handles.Subscription,
            )
            self._driver.attach(check(library().jacquard_manager_get_fd(handle)), self._dispatch)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends everything under this manager. Closing it again is fine."""
        reference, self._reference = self._reference, None
        if reference is not None:
            self._driver.detach()
            reference.close()
            self._report_exceptions()

    async def __aenter__(self) -> Manager:
        self.open()
        return self

    async def __aexit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_reference", None) is not None:
            warnings.warn(f"{self!r} was not closed", ResourceWarning, stacklevel=2, source=self)
            self.close()

    def adapter_states(self) -> Stream[Adapter]:
        """The adapter's state: the current one, then each change."""
        queue: Queue[Adapter] = Queue(self._driver)
        return Stream(
            queue,
            [
                self._start(
                    "jacquard_manager_on_adapter",
                    self._handle,
                    handlers={callbacks.AdapterCallback: lambda adapter: queue.put(convert.adapter(adapter))},
                    on_end=queue.end,
                    gives=handles.Subscription,
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
        """Tags in range, each once unless every_report is asked for. Ends after `timeout` seconds; raises what else
        ended it."""
        options = structs.ScanOptions(
            sizeof(structs.ScanOptions),
            0 if timeout is None else arguments.milliseconds(timeout, infinity=0),
            arguments.text(serial),
            arguments.number("minimum_rssi", minimum_rssi, -127, 20),
            every_report,
            wait_for_adapter,
        )
        queue: Queue[Advertisement] = Queue(self._driver)
        return Stream(
            queue,
            [
                self._start(
                    "jacquard_manager_scan",
                    self._handle,
                    byref(options),
                    handlers={
                        callbacks.AdvertisementCallback: lambda scan, seen: queue.put(convert.advertisement(seen)),
                        callbacks.ScanEndCallback: lambda scan, reason, error: queue.end(convert.error(error)),
                    },
                    on_end=queue.end,
                    gives=handles.Scan,
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
        """The first tag seen; NotFoundError after `timeout` seconds."""
        async with self.scan(
            serial=serial, timeout=timeout, minimum_rssi=minimum_rssi, wait_for_adapter=wait_for_adapter
        ) as scan:
            found = await scan.next()
        if found is not None:
            return found
        if self._reference is None:
            raise status_error(Status.CLOSED)
        raise NotFoundError(
            ErrorDetails(
                Status.NOT_FOUND,
                f"No tag was seen in {timeout} seconds."
                if serial is None
                else f"Tag {serial} was not seen in {timeout} seconds.",
                "Wake it by moving it, and bring it closer.",
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
        """A connection to open with `async with`; it lasts until the block ends.

        tag: what find() or scan() gave, or its identifier, also from an earlier run.
        serial: instead of that, the serial number to look for first.
        timeout: seconds for the first connection, and for the search; math.inf: no limit.
        """
        if (tag is None) == (serial is None):
            raise TypeError("give either a tag or its serial")
        identifier = tag.identifier if isinstance(tag, Advertisement) else None if tag is None else str(tag)
        return Connection(self, identifier, serial, timeout, wait_for_adapter)

    def connections(self) -> Stream[ConnectionState[Tag]]:
        """The states of all connections under this manager, told apart by their identifier: the current ones, then each
        change. The last one of each is DISCONNECTED."""
        queue: Queue[ConnectionState[Tag]] = Queue(self._driver)
        return Stream(
            queue,
            [
                self._start(
                    "jacquard_manager_on_connection",
                    self._handle,
                    handlers={
                        callbacks.ConnectionCallback: lambda pointer: queue.put(converted_state(self, pointer))
                    },
                    on_end=queue.end,
                    gives=handles.Subscription,
                )
            ],
        )

    @property
    def scanning(self) -> bool:
        """Whether any scan of this manager goes on."""
        return bool(check(library().jacquard_manager_is_scanning(self._handle)))

    def _start(self, function: str, *arguments: Any, **registration: Any) -> Reference[Any]:
        return start(function, *arguments, report=self._exceptions.append, **registration)

    @property
    def _handle(self) -> handles.Manager:
        if self._reference is None:
            raise status_error(Status.CLOSED)
        return self._reference.handle

    def _dispatch(self) -> None:
        status = library().jacquard_manager_dispatch(self._handle)
        self._report_exceptions()
        if status < 0:
            self.close()
            self._driver.report(status_error(status))

    def _report_exceptions(self) -> None:
        while self._exceptions:
            self._driver.report(self._exceptions.pop(0))
