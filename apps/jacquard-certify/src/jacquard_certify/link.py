"""A link that is driven by hand: the library does all steps in one go; here they are separate and can be observed."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from .answer import Interrupted
from .bus import BLUEZ, Bus
from .trace import CHARACTERISTIC, DEVICE, Trace
from .wire import COMMAND, LARGEST_FRAGMENT, NOTIFICATION, RAW, RESPONSE, Content, Packet, fragments, request

CONNECTING = 30.0
# The simulator and both SDKs wait this long for a response, on top of the delay that the tag was asked for.
RESPONDING = 8.0
LARGEST_ID = 254


class Link:
    def __init__(self, bus: Bus, device: str, trace: Trace) -> None:
        self._bus = bus
        self._device = device
        self.trace = trace
        self._id = 0
        self._losses = trace.losses
        self._capacity = 20
        self._write = "request"
        self.started = trace.clock.now()
        # The longest time until a response.
        self.slowest = 0.0

    async def open(self, needs_services: bool) -> None:
        await self._bus.call(BLUEZ, self._device, DEVICE, "Connect")
        self.started = self.trace.clock.now()
        end = self.started + CONNECTING
        while needs_services and not await self._is_ready():
            if self.trace.clock.now() > end:
                raise Interrupted("the services of the tag were not found")
            self.check()
            await self.trace.clock.sleep(0.1)

    async def _is_ready(self) -> bool:
        properties = await self._bus.properties(self._device)
        if not (properties.get("Connected") and properties.get("ServicesResolved")):
            return False
        command = self.trace.path_of(COMMAND)
        if command is None:
            await self._bus.follow(self._device, self.trace)
            return False
        characteristic = await self._bus.properties(command, CHARACTERISTIC)
        self._capacity = min(LARGEST_FRAGMENT, int(characteristic.get("MTU", 23)) - 3)
        self._write = "request" if "write" in characteristic.get("Flags", []) else "command"
        return True

    async def close(self) -> None:
        """Unsubscribes first: bluetoothd would otherwise subscribe again on the next link, for this program."""
        for channel in () if self.is_lost else (RESPONSE, NOTIFICATION, RAW):
            with contextlib.suppress(Interrupted):
                await self.notify(channel, on=False)
        with contextlib.suppress(Interrupted):
            await self._bus.call(BLUEZ, self._device, DEVICE, "Disconnect")
            await self.trace.until(lambda: self.trace.losses > self._losses, CONNECTING)

    @property
    def is_lost(self) -> bool:
        return self.trace.losses > self._losses

    def check(self) -> None:
        if self.is_lost:
            raise Interrupted("the link was lost")

    async def notify(self, channel: str, on: bool = True) -> None:
        self.check()
        path = self.trace.path_of(channel)
        if path is None:
            raise Interrupted("the services of the tag have changed")
        await self._bus.call(BLUEZ, path, CHARACTERISTIC, "StartNotify" if on else "StopNotify")

    async def notify_all(self) -> None:
        for channel in (RESPONSE, NOTIFICATION, RAW):
            await self.notify(channel)

    async def ask(self, domain: int, opcode: int, *payload: tuple[int, Content], seconds: float = RESPONDING) -> Packet:
        """The response, whatever its status."""
        from dbus_fast import Variant

        self._id = self._id % LARGEST_ID + 1
        number, start = self._id, self.trace.clock.now()
        path = self.trace.path_of(COMMAND)
        for value in fragments(request(domain, opcode, *payload, id=number), self._capacity):
            self.check()
            options = {"type": Variant("s", self._write)}
            await self._bus.call(BLUEZ, path or "/", CHARACTERISTIC, "WriteValue", "aya{sv}", [value, options])

        def response() -> Packet | None:
            received = self.trace.since(start, RESPONSE)
            return next((packet for packet in received if packet.id == number), None)

        await self.trace.until(lambda: response() or self.is_lost, seconds)
        found = response()
        if found is None:
            self.check()
            raise Interrupted(f"the tag did not respond to request {domain}, {opcode}")
        self.slowest = max(self.slowest, found.last - start)
        return found

    async def wait(self, seconds: float) -> None:
        """Waits; the loss of the link is an error."""
        await self.trace.until(lambda: self.is_lost, seconds)
        self.check()


@contextlib.asynccontextmanager
async def opened(bus: Bus, device: str, trace: Trace, needs_services: bool = True) -> AsyncIterator[Link]:
    link = Link(bus, device, trace)
    try:
        await link.open(needs_services)
        yield link
    finally:
        await link.close()

