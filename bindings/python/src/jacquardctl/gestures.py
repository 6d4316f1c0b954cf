"""Gestures by name, as a shell writes them."""

from __future__ import annotations

from argparse import ArgumentTypeError

import jacquard

# The library's names, in the order of their numbers.
NAMES = (
    "none",
    "double-tap",
    "brush-in",
    "brush-out",
    "pulse-check",
    "pulse-tap",
    "long-cover",
    "cover",
    "genie",
    "pinch-in",
    "pinch-out",
    "triple-tap",
    "brush-up",
    "brush-down",
)


def wanted(text: str) -> str:
    """A name, or a number for what has none."""
    word = text.lower().replace(" ", "-").replace("_", "-")
    if word in NAMES or text.isdecimal():
        return word
    raise ArgumentTypeError(f"{text!r} is neither a number nor one of {', '.join(NAMES)}")


def answers(gesture: jacquard.Gesture, word: str) -> bool:
    return word in (gesture.name.replace(" ", "-"), str(gesture.number))
