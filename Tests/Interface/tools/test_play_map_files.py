"""Files of maps: what is refused, and the shipped ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jacquard_apps.terminal import exits
from jacquard_automations import toml_file
from jacquard_automations.commands.play import APIS, MAPS
from jacquard_automations.playing import maps, midi, osc
from jacquard_automations.playing.message import MACHINE_COMMANDS, number_of
from jacquard_automations.table import Problem
from jacquardctl.running import status_of
from test_play_maps import FADER, PAD, STRINGS

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
