"""Runs the rules of a file until it is cancelled, and reads the file again when it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable

import jacquard

from ..together import end
from . import file
from .action import Action, Resource, Resources
from .complaints import Complaints
from .engine import Engine
from .file import Automations
from .file_watch import FileWatch
from .occasion import Occasion
from .rules import Rule
from .screen_lock import ScreenLock
from .tags import Tags, state_file

# An editor renames, removes and writes files.
SETTLED = 0.1


class Program:
    def __init__(
        self,
        path: Path,
        automations: Automations,
        say: Callable[[str], None],
        complain: Callable[[str], None],
        ran: Callable[[Rule, Action, Occasion, str], None],
        is_dry: bool = False,
    ) -> None:
        self._path = path
        self._automations = automations
        self._say = say
        self._complain = complain
        self._is_dry = is_dry
        self._complaints = Complaints(complain)
        self._resources = Resources(automations.settings, self._resource)
        self.engine = Engine(self._resources, self._complaints, ran, is_dry=is_dry, is_locked=self._is_locked)
        self._reload: asyncio.TimerHandle | None = None
        self._applying: asyncio.Task[None] | None = None

    async def run(self, manager: jacquard.Manager, once: bool = False) -> None:
        """once: ends when a rule has run and its commands have ended."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        self.engine.on_run = lambda: ended.set_result(None) if once and not ended.done() else None
        self._tags = tags = Tags(manager, self.engine, self._resources, self._complaints)
        tasks: list[asyncio.Task[Any]] = []
        try:
            with FileWatch(self._path, self._changed), FileWatch(state_file(), tags.changed.set):
                await self._apply(self._automations)
                tasks = [asyncio.ensure_future(tags.run()), asyncio.ensure_future(tags.follow_adapter())]
                await asyncio.wait([ended, *tasks], return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    if task.done():
                        task.result()
                await self.engine.finished()
                # No further rule may run while the commands end.
                await end(tasks)
                await self._resources.finished()
        finally:
            if self._reload is not None:
                self._reload.cancel()
            await end([*tasks, *([self._applying] if self._applying else [])])
            self.engine.close()
            await self._resources.close()

    def _changed(self) -> None:
        if self._reload is not None:
            self._reload.cancel()
        self._reload = asyncio.get_running_loop().call_later(SETTLED, self._read_again)

    def _read_again(self) -> None:
        try:
            fresh = file.read(self._path)
        except file.Invalid as error:
            self._complain(f"{error}\n{self._path}: the previous rules stay in effect")
            return
        if fresh != self._automations:
            before, self._automations = self._applying, fresh
            self._applying = asyncio.ensure_future(self._apply_after(before, fresh))

    async def _apply_after(self, before: asyncio.Task[None] | None, automations: Automations) -> None:
        if before is not None:
            await asyncio.wait([before])
        await self._apply(automations)

    async def _apply(self, automations: Automations) -> None:
        self.report(automations)
        self.engine.use(automations.rules)
        self._tags.changed.set()
        self._resources.settings = automations.settings
        if not self._is_dry:
            asks: Sequence[type[Resource]] = [ScreenLock] if any(rule.locked is not None for rule in automations.rules) else []
            await self._resources.use(automations.actions, *asks)

    def report(self, automations: Automations) -> None:
        count = len(automations.rules)
        self._say(f"{self._path}: {count} {'rule' if count == 1 else 'rules'}")
        for problem in automations.missing():
            self._complain(f"{self._path}:{problem.line}: {problem}")

    def _resource(self, kind: type[Resource], problem: str | None) -> None:
        if problem is None:
            self._complaints.works("resource", kind.__name__)
        else:
            self._complaints.report("resource", kind.__name__, problem)

    def _is_locked(self) -> bool:
        return self._resources.of(ScreenLock).is_locked


