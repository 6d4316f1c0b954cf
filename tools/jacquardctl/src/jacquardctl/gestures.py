"""Gestures by name."""

from __future__ import annotations

from argparse import ArgumentTypeError

import jacquard

ANY = "any"
NAMES = (*(str(number) for number in jacquard.GestureNumber), ANY)


# In touch mode a tag recognises no gestures. These, which the library derives from touches, stand for its own.
IN_TOUCH_MODE = {
    jacquard.TouchGestureKind.DOUBLE_TAP: jacquard.GestureNumber.DOUBLE_TAP,
    jacquard.TouchGestureKind.SWIPE_IN: jacquard.GestureNumber.BRUSH_IN,
    jacquard.TouchGestureKind.SWIPE_OUT: jacquard.GestureNumber.BRUSH_OUT,
    jacquard.TouchGestureKind.COVER: jacquard.GestureNumber.COVER,
}


def wanted(text: str) -> str:
    """A name, also written as words ("brush in"), the number of a gesture without a name, or any."""
    word = text.lower().replace(" ", "-").replace("_", "-")
    if word in NAMES or text.isdecimal():
        return word
    raise ArgumentTypeError(f"{text!r} is neither a number nor one of {', '.join(NAMES)}")


def answers(gesture: jacquard.Gesture, word: str) -> bool:
    return word in (ANY, gesture.name, f"{gesture.number:d}")


def exist_in_touch_mode(word: str) -> bool:
    """Whether a gesture of this name may be derived."""
    return any(word in (ANY, str(number), f"{number:d}") for number in IN_TOUCH_MODE.values())
