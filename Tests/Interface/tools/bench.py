"""An engine of rules with a clock that stands still."""

from __future__ import annotations

import dataclasses
import datetime
import time
from collections.abc import Awaitable
from typing import Any, Callable

from jacquard import (
    Gear,
    Gesture,
    GestureType,
)
from jacquard_automations.action import Action, Resources, Run
from jacquard_automations.complaints import Complaints
from jacquard_automations.engine import Engine
from jacquard_automations.occasion import Link, TagIdentity
from jacquard_automations.rules import Rule
from jacquard_automations.settings import Settings
from jacquard_automations.triggers import LinkChange, Trigger

COVER = Gesture(GestureType.COVER, "cover")


BRUSH_IN = Gesture(GestureType.BRUSH_IN, "brush-in")


COPY = Gesture(GestureType.COVER, "cover", may_be_copy=True)


ATTACHED: Gear[Any] = Gear("component")


DETACHED: Gear[Any] = Gear(None)


UP, DOWN = LinkChange(True), LinkChange(False)


LINK = Link(TagIdentity("ae7dc88c-1437-5d1e-a862-ce1037371c9a", "0000AAAAA001ZK", "sleeve", (("room", "kitchen"),)))


OTHER = Link(TagIdentity("44e1de1a-18a7-5b23-b72f-f88fb1fc71ac", "T001"))


@dataclasses.dataclass(frozen=True)
class Recorded(Action):
    """Notes the gesture's number, or calls `act_as`."""

    name: str = "a"
    ran: list[Any] = dataclasses.field(default_factory=list, compare=False)
    act_as: Callable[[Run], Awaitable[None]] | None = dataclasses.field(default=None, compare=False)

    async def act(self, run: Run) -> str:
        if self.act_as is not None:
            await self.act_as(run)
        self.ran.append(run.occasion.details)
        return ""

    def __str__(self) -> str:
        return self.name


class Later(Recorded):
    """Continues after `act` has returned, as a command does."""

    ends_later = True


class Bench:
    """An engine whose clock is set by the test."""

    def __init__(self, *rules: Rule, **options: Any) -> None:
        # The machine is not suspended while both clocks advance equally.
        self.ahead = 0.0
        self.time = datetime.time(12)
        self.complaints: list[str] = []
        complaints = Complaints(self.complaints.append)
        resources = Resources(Settings(), lambda kind, problem: None)
        self.engine = Engine(resources, complaints, lambda *about: None, clock=self.now, today=lambda: self.time, **options)
        self.engine.use(rules)

    def now(self) -> float:
        return time.monotonic() + self.ahead

    async def take(self, *events: Any, link: Link = LINK) -> None:
        for event in events:
            self.engine.take(link, event)
        await self.engine.finished()


def rule(trigger: Trigger, *actions: Action, **options: Any) -> tuple[Rule, list[Any]]:
    recorded = Recorded()
    return Rule(trigger, actions or (recorded,), **options), recorded.ran


def fired(trigger: Trigger, *events: tuple[float, Any]) -> int:
    """How often a trigger fires. Each event has its time; None: only time passes."""
    watch, count = trigger.watch(), 0
    for now, event in events:
        while watch.due is not None and watch.due <= now:
            count += watch.elapsed(watch.due) is not None
        if event is not None:
            count += watch.take(event, now) is not None
    return count
