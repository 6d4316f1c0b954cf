"""A message to an instrument: the bytes of a MIDI message, and the end of an OSC address with its argument. Each output takes its part."""

from __future__ import annotations

import dataclasses
import re

CHANNELS = 16
MOST = 127
MOST_14 = 16383
CENTRE = 8192
# The first controllers have a second one for their lower seven bits.
MOST_FINE = 31
LOWER = 32
STEPS = {"c": 0, "d": 2, "e": 4, "f": 5, "g": 7, "a": 9, "b": 11}
SHIFTS = {"": 0, "#": 1, "b": -1}
NOTE = re.compile(r"([A-Ga-g])([#b]?)(-1|[0-9])")
# MIDI 1.0, MIDI Machine Control (RP-013).
MACHINE_COMMANDS = {
    **{"stop": 1, "play": 2, "deferred-play": 3, "fast-forward": 4, "rewind": 5},
    **{"record": 6, "record-exit": 7, "pause": 9},
}
ALL_DEVICES = 0x7F


@dataclasses.dataclass(frozen=True)
class Message:
    midi: tuple[int, ...] = ()
    # The address without /jacquard/NAME/.
    osc: tuple[str, int | float] | None = None


# Channels count from 1.


def note(channel: int, number: int, velocity: int) -> tuple[int, ...]:
    """velocity: 0 ends it."""
    return ((0x90 if velocity else 0x80) | channel - 1, number, velocity)


def control(channel: int, controller: int, value: int) -> tuple[int, ...]:
    return (0xB0 | channel - 1, controller, value)


def program(channel: int, number: int) -> tuple[int, ...]:
    """number: from 1, as in lists of General MIDI."""
    return (0xC0 | channel - 1, number - 1)


def pressure(channel: int, value: int) -> tuple[int, ...]:
    """Aftertouch of the channel."""
    return (0xD0 | channel - 1, value)


def bend(channel: int, part: float) -> tuple[int, ...]:
    """part: from -1 to 1 of the range."""
    value = min(max(round(CENTRE + part * CENTRE), 0), MOST_14)
    return (0xE0 | channel - 1, value & 0x7F, value >> 7)


def bend_range(channel: int, semitones: int) -> list[tuple[int, ...]]:
    """Registered parameter 0, and then none, so that nothing else changes it."""
    values = [(101, 0), (100, 0), (6, semitones), (38, 0), (101, 127), (100, 127)]
    return [control(channel, controller, value) for controller, value in values]


def machine(command: str) -> tuple[int, ...]:
    return (0xF0, 0x7F, ALL_DEVICES, 0x06, MACHINE_COMMANDS[command], 0xF7)


def number_of(name: str) -> int | None:
    """The number of a note such as C4 (60), F#3 or Bb2; None if it is not one."""
    found = NOTE.fullmatch(name)
    if found is None:
        return None
    number = STEPS[found[1].lower()] + SHIFTS[found[2]] + 12 * (int(found[3]) + 1)
    return number if 0 <= number <= MOST else None
