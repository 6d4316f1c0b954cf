"""Commands that gestures start."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterable

import jacquard


class Reactions:
    """Runs a shell command for each gesture of its name ("brush-in") or number. Commands do not wait for each other;
    they find the gesture in $JACQUARD_GESTURE."""

    def __init__(self, commands: Iterable[tuple[str, str]]) -> None:
        self._commands = [(gesture.replace("-", " "), command) for gesture, command in commands]
        self._running: set[asyncio.Task[None]] = set()

    def to(self, gesture: jacquard.Gesture) -> None:
        for wanted, command in self._commands:
            if wanted in (gesture.name, str(gesture.number)):
                task = asyncio.ensure_future(self._run(command, gesture))
                self._running.add(task)
                task.add_done_callback(self._running.discard)

    async def _run(self, command: str, gesture: jacquard.Gesture) -> None:
        environment = {**os.environ, "JACQUARD_GESTURE": gesture.name or str(gesture.number)}
        # Our own output may be read as JSON.
        process = await asyncio.create_subprocess_shell(command, env=environment, stdout=sys.stderr)
        status = await process.wait()
        if status != 0:
            print(f"jacquardctl: ‘{command}’ ended with status {status}", file=sys.stderr)
