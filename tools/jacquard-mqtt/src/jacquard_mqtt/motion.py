"""Motion data of one tag, on request and for a limited time."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

import jacquard
from jacquard import MotionEvent, MotionSettings, Stream

from . import messages

LOG = logging.getLogger("jacquard_mqtt")
# For the first sample, and to unload the motion module.
FIRST_TIMEOUT, RELEASE_TIMEOUT = 5.0, 2.0


class Motion:
    def __init__(
        self, name: str, tag: Callable[[], jacquard.Tag | None], publish: Callable[[dict[str, Any]], None]
    ) -> None:
        """tag: returns the tag of the current link."""
        self._name = name
        self._tag = tag
        self._publish = publish
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def start(self, connection: jacquard.Connection, settings: MotionSettings, seconds: float) -> None:
        """Returns when the first sample has arrived. Raises JacquardError or asyncio.TimeoutError."""
        async with self._lock:
            await self._end()
            stream = connection.motion(settings)
            try:
                first = await asyncio.wait_for(stream.next(), FIRST_TIMEOUT)
            except BaseException:
                await self._close(connection, stream)
                raise
            self._task = asyncio.ensure_future(self._run(connection, stream, first, seconds))

    async def stop(self) -> None:
        """Returns when the tag has stopped."""
        async with self._lock:
            await self._end()

    async def _end(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    async def _run(
        self,
        connection: jacquard.Connection,
        stream: Stream[MotionEvent],
        first: MotionEvent | None,
        seconds: float,
    ) -> None:
        try:
            async with asyncio.timeout(seconds):
                if first is not None:
                    self._publish(messages.motion(first))
                async for event in stream:
                    self._publish(messages.motion(event))
        except TimeoutError:
            pass
        except jacquard.JacquardError as error:
            LOG.warning("%s: %s", self._name, error)
        finally:
            await self._close(connection, stream)

    async def _close(self, connection: jacquard.Connection, stream: Stream[MotionEvent]) -> None:
        """Stops the stream, and unloads the motion module, so that motion wakes the tag again."""
        stream.close()
        with contextlib.suppress(jacquard.JacquardError):
            await connection.stop_streams()
            tag = self._tag()
            if tag is not None:
                await tag.release_motion(timeout=RELEASE_TIMEOUT)
