"""The result of each rule's last event, and how often it ran."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Collection
from typing import Any, Callable

from .occasion import Link, Occasion
from .reasons import Reason
from .rules import Rule


@dataclasses.dataclass(frozen=True)
class Outcome:
    """event, tag: as they are shown. time: by the wall clock."""

    reason: Reason
    text: str
    event: str
    tag: str
    time: float

    def described(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "reason": self.reason.value}


@dataclasses.dataclass
class History:
    last: Outcome | None = None
    # When its event arrived: a run may end after the next event was refused.
    arrived: float = -math.inf
    # The last time that it ran.
    last_ran: Outcome | None = None
    ran: int = 0
    not_run: int = 0


class Outcomes:
    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._histories: dict[Rule, History] = {}
        # Called after each outcome.
        self.noted: Callable[[Rule, Outcome], None] = lambda rule, outcome: None

    def of(self, rule: Rule) -> History:
        return self._histories.get(rule, History())

    def keep(self, rules: Collection[Rule]) -> None:
        """Forgets all other rules."""
        self._histories = {rule: history for rule, history in self._histories.items() if rule in rules}

    def begin(self, rule: Rule, occasion: Occasion, is_dry: bool) -> Result:
        return Result(self, rule, occasion, Reason.DRY_RUN if is_dry else Reason.RAN)

    def note(self, rule: Rule, reason: Reason, text: str, link: Link, event: str, arrived: float) -> Outcome:
        history = self._histories.setdefault(rule, History())
        outcome = Outcome(reason, text, event, link.identity.label, self._clock())
        if arrived >= history.arrived:
            history.last, history.arrived = outcome, arrived
        if reason in (Reason.RAN, Reason.DRY_RUN):
            history.ran += 1
            history.last_ran = outcome
        elif reason is not Reason.RUNNING:
            history.not_run += 1
        self.noted(rule, outcome)
        return outcome

    def note_occasion(self, rule: Rule, reason: Reason, text: str, occasion: Occasion) -> Outcome:
        return self.note(rule, reason, text, occasion.link, occasion.event, occasion.arrived)


class Result:
    """The result of one run of a rule: of the first action that failed, else of all. Commands may end after `finish`."""

    def __init__(self, outcomes: Outcomes, rule: Rule, occasion: Occasion, reason: Reason) -> None:
        self.occasion = occasion
        self._outcomes = outcomes
        self._rule = rule
        self._reason = reason
        self._texts: list[str] = []
        # The actions that have begun and not ended.
        self._running = 0
        self._is_finished = self._is_noted = False

    @property
    def _has_failed(self) -> bool:
        return self._reason not in (Reason.RAN, Reason.DRY_RUN)

    def begin(self) -> None:
        """Called when an action begins; `end` follows."""
        self._running += 1

    def end(self) -> None:
        self._running -= 1
        self._note()

    def add(self, shown: str) -> None:
        """shown: the text about an action that was carried out."""
        if shown and not self._has_failed:
            self._texts.append(shown)

    def fail(self, reason: Reason, text: str) -> None:
        if not self._has_failed:
            self._reason, self._texts = reason, [text]

    def finish(self) -> None:
        """Called when all actions have begun."""
        self._is_finished = True
        if self._running and not self._has_failed:
            self._outcomes.note_occasion(self._rule, Reason.RUNNING, "", self.occasion)
        self._note()

    def _note(self) -> None:
        if self._is_finished and not self._is_noted and (self._has_failed or not self._running):
            self._is_noted = True
            self._outcomes.note_occasion(self._rule, self._reason, ", ".join(self._texts), self.occasion)
