"""Which rules an event runs, and how often: with recorded actions, and without a tag."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import math
import random
import time
from collections.abc import Awaitable
from typing import Any, Callable

import jacquard
import pytest
from jacquard import (
    Battery,
    Gear,
    Gesture,
    GestureType,
    Touch,
    TouchGesture,
    TouchGestureType,
    TouchPhase,
    TouchPoint,
    TouchTracker,
)
from jacquard_automations import file
from jacquard_automations.action import Action, ActionError, Resources, Run
from jacquard_automations.actions.command import Command
from jacquard_automations.age import OLDEST
from jacquard_automations.complaints import RESOURCE, Complaints
from jacquard_automations.engine import REST, Engine
from jacquard_automations.events.battery import BatteryTrigger
from jacquard_automations.events.fader import FaderTrigger
from jacquard_automations.events.gear import SETTLED, GearTrigger
from jacquard_automations.events.gesture import GestureTrigger
from jacquard_automations.events.link import LinkTrigger
from jacquard_automations.events.touch import TouchTrigger
from jacquard_automations.events.trained import TrainedTrigger
from jacquard_automations.held import Holds
from jacquard_automations.occasion import Link, TagIdentity
from jacquard_automations.rules import Hours, Rule, Selection
from jacquard_automations.settings import Settings
from jacquard_automations.triggers import GestureWhileHeld, LinkChange, Touches, TrainedGesture, Trigger
from waiting import turn, until_async

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
    """Notes the gesture's number, or does what `act_as` says."""

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
    """Goes on after `act` has returned, as a command does."""

    ends_later = True


class Bench:
    """An engine whose clock is set by the test."""

    def __init__(self, *rules: Rule, **options: Any) -> None:
        # The machine is not suspended while both clocks go on alike.
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


# Events


def derived(kind: TouchGestureType, time: float = 1.0) -> TouchGesture:
    return TouchGesture(kind, 3, None, 4.125, -3.5, -20.0, time)


def test_gestures_that_are_derived_from_touches_stand_for_those_of_the_tag() -> None:
    expected = {"event": "gesture", "gesture": "brush-in", "gesture_number": 2, "derived": True}
    assert GestureTrigger("brush-in").watch().take(derived(TouchGestureType.SWIPE_IN), 0) == expected
    assert GestureTrigger("any").watch().take(derived(TouchGestureType.COVER), 0) is not None
    for kind in (TouchGestureType.SWIPE_OUT, TouchGestureType.TAP, TouchGestureType.PINCH):
        assert GestureTrigger("brush-in").watch().take(derived(kind), 0) is None
    twice = GestureTrigger("double-tap", twice=1).watch()
    assert [twice.take(derived(TouchGestureType.DOUBLE_TAP), now) is not None for now in (0, 0.5, 2)] == [False, True, False]


def test_gestures_that_are_derived_from_touches_have_an_event_of_their_own() -> None:
    measured = {"position": 4.12, "distance": -3.5, "speed": -20.0}
    watch = TouchTrigger("swipe-in").watch()
    assert watch.take(derived(TouchGestureType.SWIPE_IN), 0) == {"event": "touch", "touch": "swipe-in", "fingers": 1, **measured}
    assert watch.take(derived(TouchGestureType.SWIPE_OUT), 0) is None
    assert watch.take(jacquard.Gesture(jacquard.GestureType.BRUSH_IN, "brush-in"), 0) is None


# Fingers on the sleeve during a number of samples: their positions, strengths and widths.
Fingers = list[tuple[float, float, float]]


def rest(position: float, strength: float = 80, width: float = 0.95) -> tuple[float, float, float]:
    return position, strength, width


def level(line: int, fingers: Fingers) -> int:
    return min(128, round(sum(strength * math.exp(-((line - at) ** 2) / 2 / width**2) for at, strength, width in fingers)))


def while_held(lines: tuple[int, int], *parts: tuple[int, Fingers]) -> list[str]:
    """The gestures on other lines while these are held, with samples as a tag sends them."""
    found: list[GestureWhileHeld] = []
    sleeve, holds = TouchTracker(), Holds(found.append)
    holds.use([lines])
    samples = [fingers for count, fingers in parts for _ in range(count)]
    for number, fingers in enumerate(samples, 1):
        touch = Touch(number, 60, tuple(level(line, fingers) for line in range(12)))
        points = sleeve.process(touch, 10 + number / 60)
        holds.follow(points)
        holds.begin(sleeve.gestures())
        holds.read(dataclasses.replace(touch, arrival=10 + number / 60))
    assert {event.held for event in found} <= {lines}
    return [str(event.gesture.type) for event in found]


def swipe(start: float, end: float, *others: tuple[float, float, float]) -> list[tuple[int, Fingers]]:
    return [(1, [rest(start + (end - start) * number / 14), *others]) for number in range(15)]


HELD = rest(1)
TAP = (6, [HELD, rest(8)])


@pytest.mark.parametrize(
    "parts, gestures",
    [
        ([(40, [HELD]), TAP, (5, [HELD])], ["tap"]),
        ([(40, [HELD]), TAP, (5, [HELD]), TAP, (5, [HELD]), (3, [])], ["tap", "double-tap"]),
        ([(40, [HELD]), *swipe(10, 6, HELD), (5, [HELD])], ["swipe-in"]),
        ([(40, [HELD]), *swipe(7, 11, HELD), (5, [HELD])], ["swipe-out"]),
        ([(40, [HELD]), (6, [HELD, rest(7.5), rest(10.5)]), (5, [HELD])], ["two-finger-tap"]),
        # Pressed, it is held sooner.
        ([(12, [HELD]), (8, [rest(1, 125)]), (6, [rest(1, 125), rest(8)]), (5, [HELD])], ["tap"]),
        # At the edge of the held lines, also with a wide finger.
        ([(60, [rest(2.4, 110, 1.2)]), (6, [rest(2.4, 110, 1.2), rest(9)]), (5, [rest(2.4, 110, 1.2)])], ["tap"]),
        # Held for too short, not any more, elsewhere, or not at all.
        ([(10, [HELD]), TAP, (5, [HELD])], []),
        ([(40, [HELD]), (5, []), (6, [rest(8)]), (5, [])], []),
        ([(40, [HELD]), TAP, (3, [rest(8)]), (5, [])], []),
        ([(40, [rest(4)]), (6, [rest(4), rest(9)]), (5, [rest(4)])], []),
        ([(40, []), (6, [rest(8)]), (5, [])], []),
        # The other finger was there before, or it is the same one, which goes away or comes.
        ([(10, [rest(8)]), (50, [HELD, rest(8)]), (5, [HELD])], []),
        ([(40, [HELD]), *swipe(1, 10), (5, [])], []),
        ([*swipe(10, 1), (40, [HELD]), (5, [])], []),
    ],
)  # fmt: skip
def test_gestures_while_lines_are_held(parts: list[tuple[int, Fingers]], gestures: list[str]) -> None:
    assert while_held((0, 2), *parts, (30, [])) == gestures


def test_lines_are_not_held_any_more_after_a_lost_link() -> None:
    found: list[GestureWhileHeld] = []
    holds = Holds(found.append)
    holds.use([(0, 2)])
    holds.begin([TouchGesture(TouchGestureType.HOLD, 1, None, 1.0, 0.0, 0.0, 10.0)])
    holds.lost()
    for number in range(1, 12):
        lines = tuple(level(line, [rest(8)] if number < 8 else []) for line in range(12))
        holds.read(Touch(number, 60, lines, arrival=11 + number / 60))
    assert not found


def test_a_rule_runs_while_its_lines_are_held_and_the_others_do_not() -> None:
    async def test() -> None:
        tap = TouchGesture(TouchGestureType.DOUBLE_TAP, 3, None, 8.0, 0.0, 0.0, 0.0)
        held, in_held = rule(TouchTrigger("double-tap", (0, 2)))
        same, in_same = rule(GestureTrigger("double-tap", None, (0, 2)))
        other, in_other = rule(TouchTrigger("double-tap", (9, 11)))
        plain, in_plain = rule(TouchTrigger("double-tap"))
        bench = Bench(held, same, other, plain)
        tap = dataclasses.replace(tap, time=bench.now())
        await bench.take(GestureWhileHeld((0, 2), tap))
        assert (len(in_held), len(in_same), len(in_other), len(in_plain)) == (1, 1, 0, 0)
        assert in_held[0]["held"] == (0, 2) and in_same[0]["gesture"] == "double-tap"
        await bench.take(tap)
        assert (len(in_held), len(in_same), len(in_other), len(in_plain)) == (1, 1, 0, 1)
        assert "held" not in in_plain[0]

    asyncio.run(test())


def finger(phase: TouchPhase, position: float, time: float) -> Touches:
    return Touches([TouchPoint(1, phase, position, 1, 80, 0, time)])


def changes(trigger: FaderTrigger, rate: int, positions: list[float], period: float = 1.0) -> list[tuple[float, int, float]]:
    """The times, steps and values of a finger that is at these positions one after the other, and then lifted."""
    watch = trigger.watch()
    watch.rate = rate
    found = []
    events = [(TouchPhase.BEGAN if not number else TouchPhase.MOVED, place) for number, place in enumerate(positions)]
    for number, (phase, place) in enumerate([*events, (TouchPhase.ENDED, positions[-1])]):
        now = number * period
        while watch.due is not None and watch.due <= now:
            found.append((watch.due, watch.elapsed(watch.due)))
        found.append((now, watch.take(finger(phase, place, now * 1000), now)))
    if watch.due is not None:
        found.append((watch.due, watch.elapsed(watch.due)))
    return [(when, details["change"], details["value"]) for when, details in found if details is not None]


def test_an_absolute_fader_fires_at_each_step() -> None:
    found = changes(FaderTrigger(False, steps=10), 10, [5.5, 5.6, 5.7, 8.0, 2.9])
    assert [(change, value) for _, change, value in found] == [(5, 0.5), (2, 0.7), (-4, 0.3)]


def test_a_relative_fader_fires_for_what_the_finger_moves_also_beyond_its_ends() -> None:
    found = changes(FaderTrigger(True, steps=10), 10, [5, 5.3, 6.2, 9.4, 0])
    assert [change for _, change, _ in found] == [1, 3, -9]
    assert found[-1][2] == 0


def test_a_fast_finger_fires_as_often_as_the_rule_may_run_and_for_its_last_step() -> None:
    """A thousand steps in a second: the sum of the changes is what the finger has moved."""
    positions = [1 + 0.09 * number for number in range(100)]
    found = changes(FaderTrigger(True, steps=100), 5, positions, 0.01)
    assert 5 <= len(found) <= 7
    assert all(after - before > 0.2 for (before, *_), (after, *_) in zip(found, found[1:]))
    assert sum(change for _, change, _ in found) == round((positions[-1] - 1 - 0.05) / 10.5 * 100)


def test_a_rule_with_a_fader_is_not_reported_as_too_frequent() -> None:
    async def test() -> None:
        one, ran = rule(FaderTrigger(True, steps=100), rate=5)
        bench = Bench(one)
        for number in range(300):
            phase = TouchPhase.MOVED if number else TouchPhase.BEGAN
            await bench.take(finger(phase, 1 + number % 50 * 0.2, bench.now()))
            bench.ahead += 0.016
        bench.ahead += 0.9
        await bench.take(finger(TouchPhase.ENDED, 5, bench.now()))
        assert 15 < len(ran) < 30 and bench.engine.counts.too_many == 0 and not bench.complaints

    asyncio.run(test())


@pytest.mark.parametrize(
    "trigger, events, count",
    [
        (GestureTrigger("cover"), [(0, COVER), (1, COVER), (2, BRUSH_IN)], 2),
        (GestureTrigger("any"), [(0, COVER), (1, BRUSH_IN)], 2),
        (GestureTrigger("7"), [(0, COVER)], 1),
        (GestureTrigger("cover"), [(0, COPY)], 0),
        (GestureTrigger("cover", 1), [(0, COVER), (0.9, COVER)], 1),
        (GestureTrigger("cover", 1), [(0, COVER), (1.1, COVER)], 0),
        (GestureTrigger("cover", 1), [(0, COVER), (1.1, COVER), (1.5, COVER)], 1),
        (GestureTrigger("cover", 1), [(0, COVER), (0.1, COVER), (0.2, COVER)], 1),
        (GestureTrigger("cover", 1), [(0, COVER), (0.1, COVER), (0.2, COVER), (0.3, COVER)], 2),
        (GestureTrigger("cover", 1), [(0, COVER), (0.1, COPY), (0.2, COVER)], 1),
        (GestureTrigger("cover", 1), [(0, COVER), (0.1, BRUSH_IN), (0.2, COVER)], 0),
        (GestureTrigger("any", 1), [(0, COVER), (0.1, BRUSH_IN), (0.2, BRUSH_IN)], 1),
        # What is attached first is not a change.
        (GearTrigger("attached"), [(0, UP), (0.1, ATTACHED)], 0),
        (GearTrigger("attached"), [(0, UP), (SETTLED, None), (9, ATTACHED)], 1),
        (GearTrigger("attached"), [(0, UP), (0.1, DETACHED), (9, ATTACHED), (10, DETACHED), (11, ATTACHED)], 2),
        (GearTrigger("detached"), [(0, UP), (0.1, ATTACHED), (9, DETACHED), (10, ATTACHED)], 1),
        # Gear that is reported again after a lost link.
        (GearTrigger("attached"), [(0, UP), (0.1, ATTACHED), (5, DOWN), (60, UP), (60.1, ATTACHED)], 0),
        (GearTrigger("detached"), [(0, UP), (0.1, ATTACHED), (5, DOWN), (60, UP), (60.1, ATTACHED)], 0),
        # The tag was taken off during the absence, or put on.
        (GearTrigger("detached"), [(0, UP), (0.1, ATTACHED), (5, DOWN), (60, UP), (60 + SETTLED, None)], 1),
        (GearTrigger("attached"), [(0, UP), (SETTLED, None), (5, DOWN), (60, UP), (60.1, ATTACHED)], 1),
        (GearTrigger("detached"), [(0, UP), (0.1, ATTACHED), (5, DOWN), (600, None)], 0),
        (BatteryTrigger(20), [(0, Battery(20, False)), (1, Battery(19, False)), (2, Battery(18, False))], 1),
        (BatteryTrigger(20), [(0, Battery(5, False))], 1),
        (BatteryTrigger(20), [(0, Battery(19, False)), (1, Battery(20, False)), (2, Battery(19, False))], 1),
        (BatteryTrigger(20), [(0, Battery(19, False)), (1, Battery(25, True)), (2, Battery(19, False))], 2),
        (BatteryTrigger(20), [(0, Battery(19, False)), (1, DOWN), (2, UP), (3, Battery(19, False))], 1),
        (LinkTrigger(True, 5), [(0, UP), (4, None)], 0),
        (LinkTrigger(True, 5), [(0, UP), (5, None), (60, None)], 1),
        (LinkTrigger(True, 5), [(0, UP), (3, DOWN), (4, UP), (8, None)], 0),
        (LinkTrigger(True, 0), [(0, UP), (0, None)], 1),
        (LinkTrigger(False, 60), [(0, UP), (1, DOWN), (61, None)], 1),
        (LinkTrigger(False, 60), [(0, UP), (1, DOWN), (60, UP), (100, None)], 0),
        # Not connected yet.
        (LinkTrigger(False, 60), [(1000, None)], 0),
    ],
)  # fmt: skip
def test_triggers(trigger: Trigger, events: list[tuple[float, Any]], count: int) -> None:
    assert fired(trigger, *events) == count


def test_time_passes_without_events() -> None:
    async def test() -> None:
        one, ran = rule(LinkTrigger(False, 0.05))
        bench = Bench(one)
        done = asyncio.Event()
        bench.engine.on_run = lambda occasion: done.set()
        bench.engine.take(LINK, UP)
        bench.engine.take(LINK, DOWN)
        await asyncio.wait_for(done.wait(), 20)
        assert ran == [{"event": "away", "seconds": 0.05}]
        bench.engine.close()

    asyncio.run(test())


# Tags and conditions


@pytest.mark.parametrize(
    "selection, tags",
    [
        (Selection(), "both"),
        (Selection(("01ZK",)), "first"),
        (Selection(("01zk", "T001")), "both"),
        (Selection(("0000AAAAA001ZK",)), "first"),
        (Selection(("sleeve",)), "first"),
        (Selection(("sleev",)), "none"),
        (Selection((OTHER.identity.identifier.upper(),)), "second"),
        (Selection((), (("room", "kitchen"),)), "first"),
        (Selection(("T001",), (("room", "kitchen"),)), "none"),
        (Selection((), (("room", "hall"),)), "none"),
    ],
)
def test_tags(selection: Selection, tags: str) -> None:
    found = [selection.selects(link.identity) for link in (LINK, OTHER)]
    assert {"both": [True, True], "first": [True, False], "second": [False, True], "none": [False, False]}[tags] == found


def test_conditions() -> None:
    async def test() -> None:
        is_locked = False
        by_day, in_day = rule(GestureTrigger("cover"), hours=Hours(datetime.time(8), datetime.time(22)))
        by_night, in_night = rule(GestureTrigger("cover"), hours=Hours(datetime.time(22), datetime.time(8)), name="n")
        locked, while_locked = rule(GestureTrigger("cover"), locked=True)
        unlocked, while_unlocked = rule(GestureTrigger("cover"), locked=False)
        bench = Bench(by_day, by_night, locked, unlocked, is_locked=lambda: is_locked)
        await bench.take(COVER)
        assert [len(ran) for ran in (in_day, in_night, while_locked, while_unlocked)] == [1, 0, 0, 1]
        is_locked, bench.time = True, datetime.time(22)
        await bench.take(COVER)
        assert [len(ran) for ran in (in_day, in_night, while_locked, while_unlocked)] == [1, 1, 1, 1]
        bench.time = datetime.time(7, 59)
        await bench.take(COVER)
        assert len(in_night) == 2

    asyncio.run(test())


# Neither late nor repeated


def test_ten_thousand_gestures_run_once_in_order_or_are_too_old() -> None:
    async def test() -> None:
        chance = random.Random(35)
        one, ran = rule(GestureTrigger("any"), rate=100_000)
        bench = Bench(one)
        for number in range(10_000):
            bench.engine.take(LINK, Gesture(number, ""))  # type: ignore[arg-type]
            if chance.random() < 0.01:
                bench.engine.take(LINK, DOWN)
                bench.engine.take(LINK, UP)
            if chance.random() < 0.01:
                # Those that wait become too old, and those that follow are not.
                bench.ahead += OLDEST * 0.9
                bench.engine._ages._suspended._offset += OLDEST * 0.9
            if chance.random() < 0.05:
                await bench.engine.finished()
        await bench.engine.finished()
        numbers = [details["gesture_number"] for details in ran]
        assert numbers == sorted(set(numbers))
        counts = bench.engine.counts
        assert counts.ran == len(numbers) and counts.ran + counts.too_old == 10_000 and counts.too_many == 0
        assert 0 < counts.too_old < 10_000

    asyncio.run(test())


def test_a_late_event_runs_nothing_and_is_reported_once() -> None:
    async def test() -> None:
        release = asyncio.Event()

        async def slow(run: Run) -> None:
            await release.wait()

        one, _ = rule(GestureTrigger("cover"), Recorded(act_as=slow), name="slow")
        bench = Bench(one)
        for _ in range(4):
            bench.engine.take(LINK, COVER)
        await turn()
        bench.ahead += OLDEST * 1.1
        release.set()
        await bench.engine.finished()
        assert (bench.engine.counts.ran, bench.engine.counts.too_old) == (1, 3)
        assert bench.complaints == ["slow: not run for an event that is more than 1 second old"]

    asyncio.run(test())


def test_too_many_events_are_reported_again_after_a_pause() -> None:
    async def test() -> None:
        one, _ = rule(GestureTrigger("any"), name="a")
        bench = Bench(one)
        for _ in range(2):
            await bench.take(*[COVER] * 15)
            bench.ahead += REST
            bench.engine._ages._suspended._offset += REST
        assert bench.complaints == ["a: more than 10 times in one second; the rest is dropped"] * 2

    asyncio.run(test())


def test_one_cause_is_reported_once() -> None:
    """Actions of several rules fail with the reason for which their resource could not be opened."""
    said: list[str] = []
    complaints = Complaints(said.append)
    complaints.report(RESOURCE, "SessionBus", "no bus", "no bus")
    complaints.report(RESOURCE, "Players", "no bus", "no bus")
    complaints.report("rule", 0, "rule: no bus", "no bus")
    complaints.report("other", 0, "other: no bus", "no bus")
    assert said == ["no bus"]
    complaints.works("rule", 0)
    complaints.report("rule", 0, "rule: no bus", "no bus")
    # Rules that fail alike fail by themselves.
    for name in ("one", "two"):
        complaints.report(name, 0, f"{name}: status 1", "status 1")
    assert said == ["no bus", "rule: no bus", "one: status 1", "two: status 1"]


def test_no_action_begins_late() -> None:
    """An action of the same rule may take long."""

    async def test() -> None:
        async def slow(run: Run) -> None:
            bench.ahead += OLDEST * 1.1

        after = Recorded("after")
        one, _ = rule(GestureTrigger("cover"), Recorded("b", act_as=slow), after, name="slow")
        bench = Bench(one)
        await bench.take(COVER)
        assert (after.ran, bench.engine.counts.too_old) == ([], 1)
        assert bench.complaints == ["slow: not run for an event that is more than 1 second old"]

    asyncio.run(test())


def test_a_rule_never_waits_for_the_commands_of_others() -> None:
    """The second command of a busy rule waits for a place, but not until its gesture is too old."""

    async def test() -> None:
        busy = Rule(GestureTrigger("cover"), (Command(("sleep", "1000")),), name="busy")
        other = Rule(GestureTrigger("brush-in"), (Command(("true",)),), name="other")
        bench = Bench(busy, other)
        bench.engine._resources.settings = Settings(parallel=1)
        began = time.monotonic()
        await bench.take(COVER, BRUSH_IN)
        assert bench.engine.counts.ran == 2 and time.monotonic() - began < OLDEST
        await bench.take(COVER)
        assert (bench.engine.counts.ran, bench.engine.counts.too_old) == (2, 1)
        assert bench.complaints == ["busy: not run for an event that is more than 1 second old"]
        assert OLDEST <= time.monotonic() - began < 2 * OLDEST
        bench.engine.close()
        await bench.engine._resources.close()

    asyncio.run(test())


def test_what_arrives_first_after_suspend_may_be_old() -> None:
    async def test() -> None:
        one, ran = rule(GestureTrigger("any"))
        bench = Bench(one)
        bench.ahead += 3600
        await bench.take(COVER, BRUSH_IN)
        assert (len(ran), bench.engine.counts.too_old) == (0, 2)
        await turn()
        await bench.take(COVER)
        assert len(ran) == 1
        # A lost link is reported first, so the gesture after it is new.
        bench.ahead += 3600
        await bench.take(DOWN)
        await turn()
        await bench.take(COVER)
        assert len(ran) == 2

    asyncio.run(test())


def test_what_is_derived_from_touches_just_after_suspend_may_be_old() -> None:
    async def test() -> None:
        one, ran = rule(GestureTrigger("double-tap"))
        other, touched = rule(TouchTrigger("double-tap"))
        bench = Bench(one, other)
        bench.ahead += 3600
        await bench.take(derived(TouchGestureType.DOUBLE_TAP, bench.now()))
        assert (len(ran), len(touched), bench.engine.counts.too_old) == (0, 0, 2)
        await turn()
        await bench.take(derived(TouchGestureType.DOUBLE_TAP, bench.now()))
        assert (len(ran), len(touched)) == (1, 1)

    asyncio.run(test())


def test_touches_of_a_program_that_did_not_run_are_too_old() -> None:
    """What is derived from samples is as old as they are, and so is the last step of a fader, which waits for the rate."""

    async def test() -> None:
        rules = [
            rule(TouchTrigger("double-tap")),
            rule(GestureTrigger("double-tap")),
            rule(TouchTrigger("double-tap", (0, 2))),
            rule(TrainedTrigger("zigzag")),
            rule(FaderTrigger(True, steps=100)),
        ]
        bench = Bench(*(one for one, _ in rules))

        async def make(past: float) -> list[int]:
            """Returns how often each rule has run."""
            when = bench.now() - past
            tap = derived(TouchGestureType.DOUBLE_TAP, when)
            positions = [(TouchPhase.BEGAN, 2.0), (TouchPhase.MOVED, 4.0), (TouchPhase.MOVED, 6.0), (TouchPhase.ENDED, 6.0)]
            fader = [finger(phase, place, when + number / 60) for number, (phase, place) in enumerate(positions)]
            before = [len(ran) for _, ran in rules]
            await bench.take(tap, GestureWhileHeld((0, 2), tap), TrainedGesture("zigzag", 0.5, when), *fader)
            await asyncio.sleep(0.3)  # longer than the pause between the steps of a fader
            await bench.engine.finished()
            return [len(ran) - count for (_, ran), count in zip(rules, before)]

        assert await make(OLDEST + 1) == [0, 0, 0, 0, 0]
        assert bench.engine.counts.too_old == 6 and bench.engine.counts.ran == 0
        assert await make(0) == [1, 1, 1, 1, 2]
        assert bench.engine.counts.too_many == 0
        bench.engine.close()

    asyncio.run(test())


def test_a_rule_runs_ten_times_a_second_at_most() -> None:
    async def test() -> None:
        one, ran = rule(GestureTrigger("any"), name="often")
        other, slowly = rule(GestureTrigger("cover"), rate=2)
        bench = Bench(one, other)
        for _ in range(3):
            for _ in range(15):
                bench.engine.take(LINK, BRUSH_IN)
            await bench.take(COVER)
            bench.ahead += 1
            bench.engine._ages._suspended._offset += 1
        assert (len(ran), len(slowly), bench.engine.counts.too_many) == (30, 3, 18)
        assert bench.complaints == ["often: more than 10 times in one second; the rest is dropped"]

    asyncio.run(test())


def test_occasions_after_the_last_one_run_nothing() -> None:
    async def test() -> None:
        one, ran = rule(GestureTrigger("any"))
        bench = Bench(one)

        bench.engine.on_run = lambda occasion: bench.engine.stop(after=occasion.arrived)
        # The second one waits for the first.
        await bench.take(COVER, BRUSH_IN)
        assert [details["gesture"] for details in ran] == ["cover"]
        # What is stopped is not started again.
        bench.engine.stop()
        bench.engine.stop(after=math.inf)
        await bench.take(COVER)
        assert len(ran) == 1

    asyncio.run(test())


# Failures


def test_failures_affect_no_other_rule_and_are_reported_once() -> None:
    async def test() -> None:
        fails = True

        async def fail(run: Run) -> None:
            if fails:
                raise ActionError("it is broken")

        async def crash(run: Run) -> None:
            raise ZeroDivisionError

        async def hang(run: Run) -> None:
            await asyncio.Event().wait()

        after = Recorded("after")
        one, _ = rule(GestureTrigger("any"), Recorded("b", act_as=fail), Recorded("c", act_as=crash), after, name="r")
        hanging, _ = rule(GestureTrigger("any"), Recorded("h", act_as=hang))
        other, ran = rule(GestureTrigger("any"))
        bench = Bench(one, hanging, other)

        async def take() -> None:
            before = len(ran)
            bench.engine.take(LINK, COVER)
            await until_async(lambda: len(ran) == len(after.ran) == before + 1)

        for _ in range(3):
            await take()
        assert bench.complaints == ["r: b: it is broken", "r: c: internal error: ZeroDivisionError()"]
        fails = False
        await take()
        fails = True
        await take()
        assert bench.complaints[2:] == ["r: b: it is broken"]
        bench.engine.close()

    asyncio.run(test())


def test_a_failure_of_a_rule_that_was_removed_is_not_reported_again() -> None:
    async def test() -> None:
        ends: list[Callable[[str | None], None]] = []

        async def start(run: Run) -> None:
            ends.append(run.ended)

        one, _ = rule(GestureTrigger("any"), Later("b", act_as=start), name="r")
        bench = Bench(one)
        await bench.take(COVER, BRUSH_IN, COVER)
        ends[0]("it is broken")
        bench.engine.use([])
        ends[1]("it is broken")
        assert bench.complaints == ["r: b: it is broken"]
        # A rule that is added again begins again.
        bench.engine.use([one])
        ends[2]("it is broken")
        assert bench.complaints == ["r: b: it is broken"] * 2
        bench.engine.close()

    asyncio.run(test())


# Other rules while it runs


def test_equal_rules_keep_what_they_remember() -> None:
    async def test() -> None:
        battery, low = rule(BatteryTrigger(20), line=1)
        attached, ran = rule(GearTrigger("detached"), line=2)
        bench = Bench(battery, attached)
        await bench.take(UP, Battery(10, False), ATTACHED)
        moved = dataclasses.replace(battery, line=7)
        new, changed = rule(GearTrigger("detached"), name="new")
        bench.engine.use([moved, new])
        link = dataclasses.replace(LINK, tag="tag", gear="component")  # type: ignore[arg-type]
        bench.engine.introduce(link)
        await bench.take(Battery(9, False), DETACHED)
        assert (len(low), len(ran), len(changed)) == (1, 0, 1)
        # A tag that was removed begins again.
        bench.engine.forget(LINK.identity.identifier)
        await bench.take(Battery(9, False))
        assert len(low) == 2
        bench.engine.close()

    asyncio.run(test())


def test_a_dry_run_carries_out_nothing() -> None:
    async def test() -> None:
        shown: list[str] = []
        one, ran = rule(GestureTrigger("any"), Recorded("b"), Recorded("c"))
        bench = Bench(one, is_dry=True)
        bench.engine._ran = lambda rule, action, occasion, text: shown.append(str(action))
        await bench.take(COVER)
        assert (shown, ran) == (["b", "c"], [])

    asyncio.run(test())


def test_every_gesture_of_the_library_can_start_a_rule() -> None:
    for number in jacquard.GestureType:
        (found,) = file.parse(f'[[on]]\ngesture = "{number}"\ndo = {{ media = "next" }}\n').rules
        assert found.trigger.watch().take(Gesture(number, str(number)), 0) is not None
