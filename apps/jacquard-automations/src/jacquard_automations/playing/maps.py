"""The file of a map: which lines play what."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Callable

from .. import toml_file
from ..events.fader import read_lines
from ..table import Problem, Table, shown
from . import message, press
from .parts import FaderPart, Instrument, Pad, Part, Strings
from .press import Press, note_of

SHIPPED = ("strings", "faders", "transport")
NAME = re.compile("[A-Za-z0-9_-]{1,32}")
MOST_STRINGS = 12
LEAST_LINES = 3
MOST_BEND = 24
NEAREST_HOLD, LONGEST_HOLD = 0.3, 10


def shipped(name: str) -> str:
    return (resources.files("jacquard_automations.playing") / "maps" / f"{name}.toml").read_text(encoding="utf-8")


def read(path: Path) -> Instrument:
    """Raises toml_file.Invalid with all problems."""
    try:
        return parse(toml_file.text_of(path))
    except Problem as problem:
        raise toml_file.Invalid(path, [problem]) from None
    except toml_file.Problems as several:
        raise toml_file.Invalid(path, several.all) from None


def parse(text: str) -> Instrument:
    """Raises Problem if the text is not TOML, else Problems."""
    root = Table(*toml_file.values(text))
    found: list[tuple[Table, str, Part]] = []
    problems: list[Problem] = []
    try:
        for key, reader in READERS.items():
            for number, table in enumerate(root.tables(key, or_one=True) if key in root else [], 1):
                try:
                    name, part = reader(table, f"{key}{number}")
                    table.finish()
                    check(found, table, name, part)
                    found.append((table, name, part))
                except Problem as problem:
                    problems.append(problem)
        for key in READERS:
            root.value(key)
        root.finish()
        if not found and not problems:
            raise Problem(f"this map plays nothing; expected one of {', '.join(READERS)}", 1)
    except Problem as problem:
        problems.append(problem)
    if problems:
        raise toml_file.Problems(problems)
    return Instrument([part for _, _, part in found])


def check(others: list[tuple[Table, str, Part]], table: Table, name: str, part: Part) -> None:
    for other, other_name, one in others:
        if name == other_name:
            raise table.problem(f"{shown(name)} is also the name of the part in line {other.line}", "name")
        if min(part.lines) < max(one.lines) + 1 and min(one.lines) < max(part.lines) + 1:
            raise table.problem(f"the part in line {other.line} uses some of these lines", "lines")


def read_strings(table: Table, default: str) -> tuple[str, Part]:
    # The part of OSC addresses; several fingers distinguish the strings.
    name = "string"
    lines = read_lines(table, 1)
    notes = table.value("notes")
    if not isinstance(notes, list) or not 0 < len(notes) <= MOST_STRINGS:
        raise table.problem(f"expected a list of up to {MOST_STRINGS} notes, such as [\"E2\", \"A2\"]", "notes")
    numbers = [note_of(table, note, "notes", place) for place, note in enumerate(notes)]
    bend_range = table.whole("bend_range", 2, 1, MOST_BEND)
    bend = table.number("bend", 1, 0, bend_range)
    channel = table.whole("channel", 1, 1, message.CHANNELS)
    voices = table.whole("voices", min(3, message.CHANNELS + 1 - channel), 1, message.CHANNELS + 1 - channel)
    program = table.whole("program", 1, 1, message.MOST + 1) if "program" in table else None
    assert bend is not None
    part = Strings(
        lines,
        numbers,
        channel=channel,
        voices=voices,
        full=table.whole("full_strength", 110, 20, 255),
        bend=bend,
        bend_range=bend_range,
        pressure=table.flag("aftertouch") is not False,
        strum=bool(table.flag("strum")),
        program=program,
    )
    return name, part


def read_fader(table: Table, default: str) -> tuple[str, Part]:
    name = read_name(table, default)
    lines = read_lines(table, LEAST_LINES)
    fine = table.whole("bits", 7, 7, 14)
    if fine not in (7, 14):
        raise table.problem(f"{fine} is not one of 7, 14", "bits")
    most = message.MOST_FINE if fine == 14 else message.MOST
    part = FaderPart(
        lines,
        name,
        controller=table.whole("cc", 0, 0, most) if "cc" in table else None,
        fine=fine == 14,
        channel=table.whole("channel", 1, 1, message.CHANNELS),
        touch_note=note_of(table, table.value("touch_note"), "touch_note") if "touch_note" in table else None,
        relative=bool(table.flag("relative")),
    )
    return name, part


def read_pad(table: Table, default: str) -> tuple[str, Part]:
    name = read_name(table, default)
    lines = read_lines(table, 1)
    hold_time = table.number("hold_time", 0.5, NEAREST_HOLD, LONGEST_HOLD)
    assert hold_time is not None
    tap, hold = (read_press(table.table(key)) for key in ("tap", "hold"))
    if tap is None and hold is None:
        raise table.problem("the pad does nothing; expected tap or hold")
    return name, Pad(lines, name, tap=tap, hold=hold, hold_time=hold_time)


def read_press(table: Table | None) -> Press | None:
    if table is None:
        return None
    pressed = press.read(table)
    table.finish()
    return pressed


READERS: Mapping[str, Callable[[Table, str], tuple[str, Part]]] = {
    "strings": read_strings,
    "fader": read_fader,
    "pad": read_pad,
}


def read_name(table: Table, default: str) -> str:
    name = table.text("name", default) or default
    if NAME.fullmatch(name) is None or name == "string":
        raise table.problem(f"{shown(name)} is not a name of up to 32 letters, digits, - and _, or it is reserved", "name")
    return name
