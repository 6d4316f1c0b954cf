"""Connections to the session bus and to the system bus, for actions. Only this module and its users need dbus-fast."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Collection, Sequence
from typing import Any, Callable

from jacquard_apps.system.together import within

from .action import Action, ActionError, Library, Resource

LIBRARY = Library("dbus_fast", "python3-dbus-fast")
# Programs that are stopped, or overloaded, do not reply.
REPLY_TIMEOUT = 1.0
DAEMON = "org.freedesktop.DBus"


class Bus(Resource):
    """Connects when it is used, and again after the bus was restarted."""

    kind = "SESSION"

    _bus: Any = None
    _end: asyncio.Future[None] | None = None

    def __init__(self, resources: Any) -> None:
        super().__init__(resources)
        self._connecting = asyncio.Lock()

    async def use(self, actions: Collection[Action]) -> None:
        if not LIBRARY.is_missing:
            await self.connected()

    async def check(self) -> None:
        await self.connected()

    async def connected(self) -> Any:
        """The connection; a new one if the last one has ended."""
        if LIBRARY.is_missing:
            raise ActionError(str(LIBRARY))
        from dbus_fast import BusType
        from dbus_fast.aio.message_bus import MessageBus

        async with self._connecting:
            if not self.is_connected:
                try:
                    bus: Any = MessageBus(bus_type=BusType[self.kind])
                    await within(REPLY_TIMEOUT, bus.connect())
                except Exception as error:
                    raise ActionError(f"the {self.kind.lower()} bus cannot be used: {error}") from None
                self._bus = bus
                # Otherwise asyncio logs why the connection has ended, which the next call reports.
                end = self._end = asyncio.ensure_future(bus.wait_for_disconnect())
                end.add_done_callback(lambda end: end.cancelled() or end.exception())
        return self._bus

    @property
    def is_connected(self) -> bool:
        return self._bus is not None and bool(self._bus.connected)

    async def call(
        self,
        destination: str,
        path: str,
        interface: str,
        member: str,
        signature: str = "",
        body: Sequence[Any] = (),
        timeout: float = REPLY_TIMEOUT,
    ) -> list[Any]:
        """Returns the values of the reply."""
        from dbus_fast import Message, MessageType

        bus = await self.connected()
        message = Message(
            destination=destination,
            path=path,
            interface=interface,
            member=member,
            signature=signature,
            body=list(body),
        )
        try:
            reply = await within(timeout, bus.call(message))
        except asyncio.TimeoutError:
            raise ActionError(f"{destination} does not reply") from None
        except (OSError, EOFError) as error:
            raise ActionError(f"the connection to the bus was lost: {error}") from None
        if reply is None or reply.message_type is MessageType.ERROR:
            text = reply.body[0] if reply is not None and reply.body else member
            raise ActionError(f"{destination}: {text}")
        return list(reply.body)

    async def listen(self, rule: str, handler: Callable[[Any], None]) -> None:
        """Calls the handler with each message, also with those that other rules match."""
        bus = await self.connected()
        bus.add_message_handler(handler)
        await self.call(DAEMON, "/org/freedesktop/DBus", DAEMON, "AddMatch", "s", [rule])

    async def close(self) -> None:
        if self._bus is not None:
            with contextlib.suppress(Exception):
                self._bus.disconnect()


class SessionBus(Bus):
    pass


class SystemBus(Bus):
    kind = "SYSTEM"
