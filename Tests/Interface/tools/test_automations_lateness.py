"""Rules run neither late nor repeatedly."""

from __future__ import annotations

import asyncio
import math
import random
import time

from bench import BRUSH_IN, COVER, DOWN, LINK, UP, Bench, Recorded, rule
from jacquard import (
    Gesture,
    TouchGestureType,
    TouchPhase,
)
from jacquard_automations.action import Run
from jacquard_automations.actions.command import Command
from jacquard_automations.age import OLDEST
from jacquard_automations.complaints import RESOURCE, Complaints
from jacquard_automations.engine import REST, Counts
from jacquard_automations.events.fader import FaderTrigger
from jacquard_automations.events.gesture import GestureTrigger
from jacquard_automations.events.touch import TouchTrigger
from jacquard_automations.events.trained import TrainedTrigger
from jacquard_automations.rules import Rule
from jacquard_automations.settings import Settings
from jacquard_automations.triggers import GestureWhileHeld, TrainedGesture
from test_automations_triggers import derived, finger
from waiting import turn, until_async

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
                # Waiting gestures become too old, and later ones do not.
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
    # Rules that fail in the same way fail independently.
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
    """Derived events are as old as their samples, even the last step of a fader, which waits for the rate."""

    async def make(past: float) -> tuple[list[int], Counts]:
        """Returns how often each rule has run, and what became of the occasions."""
        rules = [
            rule(TouchTrigger("double-tap")),
            rule(GestureTrigger("double-tap")),
            rule(TouchTrigger("double-tap", (0, 2))),
            rule(TrainedTrigger("zigzag")),
            rule(FaderTrigger(True, steps=100)),
        ]
        bench = Bench(*(one for one, _ in rules))
        when = bench.now() - past
        tap = derived(TouchGestureType.DOUBLE_TAP, when)
        positions = [(TouchPhase.BEGAN, 2.0), (TouchPhase.MOVED, 4.0), (TouchPhase.MOVED, 6.0), (TouchPhase.ENDED, 6.0)]
        fader = [finger(phase, place, when + number / 60) for number, (phase, place) in enumerate(positions)]
        await bench.take(tap, GestureWhileHeld((0, 2), tap), TrainedGesture("zigzag", 0.5, when), *fader)
        # While there is a timer, the fader has another step.
        await until_async(lambda: not bench.engine._timers)
        await bench.engine.finished()
        bench.engine.close()
        return [len(ran) for _, ran in rules], bench.engine.counts

    assert asyncio.run(make(OLDEST + 1)) == ([0, 0, 0, 0, 0], Counts(too_old=6))
    assert asyncio.run(make(0)) == ([1, 1, 1, 1, 2], Counts(ran=6))


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
        # A stopped engine is not started again.
        bench.engine.stop()
        bench.engine.stop(after=math.inf)
        await bench.take(COVER)
        assert len(ran) == 1

    asyncio.run(test())
