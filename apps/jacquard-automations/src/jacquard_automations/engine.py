"""Decides which rules an event runs, and runs their actions."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import math
import time
from collections.abc import Sequence
from typing import Any, Callable

import jacquard

from .action import Action, ActionError, Resources, Run, TooLate
from .age import OLDEST, Ages, boottime
from .complaints import Complaints
from .occasion import Link, Occasion
from .outcomes import Outcomes, Result
from .reasons import Reason
from .rules import Rule
from .triggers import Details, GestureWhileHeld, LinkChange, Watch
from .worker import Worker

# Seconds without an event too many, after which the next one is reported again.
REST = 10.0
# Texts about an event for which a rule does not run.
REFUSALS = {
    Reason.COPY: "the gesture may be a copy of one that was delivered before",
    Reason.MADE_ONCE: "made once; the rule is for twice",
}
LATE = {
    Reason.SUSPENDED: "the event may have arrived before the machine was suspended",
    Reason.TOO_OLD: f"the event was more than {OLDEST:g} second old",
    Reason.BUSY: f"other commands, or the rule's previous run, took more than {OLDEST:g} second",
}


def time_of_day() -> datetime.time:
    return datetime.datetime.now().time()


@dataclasses.dataclass
class Counts:
    """The number of occasions for rules, by outcome."""

    ran: int = 0
    too_old: int = 0
    too_many: int = 0


class Engine:
    """Each rule runs at most once for an event, in the order of the events, independently of the other rules."""

    def __init__(
        self,
        resources: Resources,
        complaints: Complaints,
        ran: Callable[[Rule, Action, Occasion, str], None],
        *,
        is_dry: bool = False,
        is_locked: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = boottime,
        today: Callable[[], datetime.time] = time_of_day,
    ) -> None:
        """ran: called for each action that was carried out, with the text to show about it. is_dry: calls `ran` without
        carrying out the action."""
        self.counts = Counts()
        self.outcomes = Outcomes()
        self._resources = resources
        self._complaints = complaints
        self._ran = ran
        self._is_dry = is_dry
        self._is_locked = is_locked
        self._clock = clock
        self._today = today
        self._workers: dict[Rule, Worker] = {}
        self._watches: dict[tuple[Rule, str], Watch] = {}
        self._timers: dict[tuple[Rule, str], asyncio.TimerHandle] = {}
        self._ages = Ages(clock)
        # Called when a rule has run.
        self.on_run: Callable[[Occasion], None] = lambda occasion: None
        self._until = math.inf

    @property
    def rules(self) -> list[Rule]:
        return list(self._workers)

    def use(self, rules: Sequence[Rule]) -> None:
        """Replaces the rules. Equal ones keep their memory; events that wait for others are dropped."""
        for rule in [rule for rule in self._workers if rule not in rules]:
            self._workers.pop(rule).close()
            self._complaints.forget(rule)
            for key in [key for key in self._watches if key[0] == rule]:
                self._watches.pop(key)
                self._stop_timer(key)
        self.outcomes.keep(rules)
        self._workers = {rule: self._workers.get(rule) or Worker(self._perform, rule) for rule in rules}

    def follow(self, link: Link, event: Any, is_connected: bool) -> None:
        """Takes an event of the connection to a tag, and keeps `link` up to date."""
        if isinstance(event, jacquard.ConnectionState):
            if event.tag is None:
                self.lose(link)
            elif link.tag is None:
                link.tag, link.problem, link.since = event.tag, "", time.time()
                self.take(link, LinkChange(True))
        elif isinstance(event, jacquard.TouchModeReport):
            link.touch_mode = event
        elif isinstance(event, jacquard.Gear):
            link.gear = event.component
            # The library also reports gear as detached when the link is lost.
            if is_connected:
                self.take(link, event)
        else:
            if isinstance(event, jacquard.Battery):
                link.battery = event
            self.take(link, event)

    def lose(self, link: Link) -> None:
        if link.tag is not None:
            link.tag = link.gear = link.touch_mode = None
            link.since = time.time()
            self._resources.link_lost(link.identity.identifier)
            self.take(link, LinkChange(False))

    def take(self, link: Link, event: Any) -> None:
        """event: Gesture, TrainedGesture, Gear, Battery, Touches, TouchGesture, GestureWhileHeld or LinkChange.
        Gestures and touches may have been queued in the service for this program."""
        now, held = self._clock(), None
        if isinstance(event, GestureWhileHeld):
            held, event = event.held, event.gesture
        arrived, is_doubtful = self._ages.arrival(event), self._ages.is_doubtful(event)
        for rule in self._workers:
            if rule.trigger.held != held:
                continue
            if not rule.selection.selects(link.identity):
                self._note_other_tag(rule, link, event, arrived)
                continue
            watch = self._watch(rule, link)
            watch.refusal = None
            details = watch.take(event, arrived)
            if details is not None and is_doubtful:
                self._count_too_old(rule, Occasion(link, rule.trigger, details, arrived), Reason.SUSPENDED)
            elif details is not None:
                self._happened(rule, link, {**details, "held": held} if held else details, arrived)
            elif watch.refusal is not None:
                self.outcomes.note(rule, watch.refusal, REFUSALS[watch.refusal], link, str(rule.trigger), arrived)
            self._set_timer(rule, link, watch, now)

    def introduce(self, link: Link) -> None:
        """Makes the gear known to new rules: gear that is already attached is not a change."""
        for rule in self._workers:
            if link.tag is not None and (rule, link.identity.identifier) not in self._watches:
                self._watch(rule, link).take(jacquard.Gear(link.gear), self._clock())

    def _watch(self, rule: Rule, link: Link) -> Watch:
        key = (rule, link.identity.identifier)
        if key not in self._watches:
            self._watches[key] = watch = rule.trigger.watch()
            watch.rate = rule.rate
        return self._watches[key]

    def forget(self, identifier: str) -> None:
        """Forgets a tag that is no longer used."""
        for key in [key for key in self._watches if key[1] == identifier]:
            del self._watches[key]
            self._stop_timer(key)

    def stop(self, after: float = -math.inf) -> None:
        """Ignores occasions that arrive after this time, by default all. Running actions finish."""
        self._until = min(self._until, after)

    def close(self) -> None:
        self.use(())

    async def finished(self) -> None:
        """Waits for the actions that are running."""
        tasks = [worker.task for worker in self._workers.values() if worker.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)

    # Time

    def _set_timer(self, rule: Rule, link: Link, watch: Watch, now: float) -> None:
        key = (rule, link.identity.identifier)
        self._stop_timer(key)
        if watch.due is not None:
            delay = max(0.0, watch.due - now)
            self._timers[key] = asyncio.get_running_loop().call_later(delay, self._elapsed, rule, link, watch)

    def _stop_timer(self, key: tuple[Rule, str]) -> None:
        timer = self._timers.pop(key, None)
        if timer is not None:
            timer.cancel()

    def _elapsed(self, rule: Rule, link: Link, watch: Watch) -> None:
        now, due = self._clock(), watch.due
        if due is not None and due <= now:
            details = watch.elapsed(now)
            if details is not None:
                self._happened(rule, link, details, due if watch.is_event else now)
        self._set_timer(rule, link, watch, now)

    # Running

    def _happened(self, rule: Rule, link: Link, details: Details, now: float) -> None:
        occasion = Occasion(link, rule.trigger, details, now, self._ages.left(now) < 0)
        today = self._today()
        if rule.hours is not None and not rule.hours.include(today):
            self.outcomes.note_occasion(rule, Reason.HOURS, f"at {today:%H:%M}, but the rule is for {rule.hours}", occasion)
            return
        is_locked = rule.locked is not None and self._is_locked()
        if rule.locked is not None and rule.locked != is_locked:
            self.outcomes.note_occasion(rule, Reason.LOCKED, f"the screen was {'' if is_locked else 'not '}locked", occasion)
            return
        worker = self._workers[rule]
        if worker.add(occasion):
            if now - worker.dropped >= REST:
                self._complaints.works(rule, "rate")
            return
        self.counts.too_many += 1
        text = f"more than {rule.rate} times in one second"
        self.outcomes.note_occasion(rule, Reason.TOO_MANY, text, occasion)
        self._complaints.report(rule, "rate", f"{rule.label}: {text}; the rest is dropped")

    def _note_other_tag(self, rule: Rule, link: Link, event: Any, arrived: float) -> None:
        is_gesture = isinstance(event, (jacquard.Gesture, jacquard.TouchGesture))
        if is_gesture and rule.trigger.watch().take(event, arrived) is not None:
            text = f"the rule is for {rule.selection}"
            self.outcomes.note(rule, Reason.OTHER_TAG, text, link, str(rule.trigger), arrived)

    def _count_too_old(self, rule: Rule, occasion: Occasion, reason: Reason) -> None:
        self.counts.too_old += 1
        self.outcomes.note_occasion(rule, reason, LATE[reason], occasion)
        self._complaints.report(rule, "age", f"{rule.label}: not run for an event that is more than {OLDEST:g} second old")

    async def _perform(self, rule: Rule, occasion: Occasion) -> None:
        if occasion.arrived > self._until:
            return
        result = self.outcomes.begin(rule, occasion, self._is_dry)
        try:
            for number, action in enumerate(rule.actions):
                if self._ages.left(occasion.arrived) < 0:
                    raise TooLate
                await self._carry_out(rule, number, action, result)
        except TooLate:
            self._count_too_old(rule, occasion, Reason.TOO_OLD if occasion.is_late else Reason.BUSY)
            return
        result.finish()
        self._complaints.works(rule, "age")
        self.counts.ran += 1
        self.on_run(occasion)

    async def _carry_out(self, rule: Rule, number: int, action: Action, result: Result) -> None:
        """The failure of an action ends neither the other ones nor the program. Raises TooLate."""
        occasion = result.occasion

        def ended(problem: str | None, reason: Reason = Reason.FAILED) -> None:
            if rule not in self._workers:
                return  # it was removed while its command was running
            if problem is None:
                self._complaints.works(rule, number)
            else:
                result.fail(reason, f"{action}: {problem}")
                self._complaints.report(rule, number, f"{rule.label}: {action}: {problem}", problem)
            result.end()

        result.begin()
        run = Run(occasion, rule.label, self._resources, ended, rule, lambda: self._ages.left(occasion.arrived))
        try:
            shown = "" if self._is_dry else await action.act(run)
        except TooLate:
            raise
        except ActionError as error:
            ended(str(error), error.reason)
        except Exception as error:
            ended(f"internal error: {error!r}")
        else:
            result.add(shown)
            if self._is_dry or not action.ends_later:
                ended(None)
            self._ran(rule, action, occasion, shown)
