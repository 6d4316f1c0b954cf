"""The reports of jacquardctl run about the rules. The board itself only watches them: see `jacquardctl status`."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Callable

from jacquard_apps.system.together import within
from jacquard_automations.followed_file import FollowedFile
from jacquard_automations.occasion import TagIdentity
from jacquard_automations.outcomes import Outcome
from jacquard_automations.reasons import Reason
from jacquard_automations.rules import Rule
from jacquard_automations.status import place, snapshot
from jacquard_automations.unit import UNIT, output_of_systemctl

# Seconds between two questions while a page is open, and after an event.
PERIOD, SOON = 2.0, 0.3
# Seconds for which the obstacles of rules that no program runs are kept.
KEPT = 10.0
# Seconds within which the two programs have seen the same event.
SAME = 2.0
NOTHING: dict[str, Any] = {"ran": 0, "not_run": 0, "last": None, "last_ran": None, "obstacles": []}


class Running:
    """The state of the program that runs the rules, or that none does."""

    def __init__(self, followed: FollowedFile, known: Callable[[], list[TagIdentity]], changed: Callable[[], None]) -> None:
        """known: the tags for which rules run."""
        self._file = followed
        self._known = known
        self._changed = changed
        self._asked = asyncio.Event()
        self._state: dict[str, Any] = {}
        self._found_out = ("", 0.0)

    async def follow(self, is_watched: Callable[[], bool]) -> None:
        """Asks while it is watched, until it is cancelled."""
        while True:
            self._asked.clear()
            if is_watched():
                await self._ask()
            try:
                await within(PERIOD if is_watched() else None, self._asked.wait())
                await asyncio.sleep(SOON)
            except asyncio.TimeoutError:
                pass

    def ask(self) -> None:
        """Asks soon."""
        self._asked.set()

    async def _ask(self) -> None:
        path, silent = str(self._file.path.absolute()), None
        for status in await place.statuses():
            if status.get("silent"):
                silent = status["process"]
            elif status["file"] == path and not status["dry_run"]:
                self._use(status)
                return
        version = self._file.version
        if self._state.get("process") is None and self._found_out[0] == version and time.monotonic() < self._found_out[1] + KEPT:
            return
        self._found_out = (version, time.monotonic())
        unit = await output_of_systemctl("is-active", UNIT)
        state = await snapshot.absent(self._file.path, self._file.automations, self._known(), unit)
        if silent is not None:
            text = f"jacquardctl run ({silent}) does not reply: it may be stopped"
            state["obstacles"] = [{"reason": Reason.NOT_RUNNING.value, "text": text}]
        self._use(state)

    def _use(self, state: dict[str, Any]) -> None:
        if state != self._state:
            self._state = state
            self._changed()

    @property
    def obstacles(self) -> list[dict[str, str]]:
        """The obstacles of all rules."""
        return list(self._state.get("obstacles", []))

    def of(self, rule: Rule, own: Outcome | None) -> dict[str, Any]:
        """own: the last outcome that the board itself has seen."""
        known = next((one for one in self._state.get("rules", []) if is_same(one, rule)), NOTHING)
        about = {name: known[name] for name in NOTHING}
        last = about["last"]
        if own is not None and (last is None or last["time"] < own.time - SAME):
            about["last"] = own.described()
            if own.reason is Reason.DRY_RUN and self.obstacles and self._state.get("process") is None:
                about["last"].update(reason=Reason.NOT_RUNNING.value, text="no jacquardctl run uses the file")
        return about


def is_same(described: dict[str, Any], rule: Rule) -> bool:
    """Whether a status, perhaps of an older file, is about this rule."""
    own = (rule.line, str(rule.trigger), list(rule.selection.words), rule.conditions, list(map(str, rule.actions)))
    return own == tuple(described[name] for name in ("line", "event", "tags", "conditions", "actions"))
