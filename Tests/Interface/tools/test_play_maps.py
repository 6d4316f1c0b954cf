"""Maps of jacquardctl play: the messages that they make of touches."""

from __future__ import annotations

import random
from typing import Any

import pytest
from jacquard import TouchPhase, TouchPoint
from jacquard_automations.playing import maps
from jacquard_automations.playing.message import Message

STRINGS = '[strings]\nnotes = ["E2", "A2", "D3", "G3", "B3", "E4"]\n'
FADER = "[[fader]]\ncc = 7\n"
PAD = '[[pad]]\ntap = { mmc = "play" }\n'


class Finger:
    """One touch after the other on an instrument."""

    def __init__(self, text: str, told: bool = True) -> None:
        """told: without the messages that strings send from time to time."""
        self.instrument = maps.parse(text)
        self.time = 0.0
        self._is_told = told

    def does(self, phase: TouchPhase, position: float, strength: int = 110, touch: int = 1, after: float = 1e7) -> list[Message]:
        """after: seconds, in which the filter settles."""
        self.time += after
        found = self.instrument.take([TouchPoint(touch, phase, position, 0.95, strength, 0, self.time)])
        return [one for one in found if not (self._is_told and one.midi and one.osc is None and one.midi[1] in PARAMETER)]

    def midi(self, *details: object, **more: object) -> list[tuple[int, ...]]:
        return [one.midi for one in self.does(*details, **more) if one.midi]  # type: ignore[arg-type]

    def osc(self, *details: object, **more: object) -> list[Any]:
        return [one.osc for one in self.does(*details, **more) if one.osc]  # type: ignore[arg-type]


# Controllers.
PARAMETER = (6, 38, 100, 101)
BEGAN, MOVED, ENDED, CANCELLED = TouchPhase.BEGAN, TouchPhase.MOVED, TouchPhase.ENDED, TouchPhase.CANCELLED
CENTRED = (0xE0, 0, 0x40)


# Strings


@pytest.mark.parametrize("line, note", [(0, 40), (1, 40), (2, 45), (5, 50), (6, 55), (9, 59), (11, 64)])
def test_a_touched_line_plays_its_string(line: int, note: int) -> None:
    assert Finger(STRINGS).midi(BEGAN, line) == [CENTRED, (0x90, note, 127)]


def test_lines_in_the_other_order_turn_the_strings_round() -> None:
    finger = Finger(STRINGS + "lines = [11, 0]")
    assert finger.midi(BEGAN, 0)[1] == (0x90, 64, 127)
    assert finger.midi(MOVED, 0.8)[0][2] < 0x40  # towards the lower string


@pytest.mark.parametrize("strength, velocity", [(0, 1), (11, 13), (55, 64), (110, 127), (255, 127)])
def test_velocity_is_the_strength(strength: int, velocity: int) -> None:
    assert Finger(STRINGS).midi(BEGAN, 0, strength)[1] == (0x90, 40, velocity)


@pytest.mark.parametrize("phase", [ENDED, CANCELLED])
def test_a_note_ends_with_its_touch(phase: TouchPhase) -> None:
    finger = Finger(STRINGS)
    finger.midi(BEGAN, 0)
    assert finger.midi(phase, 0) == [(0x80, 40, 0)]
    assert finger.midi(phase, 0) == []


def test_strength_after_the_beginning_is_aftertouch() -> None:
    finger = Finger(STRINGS)
    finger.midi(BEGAN, 0)
    assert finger.midi(MOVED, 0, 55) == [(0xD0, 64)]
    assert finger.midi(MOVED, 0, 56) == []  # less than two steps
    assert finger.midi(MOVED, 0, 255) == [(0xD0, 127)]
    finger = Finger(STRINGS + "aftertouch = false")
    finger.midi(BEGAN, 0)
    assert finger.midi(MOVED, 0, 55) == []


def test_a_finger_that_moves_bends_its_note_by_one_string_at_most() -> None:
    finger = Finger(STRINGS + "aftertouch = false\nbend_range = 2\nbend = 1")
    finger.midi(BEGAN, 4)
    assert finger.midi(MOVED, 4.2) == []
    assert finger.midi(MOVED, 5.25)[0] == (0xE0, 0, 0x50)  # half a semitone, which is a quarter of the range
    assert finger.midi(MOVED, 11) == [(0xE0, 0, 0x60)]
    assert finger.midi(MOVED, 0) == [(0xE0, 0, 0x20)]
    assert finger.midi(MOVED, 4) == [CENTRED]
    assert finger.midi(ENDED, 4) == [(0x80, 50, 0)]


def test_each_finger_has_a_channel_which_is_free_again_afterwards() -> None:
    finger = Finger(STRINGS + "channel = 3\nvoices = 2\naftertouch = false")
    assert finger.midi(BEGAN, 0, touch=1)[-1] == (0x92, 40, 127)
    assert finger.midi(BEGAN, 5, touch=2)[-1] == (0x93, 50, 127)
    assert finger.midi(BEGAN, 9, touch=3) == finger.midi(MOVED, 3, touch=3) == finger.midi(ENDED, 9, touch=3) == []
    assert finger.midi(ENDED, 0, touch=1) == [(0x82, 40, 0)]
    assert finger.midi(BEGAN, 9, touch=4)[-1] == (0x92, 59, 127)


def test_a_sliding_finger_strums() -> None:
    finger = Finger(STRINGS + "strum = true\naftertouch = false")
    assert finger.midi(BEGAN, 1) == [(0x90, 40, 127)]
    assert finger.midi(MOVED, 1.6) == []  # hardly in the next string
    assert finger.midi(MOVED, 3, 55) == [(0x80, 40, 0), (0x90, 45, 64)]
    assert finger.midi(MOVED, 1.5) == []
    assert finger.midi(MOVED, 8) == [(0x80, 45, 0), (0x90, 59, 127)]
    assert finger.midi(ENDED, 8) == [(0x80, 59, 0)]


def test_receivers_are_told_the_range_of_bends_and_the_program_from_time_to_time() -> None:
    finger = Finger(STRINGS + "bend_range = 12\nprogram = 26", told=False)
    parameter = [(0xB0, *pair) for pair in [(101, 0), (100, 0), (6, 12), (38, 0), (101, 127), (100, 127)]]
    note = [CENTRED, (0x90, 40, 127)]
    assert finger.midi(BEGAN, 0) == [(0xC0, 25), *parameter, *note]
    finger.midi(ENDED, 0, after=1.0)
    assert finger.midi(BEGAN, 0, after=1.0) == note
    finger.midi(ENDED, 0, after=9.0)
    assert finger.midi(BEGAN, 0, after=1.0) == [(0xC0, 25), *parameter, *note]


def test_strings_in_osc() -> None:
    finger = Finger(STRINGS)
    assert finger.osc(BEGAN, 4, 55) == [("string/3/bend", 0.0), ("string/3/note", 50), ("string/3/gate", 64 / 127)]
    (bend, pressure) = finger.osc(MOVED, 5.25, 110)
    assert bend == ("string/3/bend", pytest.approx(0.5)) and pressure == ("string/3/pressure", 1.0)
    assert finger.osc(ENDED, 5) == [("string/3/gate", 0.0)]


# Faders


def test_a_fader_is_a_controller_with_seven_bits() -> None:
    finger = Finger(FADER + "channel = 16")
    assert finger.midi(BEGAN, 0) == [(0xBF, 7, 0)]
    assert finger.midi(MOVED, 5.57) == [(0xBF, 7, 64)]
    assert finger.midi(MOVED, 5.58) == []
    assert finger.midi(MOVED, 11) == [(0xBF, 7, 127)]
    assert finger.midi(ENDED, 11) == []


def test_fourteen_bits_are_two_controllers_and_the_upper_one_comes_first() -> None:
    finger = Finger(FADER + "bits = 14\ntouch_note = 104")
    assert finger.midi(BEGAN, 5.5) == [(0x90, 104, 127), (0xB0, 7, 0x40), (0xB0, 39, 0)]
    assert finger.midi(MOVED, 5.6) == [(0xB0, 39, 78)]
    assert finger.midi(MOVED, 11) == [(0xB0, 7, 127), (0xB0, 39, 127)]
    assert finger.midi(CANCELLED, 11) == [(0x80, 104, 0)]


def test_a_fader_in_osc() -> None:
    finger = Finger('[[fader]]\nname = "volume"\nrelative = true')
    assert finger.osc(BEGAN, 5) == [("volume/touch", 1), ("volume", 0.0)]
    assert finger.osc(MOVED, 7.15) == [("volume", pytest.approx(0.2))]
    assert finger.osc(ENDED, 7) == [("volume/touch", 0)]
    assert finger.osc(BEGAN, 2) == [("volume/touch", 1)]  # its value has not changed


# Pads


def test_a_short_touch_taps() -> None:
    finger = Finger(PAD)
    assert finger.does(BEGAN, 5) == []
    assert finger.does(MOVED, 5.2, after=0.2) == []
    assert finger.does(ENDED, 5, after=0.2) == [Message((0xF0, 0x7F, 0x7F, 6, 2, 0xF7), ("pad1/tap", 1))]


@pytest.mark.parametrize("phase, after", [(ENDED, 0.6), (CANCELLED, 0.1)])
def test_a_long_or_cancelled_touch_is_not_a_tap(phase: TouchPhase, after: float) -> None:
    finger = Finger(PAD)
    finger.does(BEGAN, 5)
    assert finger.does(phase, 5, after=after) == []


@pytest.mark.parametrize("phase", [ENDED, CANCELLED])
def test_a_hold_lasts_until_the_finger_is_lifted(phase: TouchPhase) -> None:
    finger = Finger('[[pad]]\nname = "p"\ntap = { note = 1 }\nhold = { cc = 20, channel = 2, value = 99 }\nhold_time = 1')
    finger.does(BEGAN, 5)
    assert finger.does(MOVED, 5, after=0.9) == []
    assert finger.does(MOVED, 5, after=0.2) == [Message((0xB1, 20, 99), ("p/hold", 1))]
    assert finger.does(MOVED, 9, after=0.2) == []
    assert finger.does(phase, 9) == [Message((0xB1, 20, 0), ("p/hold", 0))]


def test_a_touch_that_moves_is_neither() -> None:
    finger = Finger(PAD + 'hold = { mmc = "record" }')
    finger.does(BEGAN, 5)
    assert [finger.does(MOVED, 6.2, after=0.1), finger.does(MOVED, 5, after=1), finger.does(ENDED, 5, after=0.1)] == [[], [], []]


def test_a_tapped_note_ends_at_once() -> None:
    finger = Finger('[[pad]]\ntap = { note = "C3", velocity = 5 }')
    finger.does(BEGAN, 5)
    assert finger.midi(ENDED, 5, after=0.1) == [(0x90, 48, 5), (0x80, 48, 0)]


# All parts


def test_whatever_is_touched_is_released() -> None:
    """Random touches on all parts: every note and every gate is off when all touches have ended."""
    text = FADER + "touch_note = 1\nlines = [0, 3]\n" + '[[pad]]\nlines = [4, 5]\nhold = { note = 2 }\n'
    instrument = maps.parse(text + '[strings]\nlines = [6, 11]\nnotes = [3, 4, 5]\nstrum = true\n')
    sounding: dict[tuple[int, int], int] = {}
    gates: dict[str, float] = {}
    drawn = random.Random(7)
    touches: dict[int, float] = {}
    played = 0

    def take(phase: TouchPhase, touch: int, time: float) -> None:
        nonlocal played
        position = touches[touch] = touches.get(touch, drawn.uniform(-0.5, 11.5)) + drawn.gauss(0, 0.2)
        for one in instrument.take([TouchPoint(touch, phase, position, 1, 80, 0, time)]):
            played += 1
            if one.midi[:1] and one.midi[0] & 0xE0 == 0x80:
                key = (one.midi[0] & 15, one.midi[1])
                sounding[key] = sounding.get(key, 0) + (1 if one.midi[0] & 0x10 else -1)
                assert sounding[key] >= 0
            if one.osc and one.osc[0].endswith(("gate", "touch", "hold")):
                gates[one.osc[0]] = one.osc[1]

    for number in range(3000):
        if len(touches) < 4:
            take(BEGAN, number, number / 60)
        touch = drawn.choice(list(touches))
        take(MOVED, touch, number / 60)
        if drawn.random() < 0.02:
            take(drawn.choice([ENDED, CANCELLED]), touch, number / 60)
            del touches[touch]
    for touch in list(touches):
        take(CANCELLED, touch, 51)
    assert played > 400 and len(gates) == 5
    assert not any(sounding.values()) and not any(gates.values())
