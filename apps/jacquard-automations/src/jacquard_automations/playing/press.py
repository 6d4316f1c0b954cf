"""Messages that are written in a table: a note, a controller, or a machine command."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..table import Table, nearest, shown
from . import message

KEYS = ("note", "cc", "mmc")
NOTES = [f"{letter}{shift}{octave}" for octave in range(10) for letter in "cdefgab" for shift in ("", "#", "b")]


@dataclasses.dataclass(frozen=True)
class Press:
    """The messages when something is pressed and released."""

    on: tuple[int, ...]
    off: tuple[int, ...] = ()


def read(table: Table) -> Press:
    key = table.one_of(KEYS, "message")
    if key == "mmc":
        return Press(message.machine(table.choice(key, message.MACHINE_COMMANDS) or "stop"))
    channel = table.whole("channel", 1, 1, message.CHANNELS)
    if key == "note":
        number = note_of(table, table.value(key), key)
        velocity = table.whole("velocity", 100, 1, message.MOST)
        return Press(message.note(channel, number, velocity), message.note(channel, number, 0))
    controller, value = table.whole(key, 0, 0, message.MOST), table.whole("value", message.MOST, 0, message.MOST)
    return Press(message.control(channel, controller, value), message.control(channel, controller, 0))


def note_of(table: Table, value: Any, *key: str | int) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= message.MOST:
        return value
    number = message.number_of(value) if isinstance(value, str) else None
    if number is None:
        near = nearest(value, NOTES) if isinstance(value, str) else None
        hint = f"; did you mean {near.capitalize()}?" if near else ""
        raise table.problem(f"{shown(value)} is not a note from C-1 to G9, such as C4 or Bb2, or its number{hint}", *key)
    return number
