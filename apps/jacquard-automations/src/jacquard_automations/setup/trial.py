"""Waits until the rule has run once, and says why it does not."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from jacquard_apps.system.together import first, within
from jacquard_apps.terminal import output

from .. import file
from ..program import Program
from ..reasons import Reason
from ..rules import Rule
from ..status import place, shown
from ..unit import UNIT
from .context import Context
from .dialogue import BAD, GOOD, PLAN
from .rule import rules_for

NAME = "try"
PERIOD = 0.3
# Seconds after which a command that still runs, such as a player, counts as a run of the rule.
SETTLED = 5.0


async def step(context: Context) -> bool:
    if not context.dialogue.is_interactive:
        context.dialogue.say(NAME, PLAN, "would wait until the rule has run once, as jacquardctl status shows it")
        return True
    rules = rules_for(context)
    if context.line is not None:
        rules = [rule for rule in rules if rule.line == context.line]
    if not rules:
        context.dialogue.say(NAME, BAD, f"no rule for {context.gesture}", "Repeat the step rule: jacquardctl setup rule")
        return False
    context.dialogue.hint(f"Now the same gesture again: {context.gesture}")
    trial = Trial(context, rules[0])
    try:
        await within(context.timeout, trial.run())
    except asyncio.TimeoutError:
        text = f"the rule did not run in {output.seconds(context.timeout)}"
        advice = f"See: journalctl --user --unit {UNIT}" if context.is_started else "See: jacquardctl status"
        context.dialogue.say(NAME, BAD, text, f"{trial.last or 'No such gesture was seen.'} {advice}")
        return False
    context.dialogue.say(NAME, GOOD, f"the rule has run: {trial.last}")
    return True


class Trial:
    def __init__(self, context: Context, rule: Rule) -> None:
        self._context = context
        self._rule = rule
        # The last result, as text.
        self.last = ""
        self._cause = ("", "")

    async def run(self) -> None:
        """Ends when the rule has run, in the program that runs the rules of the file, or here."""
        before = await self._status()
        while before is None and self._context.is_started:
            # A rule must not run here as well; the unit has just been started.
            await asyncio.sleep(PERIOD)
            before = await self._status()
        if before is not None:
            await self._follow(before)
            return
        automations = file.read(self._context.path)
        program = Program(self._context.path, automations, nothing, self._complain, nothing, nothing)
        await first(program.run(self._context.manager), self._follow({"ran": 0, "last": None}))

    async def _follow(self, before: dict[str, Any]) -> None:
        while True:
            now = await self._status() or before
            if now["last"] is not None and now["last"] != before["last"]:
                self._note(now["last"])
            if now["ran"] > before["ran"]:
                self.last = shown.of_outcome(now["last_ran"])
                return
            if now["last"] is not None and now["last"]["reason"] == Reason.RUNNING.value and time.time() - now["last"]["time"] > SETTLED:
                return
            await asyncio.sleep(PERIOD)

    async def _status(self) -> dict[str, Any] | None:
        path = str(self._context.path.absolute())
        for status in await place.statuses():
            for rule in status.get("rules", []):
                if status["file"] == path and not status["dry_run"] and rule["line"] == self._rule.line:
                    return dict(rule)
        return None

    def _complain(self, text: str) -> None:
        """Failures of the rule itself are shown as its results."""
        if not text.startswith(self._rule.label):
            self._context.dialogue.hint(text)

    def _note(self, outcome: dict[str, Any]) -> None:
        self.last = shown.of_outcome(outcome)
        cause = (outcome["reason"], outcome["text"])
        if cause != self._cause and outcome["reason"] not in (Reason.RAN.value, Reason.RUNNING.value, Reason.MADE_ONCE.value):
            self._context.dialogue.hint(self.last)
            self._cause = cause


def nothing(*arguments: object) -> None:
    pass
