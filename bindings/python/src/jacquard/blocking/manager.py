"""The way in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import TracebackType

from .. import manager as core
from .._core.poll_driver import PollDriver
from ..values import Adapter, Advertisement, ConnectionState, KnownTag, Restoration
from .connection import Connection
from .stream import Stream
from .tag import Tag


class Manager:
    """One connection to the bus, and everything found through it. Use it with `with`. See jacquard.Manager."""

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
        self._manager = core.Manager(
            adapter=adapter,
            bus_address=bus_address,
            state_directory=state_directory,
            restore_id=restore_id,
            auto_connect=auto_connect,
            driver=self._driver,
        )

    def open(self) -> None:
        """What `with` does first. For where there is no block, as at a prompt; close() it then."""
        self._manager.open()

    def close(self) -> None:
        """Ends everything under this manager. Closing it again is fine."""
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
        tag: core.AnyIdentifier | None = None,
        *,
        serial: str | None = None,
        owner: str | None = None,
        timeout: float | None = None,
        wait_for_adapter: bool = False,
    ) -> Connection:
        """A connection to open with `with`. See jacquard.Manager.connect."""
        return Connection(
            self._driver,
            self._manager.connect(tag, serial=serial, owner=owner, timeout=timeout, wait_for_adapter=wait_for_adapter),
        )

    def connections(self) -> Stream[ConnectionState[Tag]]:
        """The states of all connections under this manager. See jacquard.Manager.connections."""
        return Stream(self._driver, self._manager.connections())

    @property
    def scanning(self) -> bool:
        """Whether any scan of this manager goes on."""
        return self._manager.scanning

    def bind(
        self,
        tag: core.AnyIdentifier | None = None,
        *,
        code: str,
        owner: str | None = None,
        profile: Mapping[str, str] | None = None,
        timeout: float | None = None,
        wait_for_adapter: bool = False,
    ) -> Connection:
        """A first connection, which checks the code, bonds and remembers the tag. See jacquard.Manager.bind."""
        return Connection(
            self._driver,
            self._manager.bind(
                tag, code=code, owner=owner, profile=profile, timeout=timeout, wait_for_adapter=wait_for_adapter
            ),
        )

    def known(self) -> list[KnownTag]:
        """The tags that are bound to this machine by this user."""
        return self._driver.run(self._manager.known())

    def update_known(self, tag: core.AnyIdentifier, profile: Mapping[str, str]) -> None:
        """Replaces the profile of a known tag."""
        self._driver.run(self._manager.update_known(tag, profile))

    def unbind(self, tag: core.AnyIdentifier) -> None:
        """Ends the connection to a tag, and forgets it here and in BlueZ."""
        self._driver.run(self._manager.unbind(tag))

    def restorations(self) -> Stream[Restoration[Connection]]:
        """The tags that were wanted when the last manager of this restore id ended. See
        jacquard.Manager.restorations."""
        return Stream(self._driver, self._manager.restorations())

    def __enter__(self) -> Manager:
        self.open()
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
