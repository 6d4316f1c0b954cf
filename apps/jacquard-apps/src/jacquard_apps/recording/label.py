"""The label of a recording: everything besides its samples. docs/dataset.md describes it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

# The suggested gestures; others are possible.
GESTURES = (
    *("tap", "double_tap", "hold", "press", "swipe_in", "swipe_out", "scrub", "two_finger_tap", "spread", "pinch"),
    *("cover", "zigzag", "other"),
)
HANDS = ("left", "right")
LICENSE = "CC0-1.0"
# A new text gets a new number.
CONSENT_VERSION = 1
CONSENT = """\
The recording contains what the lines of the sleeve read, and when, counted from the first touch. It also contains the
gesture, the hand and the garment that you enter. It does not contain the date, the serial number, address or name of the
tag, nor anything about you or this computer. Other people may still recognise you by the way in which you move, as by
handwriting.

If you publish the file, anyone may use, change and pass on what is in it, for any purpose (CC0 1.0). You cannot undo
that. jacquardctl writes the file, and sends it to no one.

You agree to this for yourself, or the person who touches the sleeve does and is of age.
"""

GESTURE = re.compile("[a-z][a-z0-9_]{0,30}")
GARMENT = re.compile(r"[^\W_][\w '&.,()+-]{0,59}")
# A serial number, the name that a tag has from the factory, an address, and the start of an identifier.
IDENTITY = re.compile(
    r"\b(?=\w*\d)[0-9A-Z]{14}\b|\bJacquard-\w+|\b[0-9A-F]{2}(-[0-9A-F]{2}){5}\b|\b[0-9A-F]{8}-[0-9A-F]{4}",
    re.IGNORECASE,
)


@dataclasses.dataclass(frozen=True, order=True)
class Label:
    gesture: str
    hand: str
    garment: str


def gesture(text: str) -> str:
    if GESTURE.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a gesture: expected at most 31 of a to z, 0 to 9 and _, such as swipe_in")
    return text


def hand(text: str) -> str:
    if text not in HANDS:
        raise ValueError(f"{text!r} is not a hand: expected {' or '.join(HANDS)}")
    return text


def garment(text: str) -> str:
    if GARMENT.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a garment: expected at most 60 letters, digits, spaces and '&.,()+-")
    if IDENTITY.search(text) is not None:
        raise ValueError(f"{text!r} contains the serial number, name or address of a tag: enter only what it is")
    return text


# The checks of entered values.
CHECKS = {"gesture": gesture, "hand": hand, "garment": garment}


def identity_in(label: Label, identities: Iterable[str]) -> str | None:
    """The first of these words that is a word of the label."""
    words = f"{label.gesture.replace('_', ' ')} {label.garment}".casefold()
    for one in identities:
        if re.search(rf"(?<!\w){re.escape(one.casefold())}(?!\w)", words):
            return one
    return None
