"""The rules of a file in an engine, also after the file has changed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Callable

from jacquard_apps.system.file_watch import FileWatch
from jacquard_apps.system.together import end

from . import file, toml_file
from .action import Action, Resource, Resources
from .bus import SessionBus
from .complaints import RESOURCE, Complaints
from .engine import Engine
from .file import Automations
from .occasion import Occasion
from .rules import Rule
from .screen_lock import ScreenLock

# An editor renames, removes and writes files.
SETTLED = 0.1


class FollowedFile:
    def __init__(
        self,
        path: Path,
        automations: Automations,
        complaints: Complaints,
        ran: Callable[[Rule, Action, Occasion, str], None],
        *,
        applied: Callable[[Automations], None],
        invalid: Callable[[toml_file.Invalid], None],
        is_dry: bool = False,
    ) -> None:
        """ran, is_dry: see Engine. applied: called first, and when the rules have changed. invalid: called instead if they
        cannot be used; then the previous ones stay in effect."""
        self.path = path
        self.resources = Resources(automations.settings, self._resource)
        self.engine = Engine(self.resources, complaints, ran, is_dry=is_dry, is_locked=self._is_locked)
        self.automations = automations
        # The version of the text that was read last, even if it is invalid: see toml_file.version_of.
        self.version = automations.version
        self._complaints = complaints
        self._applied = applied
        self._invalid = invalid
        self._is_dry = is_dry
        self._applying: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def following(self) -> AsyncIterator[None]:
        try:
            with FileWatch(self.path, self.read, SETTLED):
                await self._apply(self.automations)
                yield
        finally:
            await end([self._applying] if self._applying else [])
            self.engine.close()
            await self.resources.close()

    def read(self) -> None:
        before = self.version
        try:
            fresh = file.read(self.path)
        except toml_file.Invalid as error:
            self.version = error.version
            self._invalid(error)
            return
        self.version = fresh.version
        # Equal rules may be in other lines, or valid again.
        if fresh.version != before:
            self.automations = fresh
            self._applying = asyncio.ensure_future(self._apply_after(self._applying, fresh))

    async def _apply_after(self, before: asyncio.Task[None] | None, automations: Automations) -> None:
        if before is not None:
            await asyncio.wait([before])
        await self._apply(automations)

    async def _apply(self, automations: Automations) -> None:
        self.engine.use(automations.active)
        self._applied(automations)
        self.resources.settings = automations.settings
        asks: Sequence[type[Resource]] = [ScreenLock] if any(rule.locked is not None for rule in automations.active) else []
        if automations.settings.notify and not self._is_dry:
            asks = [*asks, SessionBus]
        await self.resources.use([] if self._is_dry else automations.actions, *asks)

    def _resource(self, kind: type[Resource], problem: str | None) -> None:
        if problem is None:
            self._complaints.works(RESOURCE, kind.__name__)
        else:
            self._complaints.report(RESOURCE, kind.__name__, problem, problem)

    def _is_locked(self) -> bool:
        return self.resources.of(ScreenLock).is_locked
