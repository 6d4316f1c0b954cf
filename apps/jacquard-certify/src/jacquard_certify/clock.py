"""The clock of the experiments, which runs faster in tests."""

from __future__ import annotations

import asyncio
import time


class Clock:
    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale

    def now(self) -> float:
        """Seconds since an arbitrary start."""
        return time.monotonic() * self.scale

    def real(self, seconds: float) -> float:
        """How long this takes on the clock of this machine."""
        return seconds / self.scale

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(self.real(seconds))
