"""The rules of jacquardctl run, and which of them match the events of the board's tags. Matching carries out no action."""

from __future__ import annotations

import dataclasses
from typing import Any, Callable

from jacquard_apps.terminal import output
from jacquard_automations.action import Action
from jacquard_automations.complaints import Complaints
from jacquard_automations.file import Automations, default_path
from jacquard_automations.followed_file import FollowedFile
from jacquard_automations.occasion import Link, Occasion, TagIdentity
from jacquard_automations.rules import Rule, Source
from jacquard_automations.toml_file import Invalid

from .editing import Editor, Permissions
from .running import Running


@dataclasses.dataclass
class Match:
    occasion: Occasion
    # The time on the board's clock.
    time: float
    count: int


class Rules:
    def __init__(
        self,
        clock: Callable[[], float],
        changed: Callable[[], None],
        permissions: Permissions,
        known: Callable[[], list[TagIdentity]],
        is_watched: Callable[[], bool],
    ) -> None:
        """known: the tags for which rules run. is_watched: whether a page is open."""
        self._clock = clock
        self._changed = changed
        self._rules: tuple[Rule, ...] = ()
        self._problems: list[dict[str, Any]] = []
        self._matches: dict[Rule, Match] = {}
        self._links: dict[str, Link] = {}
        self._file = FollowedFile(
            default_path(),
            Automations(),
            Complaints(self._note),
            self._matched,
            applied=self._applied,
            invalid=self._invalid,
            is_dry=True,
        )
        self._permissions = permissions
        self._is_watched = is_watched
        self.running = Running(self._file, known, changed)
        self.editor = Editor(self._file, permissions)
        self._file.engine.outcomes.noted = lambda rule, outcome: self._noted()

    async def run(self) -> None:
        """Runs until it is cancelled."""
        try:
            async with self._file.following():
                self._file.read()
                await self.running.follow(self._is_watched)
        except OSError as error:
            self._note(f"the file cannot be watched: {error.strerror}")
            await self.running.follow(self._is_watched)

    def take(self, link: Link, event: Any, is_connected: bool) -> None:
        """Takes an event of the connection to a tag for which rules run."""
        self._links[link.identity.identifier] = link
        self._file.engine.follow(link, event, is_connected)

    def lose(self, link: Link) -> None:
        self._file.engine.lose(link)

    def snapshot(self) -> dict[str, Any]:
        return {
            "file": str(self._file.path),
            "version": self._file.version,
            "may_edit": self._permissions.may_edit,
            "may_run_commands": self._permissions.may_run_commands,
            "problems": self._problems,
            "obstacles": self.running.obstacles if self._rules else [],
            "rules": [self._shown(rule) for rule in self._rules],
        }

    def _shown(self, rule: Rule) -> dict[str, Any]:
        match = self._matches.get(rule)
        return {
            "name": rule.name,
            "event": str(rule.trigger),
            "tags": list(rule.selection.words),
            "conditions": rule.conditions,
            "actions": list(map(str, rule.actions)),
            "line": rule.line,
            "is_enabled": rule.is_enabled,
            "may_run_commands": rule.may_run_commands,
            "source": shown_source(rule.source),
            **self.running.of(rule, self._file.engine.outcomes.of(rule).last),
            "count": match.count if match else 0,
            "time": match.time if match else None,
            "tag": match.occasion.link.identity.label if match else None,
        }

    def _matched(self, rule: Rule, action: Action, occasion: Occasion, shown: str) -> None:
        match = self._matches.get(rule)
        # Called for each action.
        if match is None or match.occasion is not occasion:
            self._matches[rule] = Match(occasion, self._clock(), match.count + 1 if match else 1)
            self._changed()

    def _noted(self) -> None:
        self.running.ask()
        self._changed()

    def _applied(self, automations: Automations) -> None:
        self._rules = automations.rules
        self._matches = {rule: match for rule, match in self._matches.items() if rule in self._rules}
        self._problems = [{"line": problem.line, "text": str(problem)} for problem in automations.missing()]
        for link in self._links.values():
            self._file.engine.introduce(link)
        self.running.ask()
        self._changed()

    def _invalid(self, error: Invalid) -> None:
        # Without a file, there is nothing to report.
        if self._rules or error.path.exists():
            self._problems = [{"line": problem.line, "text": str(problem)} for problem in error.problems]
            self._changed()

    def _note(self, text: str) -> None:
        self._problems = [*self._problems, {"line": None, "text": text}]
        self._changed()


def shown_source(source: Source) -> dict[str, Any] | None:
    """None if it has characters that the page does not receive, and would change."""
    texts = (source.event, source.conditions, *source.actions)
    return dataclasses.asdict(source) if all(output.printable(text) == text for text in texts) else None
