"""The package's values are frozen dataclasses, although the package defines them without the standard library's decorator."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import pickle
import sys
import time
import typing
from collections.abc import Sequence
from typing import Any

import jacquard
import pytest
from jacquard import LineHealth, Touch, TouchGesture, TouchGestureType, TouchPhase, TouchTracker
from jacquard.error import ErrorDetails

PUBLIC = [getattr(jacquard, name) for name in jacquard.__all__]
VALUES = [ErrorDetails, *(each for each in PUBLIC if dataclasses.is_dataclass(each))]
# Valid fields of classes that check them; other classes accept anything.
VALID: dict[str, Any] = {"str": "a", "str | None": "a", "Sequence[LedFrame]": (), "tuple[int, int, int]": (1, 2, 3)}
TOUCH = jacquard.Touch(7, proximity=1, lines=(1, 2))


def in_the_standard_library(cls: type[Any]) -> type[Any]:
    """The same class with the standard library's decorator."""
    types = vars(cls).get("__annotations__", {})
    defaults = {
        each.name: dataclasses.field(default=each.default, compare=each.compare)
        for each in dataclasses.fields(cls)
        if each.name in vars(cls)
    }
    return dataclasses.dataclass(frozen=True)(type(cls.__name__, (), {"__annotations__": types, **defaults}))


@pytest.mark.parametrize("cls", VALUES, ids=lambda cls: cls.__name__)
def test_a_class_is_like_one_of_the_standard_library(cls: type[Any]) -> None:
    other: Any = in_the_standard_library(cls)
    assert inspect.signature(cls) == inspect.signature(other)
    assert cls.__match_args__ == tuple(each.name for each in dataclasses.fields(cls))
    described = [[(each.name, each.type, each.default) for each in dataclasses.fields(one)] for one in (cls, other)]
    assert described[0] == described[1]
    if sys.version_info >= (3, 10):  # Before, `int | None` cannot be evaluated.
        assert list(typing.get_type_hints(cls)) == list(cls.__match_args__)
    arguments = [VALID.get(str(each.type), place) for place, each in enumerate(dataclasses.fields(cls))]
    assert repr(cls(*arguments)) == repr(other(*arguments))
    assert hash(cls(*arguments)) == hash(other(*arguments))


def test_all_values_of_the_package_were_compared() -> None:
    assert {jacquard.Touch, jacquard.MotionSample, jacquard.UpdateResult, jacquard.Led, ErrorDetails} <= set(VALUES)


def test_values_are_compared_by_their_fields() -> None:
    assert TOUCH == jacquard.Touch(7, 1, (1, 2)) != jacquard.Touch(8, 1, (1, 2))
    assert jacquard.Name("a") != jacquard.Notification("a")  # type: ignore[arg-type]
    made = jacquard.Gesture(jacquard.GestureType.COVER, "cover", arrival=1.5)
    assert made == dataclasses.replace(made, arrival=2.5) != dataclasses.replace(made, may_be_copy=True)
    assert made.arrival == 1.5
    touch = jacquard.Touch(7, 1, (1, 2), arrival=1.5)
    assert touch == TOUCH and (touch.arrival, TOUCH.arrival) == (1.5, 0)
    assert TOUCH != dataclasses.astuple(TOUCH)  # type: ignore[comparison-overlap]


def test_a_value_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'proximity'"):
        TOUCH.proximity = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'proximity'"):
        del TOUCH.proximity
    with pytest.raises(dataclasses.FrozenInstanceError):
        TOUCH.more = 2  # type: ignore[attr-defined]
    assert dataclasses.replace(TOUCH, proximity=2) == jacquard.Touch(7, 2, (1, 2))


def test_wrong_arguments_are_refused() -> None:
    for wrong in [(), (7,), (7, 1, (1, 2), 4, 5)]:
        with pytest.raises(TypeError, match=r"__init__\(\)"):
            jacquard.Touch(*wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'line'"):
        jacquard.Touch(7, 1, line=(1, 2))  # type: ignore[call-arg]


def test_values_can_be_copied_and_pickled() -> None:
    for again in (copy.copy(TOUCH), copy.deepcopy(TOUCH), pickle.loads(pickle.dumps(TOUCH))):
        assert again == TOUCH
        assert again is not TOUCH


def test_values_become_dictionaries_and_tuples() -> None:
    assert dataclasses.asdict(TOUCH) == {"sequence": 7, "proximity": 1, "lines": (1, 2), "arrival": 0}
    assert dataclasses.astuple(TOUCH) == (7, 1, (1, 2), 0)


def test_a_program_can_extend_a_value() -> None:
    @dataclasses.dataclass(frozen=True)
    class Timed(jacquard.Touch):
        time: float = 0

    assert [each.name for each in dataclasses.fields(Timed(7, 1, (), time=2.5))] == [
        "sequence",
        "proximity",
        "lines",
        "arrival",
        "time",
    ]
    assert Timed(7, 1, (), time=2.5) != Timed(7, 1, (), time=2.6)

    class Marked(jacquard.Touch):
        pass

    marked = Marked(7, 1, ())
    marked.mark = 1  # type: ignore[attr-defined]
    with pytest.raises(dataclasses.FrozenInstanceError):
        marked.proximity = 2  # type: ignore[misc]


def test_a_generic_value_has_parameters() -> None:
    assert typing.get_args(jacquard.Gear[int]) == (int,)
    assert jacquard.Gear[int](3) == jacquard.Gear(3)


@pytest.mark.skipif(sys.version_info < (3, 10), reason="pattern matching")
def test_a_value_can_be_matched() -> None:
    namespace: dict[str, Any] = {"touch": TOUCH, "Touch": jacquard.Touch}
    exec("match touch:\n    case Touch(sequence, proximity=1): found = sequence", namespace)
    assert namespace["found"] == 7


def finger(position: float, strength: float = 85) -> tuple[int, ...]:
    return tuple(round(strength * math.exp(-((line - position) ** 2) / 2)) for line in range(12))


def test_a_tracker_turns_samples_into_touches() -> None:
    tracker = TouchTracker()
    points = [
        point
        for number in range(6)
        for point in tracker.process(Touch(number + 1, 60, finger(2 + number / 2)), 10 + number / 60)
    ]
    assert [point.phase for point in points] == [TouchPhase.BEGAN, *[TouchPhase.MOVED] * 5]
    assert {point.id for point in points} == {1}
    assert points[-1].position == pytest.approx(4.5, abs=0.03) and points[-1].width == pytest.approx(1, abs=0.05)
    assert points[-1].speed == pytest.approx(30, rel=0.03) and points[-1].strength == pytest.approx(85, abs=2)
    assert points[-1].time == pytest.approx(10 + 5 / 60, abs=1e-6)
    assert str(points[0]).startswith("touch 1 began at 2.0")
    assert tracker.wait(10.2) == []
    assert [(point.phase, point.time) for point in tracker.wait(11)] == [(TouchPhase.ENDED, points[-1].time)]
    assert [point.id for point in tracker.process(Touch(1, 60, finger(3)), 12)] == [2]
    assert [point.phase for point in tracker.cancel(13)] == [TouchPhase.CANCELLED]
    assert tracker.cancel() == []


def test_a_tracker_knows_which_lines_are_broken() -> None:
    tracker = TouchTracker()
    assert tracker.health() == (LineHealth.GOOD,) * 12
    for number in range(60):
        lines = list(finger(number / 6))
        lines[4], lines[8] = 0, 60
        tracker.process(Touch(number + 1, 60, tuple(lines)), 10 + number / 60)
    health = tracker.health()
    assert (health[4], health[8]) == (LineHealth.DEAD, LineHealth.STUCK)
    assert all(each is LineHealth.GOOD for line, each in enumerate(health) if line not in (4, 8))
    tracker.cancel()
    assert tracker.health() == (LineHealth.GOOD,) * 12


def test_a_sample_has_the_time_of_its_arrival_and_otherwise_arrives_now() -> None:
    tracker = TouchTracker()
    assert [point.time for point in tracker.process(Touch(1, 60, finger(3), arrival=12.5))] == [12.5]
    assert [point.time for point in tracker.process(Touch(2, 60, finger(3), arrival=12.6), 12.7)] == [12.7]
    before = time.clock_gettime(time.CLOCK_BOOTTIME)
    (point, *_) = TouchTracker().process(Touch(1, 60, finger(3)))
    assert point.time == pytest.approx(before, abs=60)


def fed(tracker: TouchTracker, positions: Sequence[Sequence[float]], start: int) -> list[TouchGesture]:
    """The gestures of fingers at these positions, one sample after the other."""
    gestures = []
    for number, fingers in enumerate(positions, start):
        lines: tuple[int, ...] = (0,) * 12
        for position in fingers:
            lines = tuple(map(sum, zip(lines, finger(position))))
        tracker.process(Touch(number, 60, lines), 10 + number / 60)
        gestures += tracker.gestures()
    return gestures


def test_a_tracker_derives_gestures_from_touches() -> None:
    tracker = TouchTracker()
    taps = fed(tracker, [[4], [4], [], [], [4.1], [4.1], []], 1)
    assert [gesture.type for gesture in taps] == [TouchGestureType.TAP, TouchGestureType.DOUBLE_TAP]
    assert [(gesture.id, gesture.other_id, gesture.fingers) for gesture in taps] == [(1, None, 1), (2, None, 1)]
    assert taps[0].time == pytest.approx(10 + 3 / 60, abs=1e-6) and taps[0].position == pytest.approx(4, abs=0.03)
    assert str(taps[1]) == f"double-tap by touch 2 at {taps[1].position:.2f}"
    assert tracker.gestures() == taps[1:]
    (swipe,) = fed(tracker, [[8 - number / 2] for number in range(11)] + [[]], 100)
    assert swipe.type is TouchGestureType.SWIPE_IN
    assert swipe.distance == pytest.approx(-5, abs=0.05) and swipe.speed == pytest.approx(-30, rel=0.03)
    assert str(swipe).startswith("swipe-in by touch 3 at 3.0") and str(swipe).endswith("-5.0 lines, -30.0 lines/s")
    (pair,) = fed(tracker, [[2, 9]] * 6 + [[]], 200)
    assert (pair.type, pair.id, pair.other_id, pair.fingers) == (TouchGestureType.TWO_FINGER_TAP, 4, 5, 2)
    assert str(pair).startswith("two-finger-tap by touches 4 and 5 at 5.5")


def test_a_cancelled_touch_makes_no_gesture() -> None:
    tracker = TouchTracker()
    assert fed(tracker, [[4], [4]], 1) == []
    assert [point.phase for point in tracker.cancel(11)] == [TouchPhase.CANCELLED]
    assert tracker.gestures() == []


def test_a_tracker_refuses_what_is_not_a_sample() -> None:
    with pytest.raises(ValueError):
        TouchTracker().process(Touch(1, 60, (0,) * 11), 0)
