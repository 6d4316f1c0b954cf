"""Motion data of one tag, on request and for a limited time; and its motion module."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from typing import Any

import jacquard
from jacquard import MotionActivity, MotionEvent, MotionSettings, Stream

from . import messages
from .errors import RequestError

LOG = logging.getLogger("jacquard_mqtt")
# Seconds for the first sample, and to unload the motion module.
FIRST_TIMEOUT, RELEASE_TIMEOUT = 5.0, 2.0


class MotionModule:
    """The motion module of a tag, which is loaded while requests and streams use it: it drains the battery."""

    def __init__(self, tag: Callable[[], jacquard.Tag | None]) -> None:
        """tag: returns the tag of the current link."""
        self._tag = tag
        self._users = 0

    @contextlib.asynccontextmanager
    async def used(self, tag: jacquard.Tag) -> AsyncIterator[None]:
        """Loads the module. After the last use it is unloaded, so that motion wakes the tag again, unless the tag
        records."""
        self._users += 1
        try:
            await tag.prepare_motion()
            yield
        finally:
            self._users -= 1
            current = self._tag()
            if self._users == 0 and current is not None:
                with contextlib.suppress(jacquard.JacquardError):
                    await current.release_motion(timeout=RELEASE_TIMEOUT)


class Motion:
    def __init__(self, name: str, module: MotionModule, publish: Callable[[dict[str, Any]], None]) -> None:
        self._name = name
        self._module = module
        self._publish = publish
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def start(
        self, connection: jacquard.Connection, tag: jacquard.Tag, settings: MotionSettings, seconds: float
    ) -> None:
        """Returns when the first sample has arrived. Raises JacquardError, RequestError or asyncio.TimeoutError."""
        async with self._lock:
            await self._end()
            async with contextlib.AsyncExitStack() as stack:
                await stack.enter_async_context(self._module.used(tag))
                if (await tag.motion_status()).activity is MotionActivity.RECORDING:
                    raise RequestError("capture_in_progress", "The tag is recording motion.", "Stop the recording first.")
                stream = connection.motion(settings)
                stack.push_async_callback(self._close, connection, stream)
                async with asyncio.timeout(FIRST_TIMEOUT):
                    first = await stream.next()
                self._task = asyncio.ensure_future(self._run(stack.pop_all(), stream, first, seconds))

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
        resources: contextlib.AsyncExitStack,
        stream: Stream[MotionEvent],
        first: MotionEvent | None,
        seconds: float,
    ) -> None:
        async with resources:
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

    async def _close(self, connection: jacquard.Connection, stream: Stream[MotionEvent]) -> None:
        """Stops the stream on the tag."""
        stream.close()
        with contextlib.suppress(jacquard.JacquardError):
            await connection.stop_streams()
