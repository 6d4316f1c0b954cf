"""Reads a recording. The file is untrusted: every line is checked before it is used."""

from __future__ import annotations

import dataclasses
import io
import json
import re
import sys
from collections.abc import Iterable
from typing import Any

from jacquard.input_file import open_input

from .writer import VERSION

LONGEST_PACKET = 1024
LONGEST_VALUE = 512
LONGEST = 7 * 86400.0
LONGEST_LINE = 1 << 16
LINES = 12
HEX = re.compile("([0-9a-f]{2})+")
# A bound tag has its full serial number of 14 characters.
SERIAL = re.compile("[0-9A-Za-z-]{1,63}")


class BadRecording(ValueError):
    """An invalid line."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line} of the recording: {text}")


@dataclasses.dataclass(frozen=True)
class Moment:
    """One line: time, kind and value."""

    time: float
    kind: str
    value: Any


@dataclasses.dataclass(frozen=True)
class Recording:
    library: str
    moments: list[Moment]
    # A date and time with its offset, as written.
    started: str = ""
    # It contains touches, and neither packets nor the tag.
    is_labelled: bool = False

    @property
    def serial(self) -> str:
        """The advertised serial number, or the full one of a bound tag; "" if neither is known."""
        return next((str(moment.value["serial"]) for moment in self.moments if moment.kind == "found"), "")

    @property
    def duration(self) -> float:
        return self.moments[-1].time if self.moments else 0.0


def read(lines: Iterable[str]) -> Recording:
    numbered = enumerate(lines, 1)
    _, first = next(numbered, (1, ""))
    head = parsed(1, first)
    if head.get("jacquard_recording") != VERSION:
        raise BadRecording(1, f"not a recording of format {VERSION}")
    moments: list[Moment] = []
    for number, line in numbered:
        if line.strip():
            moments.append(moment(number, parsed(number, line), moments[-1].time if moments else 0.0))
    return Recording(str(head.get("library", "")), moments, str(head.get("started", "")), "label" in head)


def read_file(name: str) -> Recording:
    """name: the name of a file; - for standard input."""
    if name == "-":
        return read(sys.stdin)
    with io.TextIOWrapper(open_input(name), encoding="utf-8", errors="replace") as lines:
        return read(lines)


def parsed(number: int, line: str) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise BadRecording(number, "too long")
    try:
        members = json.loads(line)
    except (ValueError, RecursionError):
        raise BadRecording(number, "not valid JSON") from None
    if not isinstance(members, dict):
        raise BadRecording(number, "not a JSON object")
    return members


def moment(number: int, members: dict[str, Any], earliest: float) -> Moment:
    """Unknown kinds of lines, which a later version may add, are kept and ignored."""
    if "jacquard_recording" in members:
        raise BadRecording(number, "another recording begins; a data set is only read by jacquardctl dataset")
    time = members.pop("time", None)
    if isinstance(time, bool) or not isinstance(time, (int, float)):
        raise BadRecording(number, "time is missing")
    if not earliest <= time <= LONGEST:
        raise BadRecording(number, f"time is not between {earliest:g} and {LONGEST:g}")
    if len(members) != 1:
        raise BadRecording(number, "expected one member besides time, found " + (", ".join(members) or "none"))
    ((kind, value),) = members.items()
    if kind in CHECKS and not CHECKS[kind](value):
        raise BadRecording(number, f"{kind} is invalid")
    return Moment(float(time), kind, value)


def is_bytes(value: Any, longest: int) -> bool:
    return isinstance(value, str) and len(value) <= 2 * longest and HEX.fullmatch(value) is not None


def is_state(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("phase"), str):
        return False
    reason = value.get("reason")
    return type(value.get("step")) is int and (reason is None or isinstance(reason, dict))


def is_tag(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return False
    firmware = value.get("firmware")
    if not isinstance(firmware, list) or len(firmware) != 3:
        return False
    return all(type(part) is int and 0 <= part < 1 << 32 for part in firmware)


def is_found(value: Any) -> bool:
    serial = value.get("serial") if isinstance(value, dict) else None
    return isinstance(serial, str) and (serial == "" or SERIAL.fullmatch(serial) is not None)


def is_battery(value: Any) -> bool:
    return isinstance(value, dict) and is_number(value.get("percent"), 100) and isinstance(value.get("charging"), bool)


def is_gear(value: Any) -> bool:
    if not isinstance(value, dict) or "component" not in value:
        return False
    component = value["component"]
    if component is None:
        return True
    return isinstance(component, dict) and isinstance(component.get("capabilities"), list)


def is_gesture(value: Any) -> bool:
    return isinstance(value, dict) and is_number(value.get("number"), 1 << 32) and isinstance(value.get("name"), str)


def is_name(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str)


def is_touch(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("lines"), list) or len(value["lines"]) != LINES:
        return False
    strengths = [value.get("proximity"), *value["lines"]]
    return is_number(value.get("sequence"), 1 << 32) and all(is_number(one, 255) for one in strengths)


def is_number(value: Any, largest: int) -> bool:
    return type(value) is int and 0 <= value <= largest


CHECKS = {
    "battery": is_battery,
    "gear": is_gear,
    "gesture": is_gesture,
    "name": is_name,
    "touch": is_touch,
    "found": is_found,
    "notification": lambda value: is_bytes(value, LONGEST_PACKET),
    "raw_value": lambda value: is_bytes(value, LONGEST_VALUE),
    "state": is_state,
    "tag": is_tag,
}
