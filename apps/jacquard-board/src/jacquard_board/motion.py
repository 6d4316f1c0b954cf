"""The motion stream of a live tag, on request. It never ends a recording on the tag."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Callable

import jacquard
from jacquard import MotionActivity, MotionEvent, MotionSettings, Stream
from jacquard_apps.system.together import within
from jacquard_apps.terminal import exits, output

SETTINGS = MotionSettings(accelerometer_rate=50, gyroscope_rate=50, accelerometer_range=8, gyroscope_range=2000)
# Time limit for the first sample, and for each request when the stream ends.
FIRST_TIMEOUT, LAST_TIMEOUT = 5.0, 2.0
RECORDS = "The tag is recording motion, and the board does not stop recordings. Stop it with: jacquardctl motion stop"


class Motion:
    def __init__(
        self,
        tag: Callable[[], jacquard.Tag | None],
        take: Callable[[MotionEvent], None],
        report: Callable[[bool, str | None], None],
    ) -> None:
        """tag: returns the tag of the current link. report: called with whether it is streaming, and the error that
        ended it."""
        self._tag = tag
        self._take = take
        self._report = report
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        # Whether the tag may still stream, or has the motion module loaded, because of this stream.
        self._is_left = False

    async def start(self, connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        """Returns when the first sample has arrived."""
        async with self._lock:
            if self._task is not None and not self._task.done():
                return
            self._is_left = True
            await tag.prepare_motion()
            if (await tag.motion_status()).activity is MotionActivity.RECORDING:
                self._is_left = False
                raise exits.Failure(RECORDS)
            stream = connection.motion(SETTINGS)
            try:
                first = await within(FIRST_TIMEOUT, stream.next())
            except asyncio.TimeoutError:
                await self._close(connection, stream)
                raise exits.Failure("The tag has not sent motion data. Try again.") from None
            except BaseException:
                await self._close(connection, stream)
                raise
            self._task = asyncio.ensure_future(self._run(connection, stream, first))

    async def stop(self) -> None:
        """Returns when the tag has stopped."""
        async with self._lock:
            task, self._task = self._task, None
            if task is not None:
                task.cancel()
                await asyncio.wait({task})

    async def linked(self) -> None:
        """Completes, on a new link, requests that failed with the previous link."""
        async with self._lock:
            if self._task is None or self._task.done():
                await self._tidy()

    async def _run(
        self, connection: jacquard.Connection, stream: Stream[MotionEvent], first: MotionEvent | None
    ) -> None:
        problem = None
        self._report(True, None)
        try:
            if first is not None:
                self._take(first)
            async for event in stream:
                self._take(event)
        except jacquard.JacquardError as error:
            problem = output.explained(error)
        finally:
            self._report(False, problem)
            await self._close(connection, stream)

    async def _close(self, connection: jacquard.Connection, stream: Stream[MotionEvent]) -> None:
        stream.close()
        with contextlib.suppress(jacquard.JacquardError):
            await connection.stop_streams()
        await self._tidy()

    async def _tidy(self) -> None:
        """Unloads the motion module, so that motion wakes the tag again, unless the tag records."""
        tag = self._tag()
        if tag is None or not self._is_left:
            return
        with contextlib.suppress(jacquard.JacquardError):
            activity = (await tag.motion_status(timeout=LAST_TIMEOUT)).activity
            if activity is MotionActivity.STREAMING:
                await tag.stop_motion(timeout=LAST_TIMEOUT)
            if activity in (MotionActivity.STREAMING, MotionActivity.IDLE):
                await tag.release_motion(timeout=LAST_TIMEOUT)
            self._is_left = False
