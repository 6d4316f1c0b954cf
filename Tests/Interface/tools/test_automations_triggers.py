"""The events that start rules."""

from __future__ import annotations

import asyncio
import dataclasses
import math
from typing import Any

import jacquard
import pytest
from bench import ATTACHED, BRUSH_IN, COPY, COVER, DETACHED, DOWN, LINK, UP, Bench, fired, rule
from jacquard import (
    Battery,
    Touch,
    TouchGesture,
    TouchGestureType,
    TouchPhase,
    TouchPoint,
    TouchTracker,
)
from jacquard_automations.events.battery import BatteryTrigger
from jacquard_automations.events.fader import FaderTrigger
from jacquard_automations.events.gear import SETTLED, GearTrigger
from jacquard_automations.events.gesture import GestureTrigger
from jacquard_automations.events.link import LinkTrigger
from jacquard_automations.events.touch import TouchTrigger
from jacquard_automations.held import Holds
from jacquard_automations.triggers import GestureWhileHeld, Touches, Trigger

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
        # Held too briefly, no longer, elsewhere, or not at all.
        ([(10, [HELD]), TAP, (5, [HELD])], []),
        ([(40, [HELD]), (5, []), (6, [rest(8)]), (5, [])], []),
        ([(40, [HELD]), TAP, (3, [rest(8)]), (5, [])], []),
        ([(40, [rest(4)]), (6, [rest(4), rest(9)]), (5, [rest(4)])], []),
        ([(40, []), (6, [rest(8)]), (5, [])], []),
        # The other finger was there before, or it is the same finger, on its way from the lines or to them.
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
    """A thousand steps in a second: the sum of the changes is the finger's movement."""
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
        # The first attached gear is not a change.
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
