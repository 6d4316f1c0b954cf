"""jacquardctl gesture: episodes of touching, the recogniser, the file of examples, the command, and rules."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from jacquard_automations.trained.episodes import LONGEST, PAUSE, TOUCHED, Episode, Episodes
from jacquard_automations.trained.recogniser import Recogniser, Taught, strokes
from strokes import (
    ALL,
    DOUBLE_TAP,
    HOLD,
    RATE,
    REST,
    SWIPE_IN,
    SWIPE_OUT,
    Stroke,
    decided,
    episode,
    episodes,
    jittered,
    samples,
    taught,
)

# Episodes


def test_a_double_tap_is_one_episode() -> None:
    assert [strokes(one) for one in episodes(samples(*DOUBLE_TAP))] == [2]


def test_touches_with_a_long_pause_are_two_episodes() -> None:
    assert len(episodes(samples(Stroke(0.1, 5), PAUSE + 0.1, Stroke(0.1, 5)))) == 2


def test_an_episode_ends_after_a_pause_without_samples() -> None:
    running = Episodes()
    assert running.due is None
    for at, lines in samples(Stroke(0.2, 5)):
        running.add(at, lines)
    assert running.due is not None and running.wait(running.due - 0.01) is None
    ended = running.wait(running.due)
    assert ended is not None and ended.duration == pytest.approx(0.2 - 1 / RATE)
    assert running.due is None and running.wait(math.inf) is None


def test_an_episode_has_no_untouched_ends() -> None:
    only = episode(0.3, Stroke(0.2, 5), 0.3)
    assert max(only.samples[0].levels) >= TOUCHED <= max(only.samples[-1].levels)


def test_one_noisy_sample_is_no_episode() -> None:
    assert episodes([(0.0, (0,) * 11 + (60,)), (1 / RATE, REST)]) == []


def test_an_arm_that_rests_is_cut_once_and_then_ignored() -> None:
    running = Episodes()
    found = [running.add(number / RATE, Stroke(1, 5).lines(0)) for number in range(round((3 * LONGEST) * RATE))]
    assert [one.is_cut for one in found if one is not None] == [True]


def test_another_line_works_while_an_arm_rests() -> None:
    arm = [(number / RATE, Stroke(1, 1).lines(0)) for number in range(round((LONGEST + 1) * RATE))]
    tap = [
        (at + LONGEST + 1, tuple(map(sum, zip(lines, Stroke(1, 1).lines(0)))))
        for at, lines in samples(0.5, Stroke(0.2, 9), 0.5)
    ]
    resting, tapped = episodes(arm + tap)
    assert resting.is_cut and not tapped.is_cut
    assert max(range(12), key=lambda line: tapped.samples[5].levels[line]) == 9


def test_a_sleeve_that_reads_more_at_rest_is_not_touched() -> None:
    raised = [(number / RATE, (min(60, number // 4),) * 12) for number in range(600)]
    assert episodes(raised) == []


def test_a_lost_link_ends_an_episode() -> None:
    running = Episodes()
    for at, lines in samples(Stroke(0.2, 5)):
        running.add(at, lines)
    running.cancel()
    assert running.due is None and running.wait(math.inf) is None


# The recogniser


@pytest.mark.parametrize(
    "strokes, name", [(SWIPE_IN, "in"), (SWIPE_OUT, "out"), (DOUBLE_TAP, "double"), (HOLD, "hold")]
)
def test_gestures_are_recognised(strokes: Sequence[Stroke | float], name: str) -> None:
    assert [decided(ALL, jittered(seed, *strokes)) for seed in range(100, 120)].count(name) >= 19


def test_the_direction_is_part_of_a_gesture() -> None:
    only_in = Recogniser([taught("in", SWIPE_IN)])
    assert decided(only_in, episode(*SWIPE_IN)) == "in" and decided(only_in, episode(*SWIPE_OUT)) is None


def test_the_place_is_part_of_a_gesture() -> None:
    low = Recogniser([taught("low", [Stroke(0.3, 2)])])
    assert decided(low, episode(Stroke(0.3, 2))) == "low" and decided(low, episode(Stroke(0.3, 7))) is None


@pytest.mark.parametrize(
    "strokes",
    [
        (Stroke(0.1, 5),),
        (*DOUBLE_TAP, 0.15, Stroke(0.12, 5)),
        (Stroke(0.4, 1.5, 3),),
        (Stroke(3, 1.5, 9.5),),
        (Stroke(0.4, 0),),
    ],
    ids=["tap", "triple tap", "start of a swipe", "slow swipe", "first line"],
)
def test_other_touches_are_no_gesture(strokes: Sequence[Stroke | float]) -> None:
    assert decided(ALL, episode(*strokes)) is None


def test_a_pause_without_samples_is_a_pause() -> None:
    silent = [(at, lines) for at, lines in samples(*DOUBLE_TAP) if max(lines) > 0]
    (only,) = episodes(silent)
    assert strokes(only) == 2 and decided(ALL, only) == "double"


def test_what_is_cut_is_no_gesture() -> None:
    example = episode(*HOLD)
    held = Recogniser([Taught("hold", [example] * 3)])
    assert decided(held, example) == "hold"
    assert decided(held, Episode(example.samples, is_cut=True)) is None


def test_without_gestures_there_is_no_decision() -> None:
    assert Recogniser([]).decide(episode(*HOLD)) is None


def test_an_example_has_no_distance_and_the_limit_is_one() -> None:
    example = jittered(1, *SWIPE_IN)
    decision = ALL.decide(example)
    assert decision is not None and (decision.nearest, decision.distance) == ("in", 0)
    far = ALL.decide(episode(Stroke(3, 1.5, 9.5)))
    assert far is not None and far.gesture is None and far.distance > 1


def test_tolerance_multiplies_the_reach() -> None:
    slow = episode(Stroke(0.75, 1.5, 9.5))
    strict, tolerant = (Recogniser([taught("in", SWIPE_IN, factor)]) for factor in (0.5, 5))
    assert decided(strict, slow) is None and decided(tolerant, slow) == "in"


def test_what_the_examples_vary_in_counts_less() -> None:
    even, uneven = (
        Recogniser([Taught("hold", [episode(Stroke(seconds, 5)) for seconds in each])])
        for each in ([1, 1, 1.05], [0.5, 1, 2])
    )
    between = episode(Stroke(1.5, 5))
    near, far = uneven.decide(between), even.decide(between)
    assert near is not None and far is not None and near.distance < far.distance / 1.5


def test_a_rival_is_the_nearest_other_gesture() -> None:
    double = taught("double", DOUBLE_TAP)
    rival = ALL.rival(double)
    assert rival is not None and rival.name == "hold" and rival.distance > 2 * double.spread
    assert Recogniser([double]).rival(double) is None


def calls(work: Any) -> int:
    """How many functions it calls."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_training_and_a_decision_cost_little() -> None:
    """2,000 calls take less than a millisecond on a machine of 2020, and 100,000 less than fifty."""
    many = Recogniser([taught(f"{number}", SWIPE_IN) for number in range(6)])
    short, long = episode(*HOLD), episode(Stroke(4.0, 5))
    examples = [jittered(seed, *HOLD) for seed in range(5)]
    decision = calls(lambda: many.decide(short))
    assert decision < 2000
    assert calls(lambda: many.decide(long)) < 2.5 * decision
    assert calls(lambda: Taught("hold", examples)) < 10 * decision
