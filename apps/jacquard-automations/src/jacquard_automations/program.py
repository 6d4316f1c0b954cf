"""Runs the rules of a file with the tags that they select, until it is cancelled."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Callable

import jacquard
from jacquard_apps.system.file_watch import FileWatch, state_file
from jacquard_apps.system.together import end

from .action import Action
from .complaints import MISSING, Complaints
from .file import Automations
from .followed_file import SETTLED, FollowedFile
from .occasion import Occasion, TagIdentity
from .outcomes import Outcome
from .rules import Rule
from .status import place, snapshot
from .status.notices import Notices
from .tags import Tags
from .toml_file import Invalid
from .touches import TaughtGestures
from .trained.file import default_path as gestures_file


class Program:
    def __init__(
        self,
        path: Path,
        automations: Automations,
        say: Callable[[str], None],
        complain: Callable[[str], None],
        ran: Callable[[Rule, Action, Occasion, str], None],
        link_changed: Callable[[TagIdentity, str], None],
        *,
        noted: Callable[[Rule, Outcome], None] = lambda rule, outcome: None,
        is_dry: bool = False,
    ) -> None:
        """noted: see Outcomes."""
        self._path = path
        self._is_dry = is_dry
        # The problems of a changed file that is not in effect.
        self._problems: list[str] = []
        self._say = say
        self._complain = complain
        self._link_changed = link_changed
        self._show_outcome = noted
        self._complaints = Complaints(complain)
        self._file = FollowedFile(
            path, automations, self._complaints, ran, applied=self._applied, invalid=self._invalid, is_dry=is_dry
        )
        self._notices = Notices(self._file.resources, self._complaints)
        self._file.engine.outcomes.noted = self._noted

    async def run(self, manager: jacquard.Manager, once: bool = False) -> None:
        """once: ends when a rule has run and its commands have ended."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[None] = loop.create_future()
        engine = self._file.engine

        def has_run(occasion: Occasion) -> None:
            if once and not ended.done():
                engine.stop(after=occasion.arrived)
                ended.set_result(None)

        engine.on_run = has_run
        taught = TaughtGestures(self._complaints)
        self._tags = tags = Tags(
            manager, engine, self._complaints, taught, self._report_link, self._notices.battery_changed
        )
        with FileWatch(state_file(), tags.changed.set), FileWatch(gestures_file(), taught.read, SETTLED):
            async with self._file.following(), place.published(self.status):
                tasks: list[asyncio.Task[Any]] = [asyncio.ensure_future(tags.run()), asyncio.ensure_future(tags.follow_adapter())]
                try:
                    await asyncio.wait([ended, *tasks], return_when=asyncio.FIRST_COMPLETED)
                    for task in tasks:
                        if task.done():
                            task.result()
                    await engine.finished()
                finally:
                    # The end of the links below is not an event. Commands that are running are still reported.
                    engine.stop()
                    await end(tasks)
                    await self._notices.close()
                # No further rule may run while the commands end.
                await self._file.resources.finished()

    def _noted(self, rule: Rule, outcome: Outcome) -> None:
        self._show_outcome(rule, outcome)
        self._notices.noted(rule, outcome)

    def _report_link(self, tag: TagIdentity, state: str) -> None:
        self._link_changed(tag, state)
        self._notices.link_changed(tag, state)

    async def status(self) -> dict[str, Any]:
        return await snapshot.running(self._file, self._tags, self._problems, self._is_dry)

    def _applied(self, automations: Automations) -> None:
        self._problems = []
        count = len(automations.rules)
        self._say(f"{self._path}: {count} {'rule' if count == 1 else 'rules'}")
        self._complaints.forget(MISSING)
        for problem in automations.missing():
            self._complaints.report(MISSING, problem.text, f"{self._path}:{problem.line}: {problem}", problem.text)
        self._tags.changed.set()

    def _invalid(self, error: Invalid) -> None:
        self._problems = [f"{error.path}:{problem.line}: {problem}" for problem in error.problems]
        for text in self._problems:
            self._complain(text)
        self._complain(f"{self._path}: the previous rules stay in effect")
