"""Which rules an event runs, and how often: with recorded actions, and without a tag."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
from typing import Callable

import jacquard
import pytest
from bench import ATTACHED, BRUSH_IN, COVER, DETACHED, LINK, OTHER, UP, Bench, Later, Recorded, rule
from jacquard import (
    Battery,
    Gesture,
)
from jacquard_automations import file
from jacquard_automations.action import ActionError, Run
from jacquard_automations.events.battery import BatteryTrigger
from jacquard_automations.events.gear import GearTrigger
from jacquard_automations.events.gesture import GestureTrigger
from jacquard_automations.rules import Hours, Selection
from waiting import until_async

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
