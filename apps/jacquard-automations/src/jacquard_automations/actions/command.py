"""Runs a command. It finds the event in its environment, and as JSON on standard input."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import shutil
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import Hashable
from typing import Any

from jacquard_apps.system.together import within

from ..action import Action, ActionError, Resource, Run, TooLate, written
from ..table import Table

ARGUMENTS, SHELL = "run", "shell"
KEYS = (ARGUMENTS, SHELL)
TIME_LIMIT = 60.0
LONGEST = 86400
# Seconds between SIGTERM and SIGKILL.
GRACE = 2.0


class Commands(Resource):
    """The running commands, and the limit of their number. A rule without a running command never waits for others."""

    def __init__(self, resources: Any) -> None:
        super().__init__(resources)
        # The tasks of running commands, with their rules.
        self._tasks: dict[asyncio.Task[None], Hashable] = {}
        # Set when a command has ended.
        self._ended = asyncio.Event()

    async def start(self, command: Command, run: Run) -> None:
        """Is called by one task at a time for each rule. Raises TooLate rather than wait until the event is too old."""
        while len(self._tasks) >= self._resources.settings.parallel and run.owner in self._tasks.values():
            self._ended.clear()
            try:
                await within(min(max(run.left(), 0), LONGEST), self._ended.wait())
            except asyncio.TimeoutError:
                raise TooLate from None
        task = asyncio.ensure_future(self._run(command, run, started := asyncio.get_running_loop().create_future()))
        self._tasks[task] = run.owner
        task.add_done_callback(self._remove)
        await started

    def _remove(self, task: asyncio.Task[None]) -> None:
        del self._tasks[task]
        self._ended.set()

    async def _run(self, command: Command, run: Run, started: asyncio.Future[None]) -> None:
        try:
            process = await begun(command, run)
        except ActionError as error:
            if not started.done():
                started.set_exception(error)
            return
        if not started.done():
            started.set_result(None)
        try:
            await within(command.time_limit or None, process.wait())
            run.ended(None if process.returncode == 0 else f"ended with status {process.returncode}")
        except asyncio.TimeoutError:
            run.ended(f"was ended after {command.time_limit:g} seconds")
        finally:
            await end(process)

    async def finished(self) -> None:
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await self.finished()


@dataclasses.dataclass(frozen=True)
class Command(Action):
    # One word is for the shell.
    words: tuple[str, ...]
    is_shell: bool = False
    # In seconds; 0: no limit.
    time_limit: float = TIME_LIMIT
    # Whether the event is its standard input.
    has_input: bool = True

    needs = (Commands,)
    ends_later = may_run_commands = True

    def problem(self) -> str | None:
        if self.is_shell or shutil.which(self.words[0]):
            return None
        return f"the program {self.words[0]} was not found, or cannot be executed"

    async def act(self, run: Run) -> str:
        await run.resources.of(Commands).start(self, run)
        return ""

    def __str__(self) -> str:
        limit = None if self.time_limit == TIME_LIMIT else self.time_limit
        return written(SHELL, self.words[0], time_limit=limit) if self.is_shell else written(ARGUMENTS, self.words, time_limit=limit)


async def begun(command: Command, run: Run) -> Process:
    described: dict[str, Any] = {"rule": run.rule, **run.occasion.described()}
    variables = {
        f"JACQUARD_{name.upper()}": value if isinstance(value, str) else json.dumps(value) for name, value in described.items()
    }
    environment = {**os.environ, **variables}
    words = ("/bin/sh", "-c", *command.words) if command.is_shell else command.words
    # Unlike a pipe, a file need not be read.
    with open(os.memfd_create("event"), "w+b", buffering=0) as file:
        if command.has_input:
            file.write(json.dumps(described).encode() + b"\n")
        file.seek(0)
        try:
            # Standard output may be read as JSON. A separate session, so that its children can be ended with it.
            return await asyncio.create_subprocess_exec(
                *words, env=environment, stdin=file, stdout=sys.stderr, start_new_session=True
            )
        except (OSError, ValueError) as error:
            reason = command.problem() or f"cannot be started: {getattr(error, 'strerror', None) or error}"
            raise ActionError(reason) from None


async def end(process: Process) -> None:
    if process.returncode is not None:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        try:
            await within(GRACE, process.wait())
            return
        except asyncio.TimeoutError:
            pass


def read(table: Table, key: str) -> Action:
    is_shell = key == SHELL
    if not is_shell and isinstance(table.value(key), str):
        raise table.problem('expected a list of words, as in ["notify-send", "Hello"]; or use shell = "…"', key)
    words = ((table.text(key) or ""),) if is_shell else table.texts(key)
    limit = table.number("time_limit", TIME_LIMIT, 0, LONGEST)
    return Command(words, is_shell, TIME_LIMIT if limit is None else float(limit))
