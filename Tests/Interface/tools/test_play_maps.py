"""Maps of jacquardctl play: what touches make of them, and the messages about what is wrong."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from jacquard import TouchPhase, TouchPoint
from jacquard_apps.terminal import exits
from jacquard_automations import toml_file
from jacquard_automations.commands.play import APIS, MAPS
from jacquard_automations.playing import maps, midi, osc
from jacquard_automations.playing.message import MACHINE_COMMANDS, Message, number_of
from jacquard_automations.table import Problem
from jacquardctl.running import status_of

STRINGS = '[strings]\nnotes = ["E2", "A2", "D3", "G3", "B3", "E4"]\n'
FADER = "[[fader]]\ncc = 7\n"
PAD = '[[pad]]\ntap = { mmc = "play" }\n'


class Finger:
    """One touch after the other on an instrument."""

    def __init__(self, text: str, told: bool = True) -> None:
        """told: without what strings report from time to time."""
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


# Files


def problems(text: str) -> list[str]:
    with pytest.raises((Problem, toml_file.Problems)) as found:
        maps.parse(text)
    several = found.value.all if isinstance(found.value, toml_file.Problems) else [found.value]
    return [f"{problem.line}: {problem}" for problem in several if isinstance(problem, Problem)]


WRONG = [
    # Not TOML, or not a map.
    ("", "1: this map plays nothing; expected one of strings, fader, pad"),
    ("# nothing\n", "1: this map plays nothing"),
    ("a = [", "1: Invalid value"),
    ("[[fader]\n", "1: "),
    ("[strings]\nnotes = ['E2'\n[[fader]]", "3: "),
    ("cc = 7\n" + FADER, "1: key cc: unknown key; expected strings, fader, pad"),
    ("[string]\nnotes = [1]", "1: key string: unknown key; did you mean strings?"),
    ("[[faders]]\ncc = 1", "1: key faders: unknown key; did you mean fader?"),
    ("fader = 3", "1: key fader: 3 is not a table or a list of tables"),
    ("fader = [1]", "1: [[fader]] number 1: 1 is not a table"),
    ("x = " + "[" * 60 + "]" * 60, "1: values are nested too deeply"),
    ("# " + "x" * 5000, "1: the line is longer than 4000 characters"),
    ("x = 1\nx = 2", "2: "),
    # Keys and values.
    (FADER + "chanel = 3", "3: [[fader]] number 1, key chanel: unknown key; did you mean channel?"),
    (FADER + "channel = 0", "3: [[fader]] number 1, key channel: 0 is out of range; expected 1 to 16"),
    (FADER + "channel = 17", "3: [[fader]] number 1, key channel: 17 is out of range; expected 1 to 16"),
    (FADER + "channel = 1.5", "3: [[fader]] number 1, key channel: 1.5 is not a whole number"),
    (FADER + "channel = true", "3: [[fader]] number 1, key channel: true is not a number"),
    (FADER + "channel = '1'", "3: [[fader]] number 1, key channel: '1' is not a number"),
    (FADER + "channel = nan", "3: [[fader]] number 1, key channel: nan is not a number"),
    (FADER.replace("7", "128"), "2: [[fader]] number 1, key cc: 128 is out of range; expected 0 to 127"),
    (FADER.replace("7", "-1"), "2: [[fader]] number 1, key cc: -1 is out of range"),
    (FADER.replace("7", "32") + "bits = 14", "2: [[fader]] number 1, key cc: 32 is out of range; expected 0 to 31"),
    (FADER + "bits = 8", "3: [[fader]] number 1, key bits: 8 is not one of 7, 14"),
    (FADER + "relative = 1", "3: [[fader]] number 1, key relative: 1 is neither true nor false"),
    (FADER + "touch_note = 'H2'", "3: [[fader]] number 1, key touch_note: 'H2' is not a note"),
    (FADER + "name = ''", "3: [[fader]] number 1, key name: '' is not a text that is not empty"),
    (FADER + "name = 'a/b'", "3: [[fader]] number 1, key name: 'a/b' is not a name"),
    (FADER + "name = '../x'", "3: [[fader]] number 1, key name: '../x' is not a name"),
    (FADER + f"name = '{'n' * 33}'", "3: [[fader]] number 1, key name: 'nnnn"),
    (FADER + "name = \"\\u0000\"", "3: [[fader]] number 1, key name: the text contains the character U+0000"),
    (FADER + "name = 'string'", "3: [[fader]] number 1, key name: 'string' is not a name"),
    # Lines.
    (FADER + "lines = 3", "3: [[fader]] number 1, key lines: 3 is not the first and the last line, such as [0, 11]"),
    (FADER + "lines = [1]", "3: [[fader]] number 1, key lines: [1] is not the first"),
    (FADER + "lines = [0, 12]", "3: [[fader]] number 1, key lines: [0, 12] is not the first"),
    (FADER + "lines = [-1, 4]", "3: [[fader]] number 1, key lines: [-1, 4] is not the first"),
    (FADER + "lines = [0.5, 4]", "3: [[fader]] number 1, key lines: [0.5, 4] is not the first"),
    (FADER + "lines = [true, 4]", "3: [[fader]] number 1, key lines: [True, 4] is not the first"),
    (FADER + "lines = [3, 4]", "3: [[fader]] number 1, key lines: the lines 3 to 4 are too few; expected at least 3"),
    (FADER + "lines = [5, 5]", "3: [[fader]] number 1, key lines: the lines 5 to 5 are too few"),
    (FADER + FADER, "3: [[fader]] number 2, key lines: the part in line 1 uses some of these lines"),
    (FADER + "lines = [0, 5]\n" + FADER + "lines = [11, 5]", "6: [[fader]] number 2, key lines: the part in line 1 uses"),
    (FADER + "lines = [0, 5]\nname = 'a'\n" + PAD + "lines = [6, 9]\nname = 'a'", "8: [[pad]] number 1, key name: 'a' is also the name"),
    # Strings.
    ("[strings]", "1: [strings], key notes: expected a list of up to 12 notes"),
    ("[strings]\nnotes = []", "2: [strings], key notes: expected a list of up to 12 notes"),
    ("[strings]\nnotes = 'E2'", "2: [strings], key notes: expected a list of up to 12 notes"),
    (f"[strings]\nnotes = {list(range(13))}", "2: [strings], key notes: expected a list of up to 12 notes"),
    ("[strings]\nnotes = ['E2',\n 'A22']", "3: [strings], key notes[2]: 'A22' is not a note from C-1 to G9, such as C4 or Bb2, or its number; did you mean A2?"),
    ("[strings]\nnotes = ['G#9']", "2: [strings], key notes[1]: 'G#9' is not a note"),
    ("[strings]\nnotes = [128]", "2: [strings], key notes[1]: 128 is not a note"),
    ("[strings]\nnotes = [true]", "2: [strings], key notes[1]: true is not a note"),
    ("[strings]\nnotes = [{}]", "2: [strings], key notes[1]: {} is not a note"),
    (STRINGS + "bend = 3", "3: [strings], key bend: 3 is out of range; expected 0 to 2"),
    (STRINGS + "bend_range = 25", "3: [strings], key bend_range: 25 is out of range; expected 1 to 24"),
    (STRINGS + "bend = inf", "3: [strings], key bend: inf is not a number"),
    (STRINGS + "channel = 15\nvoices = 3", "4: [strings], key voices: 3 is out of range; expected 1 to 2"),
    (STRINGS + "program = 0", "3: [strings], key program: 0 is out of range; expected 1 to 128"),
    (STRINGS + "full_strength = 0", "3: [strings], key full_strength: 0 is out of range; expected 20 to 255"),
    (STRINGS + "strumm = true", "3: [strings], key strumm: unknown key; did you mean strum?"),
    # Pads.
    ("[[pad]]", "1: [[pad]] number 1: the pad does nothing; expected tap or hold"),
    ("[[pad]]\ntap = 3", "2: [[pad]] number 1, key tap: 3 is not a table"),
    ("[[pad]]\ntap = {}", "2: [[pad]] number 1, key tap: the message is missing; expected note, cc, mmc"),
    ("[[pad]]\ntap = { nots = 3 }", "2: [[pad]] number 1, key tap.nots: unknown key; did you mean note?"),
    ("[[pad]]\ntap = { note = 3, cc = 4 }", "2: [[pad]] number 1, key tap.cc: note and cc exclude each other"),
    ("[[pad]]\ntap = { mmc = 'rekord' }", "2: [[pad]] number 1, key tap.mmc: 'rekord' is not one of stop, play, "),
    ("[[pad]]\ntap = { mmc = 'play', channel = 3 }", "2: [[pad]] number 1, key tap.channel: unknown key"),
    ("[[pad]]\ntap = { cc = 20, value = 128 }", "2: [[pad]] number 1, key tap.value: 128 is out of range; expected 0 to 127"),
    ("[[pad]]\ntap = { note = 'C3', velocity = 0 }", "2: [[pad]] number 1, key tap.velocity: 0 is out of range; expected 1 to 127"),
    (PAD + "hold_time = 0.1", "3: [[pad]] number 1, key hold_time: 0.1 is out of range; expected 0.3 to 10"),
    (PAD + "hold_time = '1'", "3: [[pad]] number 1, key hold_time: '1' is not a number"),
]


@pytest.mark.parametrize("text, message", WRONG, ids=range(len(WRONG)))
def test_a_wrong_map_is_refused_with_its_line(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (found, *_) = problems(text)
    assert found.startswith(message)
    path = tmp_path / "map.toml"
    path.write_text(text)
    assert status_of(["play", "--check", "--map", str(path)]) == exits.USAGE
    shown = capsys.readouterr().err
    assert f"{path}:{message}" in shown and "Traceback" not in shown


def test_there_are_many_wrong_maps() -> None:
    assert len(WRONG) >= 50


def test_all_problems_of_a_map_are_reported() -> None:
    found = problems("[[fader]]\nlines = [0, 1]\n[[pad]]\nlines = [3, 4]\n[strings]\nnotes = ['x']\nlines = [5, 11]\n")
    assert [one.split(":")[0] for one in found] == ["2", "3", "6"]


@pytest.mark.parametrize("content", [b"\xff", b"[[fader]]\ncc = 1\nname = '\xff'", b"#" * (1 << 20) + b"\n"], ids=range(3))
def test_a_file_of_other_bytes_is_refused(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "map.toml"
    path.write_bytes(content)
    assert status_of(["play", "--check", "--map", str(path)]) == exits.USAGE
    assert str(path) in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--check"], ["--example"], ["--check", "--map", "/dev/null"], ["--check", "--map", "/"]])
def test_a_directory_is_not_a_map(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["play", *words]) == (exits.USAGE if "--map" in words else exits.OK)


def test_an_unknown_map_is_answered_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["play", "--check", "--map", "strngs"]) == exits.USAGE
    shown = capsys.readouterr().err
    assert "strngs:1: cannot be read: No such file" in shown and "strings, faders, transport" in shown


@pytest.mark.parametrize("name", MAPS)
def test_shipped_maps_are_valid_and_explained(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert maps.parse(maps.shipped(name)).parts
    assert status_of(["play", "--example", "--map", name]) == exits.OK
    assert sum(line.startswith("#") for line in capsys.readouterr().out.splitlines()) >= 5


def test_shipped_maps_show_every_kind_of_part_and_message() -> None:
    text = "\n".join(map(maps.shipped, MAPS))
    assert all(f"[{key}]" in text for key in maps.READERS)
    assert all(f"{key} = " in text for key in ("cc", "note", "mmc", "bits", "relative", "touch_note", "hold_time", "strum"))


def test_what_the_command_offers_exists() -> None:
    assert MAPS == maps.SHIPPED and APIS == midi.APIS


@pytest.mark.parametrize("name, number", [("C-1", 0), ("C4", 60), ("c4", 60), ("F#3", 54), ("Bb2", 46), ("Cb0", 11), ("G9", 127)])
def test_notes_have_names(name: str, number: int) -> None:
    assert number_of(name) == number


@pytest.mark.parametrize("name", ["", "H", "C", "Cb-1", "G#9", "C10", "C 4", "C##4", "４C"])
def test_other_words_are_not_notes(name: str) -> None:
    assert number_of(name) is None


def test_machine_commands_have_the_numbers_of_the_standard() -> None:
    assert [MACHINE_COMMANDS[word] for word in ("stop", "play", "rewind", "record", "pause")] == [1, 2, 5, 6, 9]


@pytest.mark.parametrize(
    "text, found",
    [("9000", ("127.0.0.1", 9000)), ("a.local:1", ("a.local", 1)), ("[::1]:65535", ("::1", 65535))],
)
def test_destinations_of_osc(text: str, found: tuple[str, int]) -> None:
    assert osc.destination(text) == found


@pytest.mark.parametrize("text", ["", "0", "65536", "x", ":9000", "a:", "::1:9000", "a b:1", "osc.udp://a:1", "1_0"])
def test_other_words_are_not_destinations(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="HOST"):
        osc.destination(text)
    with pytest.raises(SystemExit):
        status_of(["play", "--osc", text])
    assert "argument --osc" in capsys.readouterr().err


def test_check_is_json_with_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["play", "--check", "--json", "--map", "strings"]) == exits.OK
    assert json.loads(capsys.readouterr().out) == {"map": "strings", "valid": True, "parts": 1}
