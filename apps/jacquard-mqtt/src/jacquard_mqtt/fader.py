"""The sleeve as a fader, while the setting fader.mode is not off: the tag is then in touch mode."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from typing import Any

import jacquard
from jacquard_apps.touch import fader, touching

from . import messages

LOG = logging.getLogger("jacquard_mqtt")
OFF, ABSOLUTE, RELATIVE = "off", "absolute", "relative"
# Seconds between two messages. Lamps in radio networks follow no faster.
PAUSE = 0.2


def failed(error: jacquard.JacquardError) -> None:
    LOG.warning("the fader cannot be used: %s Next attempt in %.0f s.", error, touching.RETRY)


class Fader:
    """Reads touches while it has a connection, and publishes the value and the steps, always for the last position."""

    def __init__(self, publish: Callable[[dict[str, Any]], None]) -> None:
        self.mode = OFF
        self._publish = publish
        self._connection: jacquard.Connection | None = None
        self._reading: asyncio.Task[None] | None = None
        self._fader = fader.Fader()
        # The value that was published last.
        self._percent = 0
        self._travel = 0
        self._next = -math.inf
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_on(self) -> bool:
        """Whether the tag must stay in touch mode."""
        return self.mode != OFF

    async def use(self, mode: str) -> None:
        """Applies the setting."""
        if mode == self.mode:
            return
        await self._stop()
        self.mode, self._fader = mode, fader.Fader(relative=mode == RELATIVE)
        self._percent = self._travel = 0
        self._start()

    def connected(self, connection: jacquard.Connection) -> None:
        self._connection = connection
        self._start()

    async def disconnected(self) -> None:
        """Called before the connection ends, so that the tag can return to gestures."""
        await self._stop()
        self._connection = None

    def _start(self) -> None:
        if self._connection is not None and self.is_on:
            reading = touching.keep_reading(self._connection, failed, touching.Points(self.take))
            self._reading = asyncio.ensure_future(reading)

    async def _stop(self) -> None:
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
        if self._timer is not None:
            self._timer.cancel()
            self._send()

    def take(self, points: Sequence[jacquard.TouchPoint]) -> None:
        for point in points:
            self._fader.take(point)
        if self._timer is None and self._has_changed():
            loop = asyncio.get_running_loop()
            if loop.time() >= self._next:
                self._send()
            else:
                self._timer = loop.call_at(self._next, self._send)

    def _send(self) -> None:
        self._timer = None
        if not self._has_changed():
            return
        percent, travel = self._values()
        # A relative fader steps beyond its ends: the lamp that it dims may have another value.
        step = travel - self._travel if self.mode == RELATIVE else percent - self._percent
        self._percent, self._travel = percent, travel
        self._next = asyncio.get_running_loop().time() + PAUSE
        self._publish(messages.fader(percent, step))

    def _values(self) -> tuple[int, int]:
        return round(100 * self._fader.value), round(100 * self._fader.travel)

    def _has_changed(self) -> bool:
        percent, travel = self._values()
        return travel != self._travel if self.mode == RELATIVE else percent != self._percent
