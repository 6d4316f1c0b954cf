"""Runs commands for gestures."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Iterable
from types import TracebackType

import jacquard

from . import gestures, output
from .target import Target

# Limits the load from many gestures or commands that do not end.
MOST = 16


class Reactions:
    """Runs a shell command for each gesture with its name or number. Commands do not wait for each other, and find the
    gesture in $JACQUARD_GESTURE and $JACQUARD_GESTURE_NUMBER, the tag in $JACQUARD_TAG (its identifier) and
    $JACQUARD_SERIAL. Commands that still run at the end of the `async with` block are terminated."""

    def __init__(self, commands: Iterable[tuple[str, str]], tag: Target) -> None:
        self._commands = list(commands)
        self._tag = tag
        self._tasks: set[asyncio.Task[None]] = set()
        self._running: set[Process] = set()

    def to(self, gesture: jacquard.Gesture) -> None:
        for word, command in self._commands:
            if gestures.answers(gesture, word):
                self._start(command, gesture)

    def _start(self, command: str, gesture: jacquard.Gesture) -> None:
        if len(self._tasks) >= MOST:
            output.complain(f"‘{command}’ was not started: {MOST} commands are still running")
            return
        task = asyncio.ensure_future(self._run(command, gesture))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, command: str, gesture: jacquard.Gesture) -> None:
        environment = {
            **os.environ,
            "JACQUARD_GESTURE": gesture.name,
            "JACQUARD_GESTURE_NUMBER": f"{gesture.number:d}",
            "JACQUARD_TAG": self._tag.identifier,
            "JACQUARD_SERIAL": self._tag.serial,
        }
        try:
            # Standard output may be read as JSON. A separate session, so that the command's children can be terminated
            # with it.
            process = await asyncio.create_subprocess_shell(
                command, env=environment, stdin=DEVNULL, stdout=sys.stderr, start_new_session=True
            )
        except OSError as error:
            output.complain(f"‘{command}’ cannot be started: {error.strerror}")
            return
        self._running.add(process)
        status = await process.wait()
        self._running.discard(process)
        if status != 0:
            output.complain(f"‘{command}’ ended with status {status}")

    async def __aenter__(self) -> Reactions:
        return self

    async def __aexit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
