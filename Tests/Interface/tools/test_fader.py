"""The fader: what its value is, and how much later than the finger."""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterable

import pytest
from jacquard import TouchPhase, TouchPoint
from jacquard_apps.touch.fader import END, GREATEST_DELAY, PLAY, RISE, Fader, Follower

PERIOD = 1 / 60


def point(phase: TouchPhase, position: float, time: float = 0, speed: float = 0, touch: int = 1) -> TouchPoint:
    return TouchPoint(touch, phase, position, 0.95, 80, speed, time)


def began(position: float, **details: float) -> TouchPoint:
    return point(TouchPhase.BEGAN, position, **details)  # type: ignore[arg-type]


def moved(position: float, time: float = 1e9, **details: float) -> TouchPoint:
    """A movement after a time in which the filter has settled."""
    return point(TouchPhase.MOVED, position, time, **details)  # type: ignore[arg-type]


def ended(position: float = 5, touch: int = 1) -> TouchPoint:
    return point(TouchPhase.ENDED, position, 3e9, touch=touch)


def after(fader: Fader, *points: TouchPoint) -> float:
    for one in points:
        fader.take(one)
    return fader.value


# The value


def test_an_absolute_fader_has_the_value_of_the_place_that_is_touched() -> None:
    assert after(Fader(), began(5.5)) == pytest.approx(0.5)
    assert after(Fader(), began(8)) == pytest.approx((8 - END) / (11 - 2 * END))


@pytest.mark.parametrize("position, value", [(-0.4, 0), (0, 0), (END, 0), (11 - END, 1), (11, 1), (11.4, 1)])
def test_both_ends_can_be_reached(position: float, value: float) -> None:
    assert after(Fader(), began(position)) == pytest.approx(value)


def test_an_absolute_fader_keeps_its_value_when_the_finger_is_lifted() -> None:
    fader = Fader()
    assert after(fader, began(5.5), ended()) == pytest.approx(0.5)
    assert not fader.is_touched


def test_a_relative_fader_does_not_jump_when_it_is_touched() -> None:
    fader = Fader(relative=True)
    assert after(fader, began(9)) == 0
    assert after(fader, ended(), began(2, touch=2), moved(4.1, touch=2)) == pytest.approx((2.1 - PLAY) / 10.5)


def test_a_relative_fader_is_moved_on_from_where_it_was_left() -> None:
    fader = Fader(relative=True)
    for touch in (1, 2, 3):
        after(fader, began(3, touch=touch), moved(5, touch=touch), ended(touch=touch))
    assert fader.value == pytest.approx(3 * (2 - PLAY) / 10.5)


def test_a_relative_fader_turns_back_at_once_at_its_end() -> None:
    fader = Fader(relative=True)
    fader.value = 0.9
    assert after(fader, began(1), moved(10)) == 1
    assert after(fader, moved(9, 2e9)) == pytest.approx(1 - (1 - 2 * PLAY) / 10.5)


def test_lines_in_the_other_order_turn_the_fader_round() -> None:
    assert after(Fader(11, 0), began(0)) == 1
    assert after(Fader(11, 0), began(11)) == 0
    assert after(Fader(11, 0, relative=True), began(8), moved(6)) == pytest.approx((2 - PLAY) / 10.5)


def test_a_fader_on_some_lines_ignores_touches_that_began_elsewhere() -> None:
    fader = Fader(4, 7)
    assert not fader.take(began(2)) and not fader.take(moved(6))
    assert fader.take(began(6, touch=2)) and fader.value == pytest.approx((6 - 4 - END) / (3 - 2 * END))


def test_a_finger_that_leaves_its_lines_stays_at_the_end() -> None:
    assert after(Fader(4, 7), began(5), moved(11)) == 1


def test_a_second_finger_does_not_move_it() -> None:
    fader = Fader()
    after(fader, began(5.5))
    assert not fader.take(began(9, touch=2)) and not fader.take(moved(10, touch=2)) and not fader.take(ended(touch=2))
    assert fader.value == pytest.approx(0.5) and fader.is_touched


def test_take_says_whether_something_has_changed() -> None:
    fader = Fader()
    assert fader.take(began(5)) and not fader.take(moved(5 + PLAY / 2)) and fader.take(moved(6, 2e9)) and fader.take(ended())
    assert not fader.take(ended())


def test_a_cancelled_touch_releases_it() -> None:
    fader = Fader()
    after(fader, began(5), point(TouchPhase.CANCELLED, 5, 1))
    assert not fader.is_touched


# How late it is


def swipe(speed: float, periods: Iterable[float]) -> list[tuple[float, float]]:
    """The filtered positions of a finger that moves steadily, each with its real one."""
    time = 0.0
    follower = Follower(began(0))
    found = []
    for period in periods:
        time += period
        found.append((follower.follow(moved(speed * time, time, speed=speed)), speed * time))
    return found


@pytest.mark.parametrize("speed", [0.5, 2, 10, 30, 100, -10])
@pytest.mark.parametrize("seed", range(5))
def test_a_steady_finger_is_followed_with_no_more_than_the_stated_delay(speed: float, seed: int) -> None:
    """Samples come at the rate of a tag; a third of them are lost, and some come together after a pause."""
    drawn = random.Random(seed)
    periods = [PERIOD * drawn.choice([0.01, 1, 1, 1, 2, 3, 20]) for _ in range(100)]
    for position, real in swipe(speed, periods):
        assert abs(real - position) <= GREATEST_DELAY * abs(speed) + PLAY + 1e-9


@pytest.mark.parametrize("speed", [1, 10, 30, 100, 1000])
def test_it_is_never_more_than_a_sixth_of_a_line_behind(speed: float) -> None:
    assert max(real - position for position, real in swipe(speed, [PERIOD] * 100)) <= 0.16 / RISE + PLAY


def test_a_step_arrives_in_three_delays() -> None:
    follower = Follower(began(2))
    for number in range(1, 5):
        follower.follow(moved(6, number * PERIOD))
    assert abs(follower.position - 6) < 4 * 0.09 + PLAY


# What it removes


@pytest.mark.parametrize("noise, least_part", [(0.02, 0.01), (0.045, 0.35)])
def test_a_finger_at_rest_moves_less_than_its_noise(noise: float, least_part: float) -> None:
    """The noise is that of the touch tracker with lines that have a noise of 2 and of 5."""
    drawn = random.Random(1)
    follower = Follower(began(5))
    positions = []
    for number in range(1, 2000):
        speed = drawn.gauss(0, noise * 9)  # of a line through 8 positions
        positions.append(follower.follow(moved(5 + drawn.gauss(0, noise), number * PERIOD, speed=speed)))
    assert statistics.pstdev(positions) < noise * least_part


def test_times_that_stand_still_do_no_harm() -> None:
    follower = Follower(began(5, time=3))
    assert follower.follow(moved(9, 3)) == 5 and follower.follow(moved(9, 2)) == 5
    assert follower.follow(moved(9, 4)) == pytest.approx(9, abs=0.2)
