"""The browsers that show the page. A slow one does not delay others, and memory stays bounded: its messages are dropped
and counted, and when it reads again it receives a snapshot instead."""

from __future__ import annotations

import asyncio
import collections
import json
from collections.abc import Awaitable
from typing import Any, Callable

from jacquard_apps.terminal import output

# About two seconds of touch data.
MOST_WAITING = 64


class Outbox:
    """The queue of one browser."""

    def __init__(self, snapshot: Callable[[int], str]) -> None:
        """snapshot: returns everything as a message, with the number of messages that it replaces."""
        self._snapshot = snapshot
        self._waiting: collections.deque[str] = collections.deque()
        self._replies: collections.deque[str] = collections.deque(maxlen=MOST_WAITING)
        self._overflowed = 0
        self._has_something = asyncio.Event()
        self.dropped = 0

    def put(self, message: str) -> None:
        if self._overflowed or len(self._waiting) >= MOST_WAITING:
            lost = len(self._waiting) + 1
            self._waiting.clear()
            self._overflowed += lost
            self.dropped += lost
        else:
            self._waiting.append(message)
        self._has_something.set()

    def reply(self, message: str) -> None:
        self._replies.append(message)
        self._has_something.set()

    async def get(self) -> str:
        while True:
            if self._replies:
                return self._replies.popleft()
            if self._overflowed:
                replaced, self._overflowed = self._overflowed, 0
                return self._snapshot(replaced)
            if self._waiting:
                return self._waiting.popleft()
            self._has_something.clear()
            await self._has_something.wait()

    async def send_all(self, send: Callable[[str], Awaitable[Any]]) -> None:
        """Sends until cancelled. `send` waits while the browser does not read."""
        while True:
            await send(await self.get())


def message(type: str, **members: Any) -> str:
    return json.dumps({"type": type, **shown(members)}, separators=(",", ":"))


def shown(value: Any) -> Any:
    """Text from tags, other programs and files, without characters that are invisible or change the direction of
    text."""
    if isinstance(value, str):
        return output.printable(value)
    if isinstance(value, dict):
        return {name: shown(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [shown(one) for one in value]
    return value
