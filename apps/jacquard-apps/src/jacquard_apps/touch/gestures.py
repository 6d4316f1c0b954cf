"""Gestures by name."""

from __future__ import annotations

from argparse import ArgumentTypeError

import jacquard

ANY = "any"
NAMES = (*(str(number) for number in jacquard.GestureType), ANY)


def wanted(text: str) -> str:
    """A name, also written as words ("brush in"), the number of a gesture without a name, or any."""
    word = text.lower().replace(" ", "-").replace("_", "-")
    if word in NAMES or text.isdecimal():
        return word
    raise ArgumentTypeError(f"{text!r} is neither a number nor one of {', '.join(NAMES)}")


def answers(gesture: jacquard.Gesture, word: str) -> bool:
    return word in (ANY, gesture.name, f"{gesture.type:d}")


def exist_in_touch_mode(word: str) -> bool:
    """Whether a gesture of this name may be derived."""
    from .touching import STAND_FOR

    return any(word in (ANY, str(number), f"{number:d}") for number in STAND_FOR.values())
