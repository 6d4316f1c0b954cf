"""The tag as experiments see it: with the library, or by hand."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Coroutine
from typing import Any, Callable, TypeVar

import jacquard
from jacquard_apps.system.together import end, within

from . import wire
from .answer import Answers, Gone, Interrupted, Unsafe
from .bus import Bus
from .clock import Clock
from .link import Link, opened
from .trace import Trace
from .undo import Promises

CONNECTING = 60.0
# The age of a new link. Tags may end links after 45 s, and the longest step on one may take 30 s.
NEW = 15.0
LOWEST_BATTERY = 20
# The simulator's BlueZ takes 2 s to end a link, as a real one does.
ENDING = 10.0
# A person waits: a tag is not expected to come back after this time. A part of it does not depend on the speed of the
# clock.
ABSENT, ABSENT_ANYWAY = 80.0, 40.0
GONE = "the link was lost, and did not come back within two minutes"
# Seconds between two calls to bluetoothd that show whether it responds, and the longest time without a response.
WATCHING, STOOD_STILL = 0.1, 0.25
# While a long time is measured, this part of it is the limit instead.
STEADY = 0.1
SUBSCRIBED, BEGUN, CONFIGURED = "subscribed", "begun", "configured"
# Fields of the responses to hello and to configuration.
HELLO = 100
RECORDED: tuple[Any, ...] = (
    *(jacquard.Battery, jacquard.Gear, jacquard.Gesture, jacquard.Name, jacquard.Notification, jacquard.Touch),
)

Result = TypeVar("Result")


class World:
    def __init__(self, manager: jacquard.Manager, bus: Bus, identifier: str, clock: Clock, promises: Promises) -> None:
        self.manager = manager
        self.bus = bus
        self.identifier = identifier
        self.clock = clock
        self.promises = promises
        self.trace = Trace(clock)
        self.answers: Answers = {}
        self.info: jacquard.TagInfo | None = None
        self.battery: jacquard.Battery | None = None
        # Whether the tag was bonded before this program did anything.
        self.was_bonded = False
        self.first_address = self.address_type = ""
        self.start = clock.now()
        # Seconds on the clock of this machine.
        self.stood_still = 0.0
        # Addresses of adapters and former names of the tag, which must not be in the file.
        self.adapters: list[str] = []
        self.names: list[str] = []
        # Called with each event of the tag.
        self.record: Callable[[Any], None] = lambda event: None
        self.device = ""
        self.is_gone = self._has_link = False
        self._linked = 0.0
        self._connection: jacquard.Connection | None = None

    async def locate(self, address: str) -> None:
        """Finds bluetoothd's object of the tag, and follows it."""
        path = await self.bus.device_path(address)
        if path is None:
            raise Interrupted("bluetoothd no longer knows the tag")
        if path != self.device:
            self.bus.forget(self.device)
            self.device = path
            await self.bus.follow(path, self.trace)

    async def connection(self) -> jacquard.Connection:
        if self._connection is None:
            self._connection = self.manager.connect(self.identifier, timeout=CONNECTING)
            await self._connection.open()
            for kind in RECORDED:
                self._connection.on(kind, self.record)
            self._states = asyncio.ensure_future(self._record_states(self._connection))
        return self._connection

    async def _record_states(self, connection: jacquard.Connection) -> None:
        async with connection.states() as states:
            async for state in states:
                self.record(state)
                self._has_link = state.phase is jacquard.Phase.CONNECTED
                self._linked = self.clock.now()

    async def tag(self) -> jacquard.Tag:
        """The connected tag; after a lost link a new one."""
        connection = await self.connection()
        try:
            tag = await within(CONNECTING, connection.tag())
        except asyncio.TimeoutError:
            raise Interrupted("the tag could not be connected again") from None
        self.info = tag.info
        await self.locate(tag.info.address)
        return tag

    async def settle(self) -> None:
        """Waits until the trace has everything that was signalled before: bluetoothd's reply comes after it."""
        await self.bus.properties(self.device)

    async def watch(self) -> None:
        """Notes in `stood_still` for how long bluetoothd, or this computer, did nothing, until it is cancelled."""
        while True:
            start = time.monotonic()
            with contextlib.suppress(Interrupted):
                await self.settle()
            self.stood_still = max(self.stood_still, time.monotonic() - start)
            start = time.monotonic()
            await asyncio.sleep(WATCHING)
            self.stood_still = max(self.stood_still, time.monotonic() - start - WATCHING)

    def check_steady(self, seconds: float = 0.0) -> None:
        """Raises Interrupted if something stood still for too long since the measurement of this time began."""
        if self.stood_still > max(STOOD_STILL, self.clock.real(STEADY * seconds)):
            raise Interrupted(f"bluetoothd or this computer stood still for {self.stood_still:.1f} s")

    async def while_present(self, work: Coroutine[Any, Any, Result]) -> Result:
        """The result of the work. A tag that stays away ends the work, whatever it waits for."""
        if self.is_gone:
            work.close()
            raise Gone(GONE)
        working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(self._absence())
        try:
            await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
            if working.done():
                return working.result()
            leaving.result()
            self.is_gone = True
            raise Gone(GONE)
        finally:
            await end([working, leaving])

    async def _absence(self) -> None:
        """Waits until there was no link for two minutes."""
        since = time.monotonic()
        while time.monotonic() - since < self.clock.real(ABSENT) + ABSENT_ANYWAY:
            with contextlib.suppress(Interrupted):
                # The library may have a link of another path: the address of the tag may change.
                if self._has_link or (await self.bus.properties(self.device)).get("Connected"):
                    since = time.monotonic()
            await self.clock.sleep(1)

    async def component(self) -> jacquard.Component | None:
        """The gear, if there is some."""
        return next((one for one in (await self.tag()).components if one.info.id != 0), None)

    async def close(self) -> None:
        """Ends the library's link."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.disconnect()
            connection.close()
            await self._states

    async def renew(self) -> None:
        """Ends a link that is not new: some tags end links after a while, and the next steps should be on one."""
        if self._has_link and self.clock.now() - self._linked > NEW:
            await self.close()

    @contextlib.asynccontextmanager
    async def by_hand(self, needs_services: bool = True) -> AsyncIterator[Link]:
        """A link that is driven by hand."""
        await self.close()
        await self._wait_for_end()
        async with opened(self.bus, self.device, self.trace, needs_services) as link:
            yield link

    async def _wait_for_end(self) -> None:
        end = self.clock.now() + ENDING
        while (await self.bus.properties(self.device)).get("Connected"):
            if self.clock.now() > end:
                raise Unsafe("another program uses the tag")
            await self.clock.sleep(0.1)

    async def check_battery(self) -> None:
        self.battery = await (await self.tag()).battery()
        if self.battery.percent < LOWEST_BATTERY and not self.battery.charging:
            raise Unsafe(f"the battery is at {self.battery.percent} %, below {LOWEST_BATTERY} %")

    async def configuration(self) -> bytes:
        """The tag's three blocks of configuration, as it sent them."""
        wanted = (wire.CONFIGURATION_READ, wire.encoded((1, 1), (2, 1), (3, 1)))
        response = await (await self.tag()).send_request(wire.request(0, 10, wanted))
        content = wire.within(response, wire.CONFIGURATION)
        if wire.within(response, 2) != 0 or not isinstance(content, bytes):
            raise Unsafe("the tag's configuration cannot be read")
        return content

    @property
    def ordinary_greeting(self) -> str | None:
        """When the tag greeted on the last link that the library has set up; None: that cannot be told."""
        links = [link.time for link in self.trace.links if not link.is_up]
        for start in [*reversed(links), self.start]:
            packets = self.trace.since(start)
            hello = next((one for one in packets if one.field(HELLO) is not None and one.channel == wire.RESPONSE), None)
            done = next((one for one in packets if one.field(wire.CONFIGURATION) is not None), None)
            greeted = next((one for one in packets if is_greeting(one)), None)
            if hello and done and greeted and hello.last < done.last:
                early = SUBSCRIBED if packets.index(greeted) < packets.index(hello) else BEGUN
                return early if packets.index(greeted) < packets.index(done) else CONFIGURED
        return None


def is_greeting(packet: wire.Packet) -> bool:
    return packet.channel == wire.NOTIFICATION and (
        packet.field(wire.BATTERY) is not None or packet.field(wire.GEAR) is not None
    )
