"""Notifications on the desktop: a tag that stays away, a low battery, and a rule that fails.

Source: https://specifications.freedesktop.org/notification-spec/latest/
"""

from __future__ import annotations

import asyncio

from ..action import ActionError, Resources
from ..bus import SessionBus
from ..complaints import Complaints
from ..occasion import Link, TagIdentity
from ..outcomes import Outcome
from ..reasons import Reason
from ..rules import Rule

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
# Seconds after which an absence is reported, so that a tag that sleeps, or is left in another room, is not.
AWAY = 1800.0
# Percent at which a battery is reported, and at which it counts as charged.
LOW, CHARGED = 15, 25


class Notices:
    """Each is sent once, until the reported state has changed. Nothing is sent unless the file says so."""

    def __init__(self, resources: Resources, complaints: Complaints, away: float = AWAY) -> None:
        self._resources = resources
        self._complaints = complaints
        self._away = away
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._low: set[str] = set()
        self._failing: set[Rule] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def link_changed(self, tag: TagIdentity, state: str) -> None:
        timer = self._timers.pop(tag.identifier, None)
        if timer is not None:
            timer.cancel()
        if state == "away":
            text = f"{tag.label} has not been connected for {self._away / 60:g} minutes"
            loop = asyncio.get_running_loop()
            self._timers[tag.identifier] = loop.call_later(self._away, self._send, text)

    def battery_changed(self, link: Link) -> None:
        battery, identifier = link.battery, link.identity.identifier
        if battery is None:
            return
        if battery.charging or battery.percent >= CHARGED:
            self._low.discard(identifier)
        elif battery.percent <= LOW and identifier not in self._low:
            self._low.add(identifier)
            self._send(f"The battery of {link.identity.label} is at {battery.percent}%")

    def noted(self, rule: Rule, outcome: Outcome) -> None:
        if outcome.reason is Reason.RAN:
            self._failing.discard(rule)
        elif outcome.reason in (Reason.FAILED, Reason.NO_PLAYER):
            if rule not in self._failing:
                self._send(f"{rule.label}: {outcome.text}")
            self._failing.add(rule)

    def _send(self, text: str) -> None:
        if self._resources.settings.notify:
            task = asyncio.ensure_future(self._call(text))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _call(self, text: str) -> None:
        body = ["Jacquard", 0, "", "Jacquard", text, [], {}, -1]
        try:
            await self._resources.of(SessionBus).call(NAME, PATH, NAME, "Notify", "susssasa{sv}i", body)
            self._complaints.works("notices", 0)
        except ActionError as error:
            self._complaints.report("notices", 0, f"no notification can be shown: {error}")

    async def close(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
