"""The occasions of one rule, one after the other."""

from __future__ import annotations

import asyncio
import collections
import math
from typing import Any, Callable

from .occasion import Occasion
from .rules import Rule


class Worker:
    """There is no task while there are no occasions."""

    def __init__(self, perform: Callable[[Rule, Occasion], Any], rule: Rule) -> None:
        self.task: asyncio.Task[None] | None = None
        self._perform = perform
        self._rule = rule
        self._waiting: collections.deque[Occasion] = collections.deque()
        # When an occasion was one too many.
        self.dropped = -math.inf
        # The times of the last runs.
        self._times: collections.deque[float] = collections.deque(maxlen=rule.rate)

    def add(self, occasion: Occasion) -> bool:
        """Returns whether the rule may run this often."""
        times = self._times
        if len(times) == self._rule.rate and occasion.arrived - times[0] < 1:
            self.dropped = occasion.arrived
            return False
        times.append(occasion.arrived)
        self._waiting.append(occasion)
        if self.task is None:
            self.task = asyncio.ensure_future(self._work())
        return True

    async def _work(self) -> None:
        try:
            while self._waiting:
                await self._perform(self._rule, self._waiting.popleft())
        finally:
            self.task = None

    def close(self) -> None:
        self._waiting.clear()
        if self.task is not None:
            self.task.cancel()
