"""The generated people of Tests/Support, whose samples other tests use."""

from __future__ import annotations

import itertools

import pytest
from independent_people import GESTURES, OTHERS, Person
from independent_sleeve import Sample

NAMES = [*GESTURES, *OTHERS]
PEOPLE = range(20)


def touches(samples: list[Sample]) -> list[list[Sample]]:
    """A smaller sequence number begins a touch."""
    found: list[list[Sample]] = []
    for sample in samples:
        if not found or sample[1].sequence < found[-1][-1][1].sequence:
            found.append([])
        found[-1].append(sample)
    return found


def center(sample: Sample) -> float:
    strengths = [max(0, strength - 12) for strength in sample[1].lines]
    return sum(line * strength for line, strength in enumerate(strengths)) / max(1, sum(strengths))


def pressed(samples: list[Sample]) -> list[Sample]:
    return [sample for sample in samples if max(sample[1].lines) > 24]


def strongest(samples: list[Sample]) -> int:
    return max(sum(touch.lines) for _, touch in samples)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_arguments_give_the_same_samples_and_others_do_not(name: str) -> None:
    first = Person(1).make(name, 0)
    assert Person(1).make(name, 0) == first
    others = [Person(2).make(name, 0), Person(1, day=1).make(name, 0), Person(1).make(name, 1)]
    assert all(one != other for one, other in itertools.combinations([first, *others], 2))


@pytest.mark.parametrize("name", NAMES)
def test_samples_are_in_range_and_in_order(name: str) -> None:
    for number in PEOPLE:
        samples = Person(number).make(name, number, at=100)
        times = [time for time, _ in samples]
        assert len(samples) >= 2 and 100 <= times[0] < 101
        assert all(earlier < later for earlier, later in zip(times, times[1:]))
        for _, touch in samples:
            assert touch.sequence >= 0 and 0 <= touch.proximity <= 255
            assert len(touch.lines) == 12 and all(0 <= line <= 128 for line in touch.lines)
        for one in touches(samples):
            sequences = [touch.sequence for _, touch in one]
            assert len(set(sequences)) == len(sequences)


def test_about_sixty_samples_a_second_are_sent_and_a_few_are_lost() -> None:
    sent, arrived, seconds = 0, 0, 0.0
    for number in PEOPLE:
        samples = max(touches(Person(number).make("carry_bag", 0)), key=len)
        sent += samples[-1][1].sequence - samples[0][1].sequence
        arrived += len(samples) - 1
        seconds += samples[-1][0] - samples[0][0]
    assert 58 < sent / seconds < 62
    assert 0.9 < arrived / sent < 0.995


@pytest.mark.parametrize(("name", "way"), [("swipe_in", -1), ("swipe_out", 1)])
def test_a_swipe_goes_along_the_sleeve(name: str, way: int) -> None:
    for number in PEOPLE:
        swiped = pressed(Person(number).make(name, number))
        assert way * (center(swiped[-1]) - center(swiped[0])) > 4


def test_a_double_tap_is_two_taps_within_half_a_second() -> None:
    for number in PEOPLE:
        samples = Person(number).make("double_tap", number)
        is_pressed = [max(touch.lines) > 24 for _, touch in samples]
        assert [pressed for pressed, _ in itertools.groupby(is_pressed)].count(True) == 2
        assert samples[-1][0] - samples[0][0] < 1


def test_a_press_is_stronger_than_a_hold_and_both_are_longer_than_a_tap() -> None:
    for number in PEOPLE:
        tap, hold, press = [pressed(Person(number).make(name, 0)) for name in ("tap", "hold", "press")]
        assert strongest(press) > 1.2 * strongest(hold)
        assert min(hold[-1][0] - hold[0][0], press[-1][0] - press[0][0]) > 2 * (tap[-1][0] - tap[0][0])


@pytest.mark.parametrize(("name", "way"), [("spread", 1), ("pinch", -1)])
def test_two_fingers_part_or_meet(name: str, way: int) -> None:
    def width(sample: Sample) -> int:
        touched = [line for line, strength in enumerate(sample[1].lines) if strength > 24]
        return touched[-1] - touched[0]

    for number in PEOPLE:
        samples = pressed(Person(number).make(name, number))
        early, late = samples[len(samples) // 6], samples[len(samples) * 5 // 6]
        assert way * (width(late) - width(early)) >= 2


def test_each_hour_has_at_least_two_hundred_other_touches() -> None:
    ends, hours = 0.0, [0, 0, 0]
    for samples in Person(3).others(hours=3):
        assert samples[0][0] > ends + 0.25
        ends = samples[-1][0]
        hours[int(samples[0][0] // 3600)] += 1
    assert min(hours) >= 200 and ends < 3 * 3600
    assert hours[0] != hours[1]


def test_other_touches_are_made_when_they_are_read() -> None:
    years = Person(4).others(hours=20 * 365 * 24)
    first = list(itertools.islice(years, 3))
    assert first == list(itertools.islice(Person(4).others(hours=1), 3))
