"""Enumerations have the header's numbers and print as words."""

from __future__ import annotations

import json

import pytest
from jacquard import AdapterState, Capability, GestureType, Phase, Status
from jacquard._native.library import library


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (Phase.CONNECTED, "connected"),
        (AdapterState.POWERED_ON, "powered on"),
        (Status.IN_USE, "in use"),
        (Phase(99), "unknown 99"),
        (GestureType.BRUSH_IN, "brush-in"),
        (Capability.LED, "led"),
        (Capability.LED | Capability.TOUCH, "led, touch"),
        (Capability.LED | Capability(64), "led, 0x40"),
        (Capability(0), "none"),
    ],
)
def test_printed_as_words(value: int, words: str) -> None:
    assert (str(value), f"{value}", f"{value:>12}", "%s" % value) == (words, words, f"{words:>12}", words)  # noqa: UP031


def test_gestures_have_the_names_of_the_library() -> None:
    assert [library().jacquard_gesture_name(number).decode() for number in GestureType] == list(map(str, GestureType))
    assert library().jacquard_gesture_name(99) == b""


@pytest.mark.parametrize("value", [Phase.CONNECTED, Phase(99), Status.IN_USE, Capability.LED | Capability.TOUCH])
def test_members_are_numbers(value: int) -> None:
    number = int(value)
    assert value == number and hash(value) == hash(number) and value < number + 1
    assert (f"{value:d}", f"{value:04x}", "%d" % value) == (f"{number:d}", f"{number:04x}", f"{number}")  # noqa: UP031
    assert json.dumps([value]) == f"[{number}]"
    assert type(value)(number) == value
