"""Taught gestures of generated people, in two styles that have nothing in common: the recogniser's weights were found with
the first one, that of jacquard-sim; Tests/Support/independent_people.py is the second one. The figures of docs/touch.md
are those that this prints with GESTURE_HOURS=100.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence

import places
import pytest
from jacquard_apps.recording import reader
from jacquard_automations.trained.episodes import Episode, Episodes
from jacquard_automations.trained.recogniser import Recogniser, Taught

sys.path.append(str(places.ROOT / "Tests" / "Support"))
from independent_people import Person  # noqa: E402

GESTURES = ("double-tap", "hold", "swipe-in", "swipe-out", "scrub", "two-finger-tap")
EXAMPLES = 5
PEOPLE = 12
REPETITIONS = 4
HOURS = int(os.environ.get("GESTURE_HOURS", 5))
# Other touches of the first style in an hour; the second one has 220 to 420.
TOUCHES = 220
# False gestures in an hour.
MOST_FALSE = 0.6
# The least share of a person's own gestures that is recognised: a little below the measured one (docs/touch.md).
RECOGNISED = {"first": 0.95, "second": 0.9}


def episodes(touches: Iterable[tuple[float, Sequence[int]]]) -> list[Episode]:
    running = Episodes()
    found = [running.add(time, lines) for time, lines in touches]
    return [one for one in [*found, running.wait(float("inf"))] if one is not None]


def strokes(*words: object) -> list[Episode]:
    made = subprocess.run([places.SIMULATOR, "strokes", *map(str, words)], check=True, capture_output=True, text=True)
    moments = reader.read(made.stdout.splitlines()).moments
    return episodes((one.time, one.value["lines"]) for one in moments if one.kind == "touch")


class First:
    """The people of jacquard-sim."""

    def make(self, person: int, gesture: str, first: int, count: int) -> list[Episode]:
        return strokes(gesture, "--person", person, "--seed", first + 1, "--count", count)[:count]

    def others(self, person: int) -> list[Episode]:
        return strokes("other", "--person", person, "--count", TOUCHES)


class Second:
    """Independent people."""

    def make(self, person: int, gesture: str, first: int, count: int) -> list[Episode]:
        someone, name = Person(person), gesture.replace("-", "_")
        made = [someone.make(name, first + number) for number in range(count)]
        return [max(episodes((time, touch.lines) for time, touch in one), key=lambda one: one.duration) for one in made]

    def others(self, person: int) -> list[Episode]:
        return episodes((time, touch.lines) for one in Person(person).others(hours=1) for time, touch in one)


Recognisers = dict[str, list[Recogniser]]
Touches = dict[str, list[list[tuple[str, Episode]]]]
STYLES: dict[str, First | Second] = {"first": First(), "second": Second()}


@pytest.fixture(scope="module")
def recognisers() -> Recognisers:
    """A recogniser for each person of each style, with examples of that person."""
    return {
        name: [
            Recogniser([Taught(gesture, style.make(person, gesture, 0, EXAMPLES)) for gesture in GESTURES])
            for person in range(1, PEOPLE + 1)
        ]
        for name, style in STYLES.items()
    }


@pytest.fixture(scope="module")
def touches() -> Touches:
    """Gestures of each person of each style that are not examples."""
    return {
        name: [
            [(gesture, one) for gesture in GESTURES for one in style.make(person, gesture, 100, REPETITIONS)]
            for person in range(1, PEOPLE + 1)
        ]
        for name, style in STYLES.items()
    }


def shares(pairs: Iterable[tuple[Recogniser, list[tuple[str, Episode]]]]) -> tuple[float, float]:
    """The share of gestures that are nearest to their own examples, and of those that are also near enough."""
    decided = [(name, recogniser.decide(one)) for recogniser, made in pairs for name, one in made]
    nearest = sum(decision is not None and decision.nearest == name for name, decision in decided)
    return nearest / len(decided), sum(
        decision is not None and decision.gesture == name for name, decision in decided
    ) / len(decided)


@pytest.mark.parametrize("style", STYLES)
def test_people_are_recognised_by_their_own_examples(style: str, recognisers: Recognisers, touches: Touches) -> None:
    nearest, recognised = shares(zip(recognisers[style], touches[style]))
    print(f"{style} style, own examples: {nearest:.1%} nearest, {recognised:.1%} recognised")
    assert nearest >= 0.98 and recognised >= RECOGNISED[style]


@pytest.mark.parametrize("taught, tested", itertools.permutations(STYLES))
def test_people_of_another_style_are_told_apart(
    taught: str, tested: str, recognisers: Recognisers, touches: Touches
) -> None:
    """The limit does not count here, because people of another style make many gestures too differently."""
    pairs = [
        (one, touches[tested][(number + far) % PEOPLE])
        for number, one in enumerate(recognisers[taught])
        for far in (0, 5)
    ]
    nearest, recognised = shares(pairs)
    print(f"{taught} style, {tested} style: {nearest:.1%} nearest, {recognised:.1%} recognised")
    assert nearest >= 0.95


@pytest.mark.parametrize("style", STYLES)
def test_other_touches_are_rarely_gestures(style: str, recognisers: Recognisers) -> None:
    total, false = 0, 0
    for hour in range(HOURS):
        for one in STYLES[style].others(1000 + hour):
            decision = recognisers[style][hour % PEOPLE].decide(one)
            total += 1
            false += decision is not None and decision.gesture is not None
    print(f"{style} style: {false} false gestures in {HOURS} hours with {total} episodes of other touches")
    assert total > 200 * HOURS and false <= MOST_FALSE * HOURS
