"""Everything that bluetoothd signals about one tag, with times."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
from typing import Any, Callable

from jacquard_apps.system.together import within

from .clock import Clock
from .wire import CHANNELS, Joiner, Packet

CHARACTERISTIC, DEVICE = "org.bluez.GattCharacteristic1", "org.bluez.Device1"


@dataclasses.dataclass(frozen=True)
class LinkChange:
    """A link came up or ended. `reason` is as the kernel gave it to bluetoothd (from 5.83); "" if it did not."""

    time: float
    is_up: bool
    reason: str = ""


@dataclasses.dataclass(frozen=True)
class Change:
    """A property of the device, as signalled."""

    time: float
    name: str
    value: Any


class Trace:
    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.packets: list[Packet] = []
        # Values of the raw data channel, which are not packets during a motion stream.
        self.raw_values: list[tuple[float, bytes]] = []
        self.links: list[LinkChange] = []
        self.changes: list[Change] = []
        # The channel of each characteristic's path.
        self._channels: dict[str, str] = {}
        self._joiners: dict[str, Joiner] = {}
        self._reason = ""
        self._news = asyncio.Event()

    def add_object(self, path: str, interfaces: dict[str, dict[str, Any]]) -> None:
        uuid = str(interfaces.get(CHARACTERISTIC, {}).get("UUID", "")).lower()
        channel = CHANNELS.get(uuid[4:8])
        if channel is not None and uuid.startswith("d2f2"):
            self._channels[path] = channel

    def path_of(self, channel: str) -> str | None:
        return next((path for path, one in self._channels.items() if one == channel), None)

    def remove_object(self, path: str) -> None:
        self._channels.pop(path, None)

    def value(self, path: str, value: bytes) -> None:
        channel = self._channels.get(path)
        if channel is None:
            return
        now = self.clock.now()
        if channel == "raw":
            self.raw_values.append((now, value))
        packet = self._joiners.setdefault(path, Joiner(channel)).feed(value, now)
        if packet is not None:
            self.packets.append(packet)
        self._news.set()

    def device(self, properties: dict[str, Any]) -> None:
        now = self.clock.now()
        for name, value in properties.items():
            if name == "Connected":
                self.links.append(LinkChange(now, bool(value), "" if value else self._reason))
                self._reason = ""
                self._joiners.clear()
            self.changes.append(Change(now, name, value))
        self._news.set()

    def ended(self, reason: str) -> None:
        self._reason = reason

    @property
    def losses(self) -> int:
        """The number of links that have ended."""
        return sum(not link.is_up for link in self.links)

    def since(self, time: float, channel: str | None = None) -> list[Packet]:
        return [packet for packet in self.packets if packet.last >= time and channel in (None, packet.channel)]

    async def until(self, condition: Callable[[], Any], seconds: float) -> Any:
        """The first true value of the condition; its last one after this time."""
        end = self.clock.now() + seconds
        while not (found := condition()):
            left = end - self.clock.now()
            if left <= 0:
                break
            self._news.clear()
            with contextlib.suppress(asyncio.TimeoutError):
                await within(self.clock.real(left), self._news.wait())
        return found
