"""Options shared by commands."""

from __future__ import annotations

import math
import re
import shlex
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Callable, NoReturn, TypeVar

from . import exits

Value = TypeVar("Value")

DEFAULT_TIMEOUT = 60.0
# The placeholder for an omitted TAG or COMMAND; command line words cannot contain this character.
LEFT_OUT = "\0"
# The name of the argument TAG.
TAG = "tag"


def shared() -> ArgumentParser:
    """The options of every command."""
    shared = ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="one JSON object per line")
    about_adapter = "the Bluetooth adapter to use: its address, or its name such as hci0 (the first powered one)"
    shared.add_argument("--adapter", metavar="ADDRESS", type=adapter, help=about_adapter)
    shared.add_argument("--debug", action="store_true", help="the library's log, on standard error")
    return shared


def with_tag(goes_on: bool = False, connects: bool = True, many: bool = False) -> ArgumentParser:
    """The options of every command with a TAG. goes_on: whether the command runs until it is interrupted. many: whether
    it accepts several tags."""
    with_tag = ArgumentParser(add_help=False, parents=[shared()])
    about_tag = "the serial number or its end, name, address or identifier (the bound tag, if there is exactly one)"
    several: dict[str, Any] = {"nargs": "+"} if many else {}
    with_tag.add_argument(TAG, metavar="TAG", type=tag, help=about_tag, **several)
    if not connects:
        return with_tag
    limit = "60; no limit for a bound tag" if goes_on else "60"
    default = None if goes_on else DEFAULT_TIMEOUT
    about_time = f"time limit for finding the tag and connecting ({limit})"
    with_tag.add_argument("--timeout", type=seconds, default=default, metavar="SECONDS", help=about_time)
    return with_tag


def add_all(parser: ArgumentParser) -> None:
    """Adds the options of commands that take several tags."""
    parser.add_argument("--all", dest="all_tags", action="store_true", help="all bound tags, instead of TAG")


def tag(text: str) -> str | None:
    """Serial numbers are often copied with the blanks around them."""
    return None if text == LEFT_OUT else word(text.strip())


def word(text: str) -> str:
    if not text:
        raise ArgumentTypeError("must not be empty")
    return text


def adapter(text: str) -> str:
    if re.fullmatch("hci[0-9]+|([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}", text) is None:
        raise ArgumentTypeError(f"{text!r} is neither an address nor a name such as hci0; bluetoothctl list shows addresses")
    return text


def path(text: str) -> Path:
    return Path(word(text))


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds") from None
    if not 0 < value <= 86400:
        raise ArgumentTypeError(f"{text} is out of range; expected more than 0 and at most 86400 seconds")
    return value


def factor(text: str) -> float:
    value = float(text)
    if not 0 < value < math.inf:
        raise ArgumentTypeError(f"{text} is out of range; expected more than 0")
    return value


def number(text: str) -> int:
    """Decimal, or hexadecimal with the prefix 0x."""
    return int(text, 0)


def whole(low: int, high: int) -> Callable[[str], int]:
    def converted(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ArgumentTypeError(f"{text!r} is not a whole number") from None
        if not low <= value <= high:
            raise ArgumentTypeError(f"{text} is out of range; expected {low} to {high}")
        return value

    return converted


def once(entries: Sequence[tuple[str, Value]]) -> dict[str, Value]:
    """Entries with different keys."""
    keys = [key for key, _ in entries]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise exits.Failure(f"{twice} is specified more than once.", exits.USAGE)
    return dict(entries)


class Nested(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ArgumentTypeError(message)


def nested(text: str, add: Callable[[ArgumentParser], None]) -> Namespace:
    """The arguments of another command, written in one word as in a shell. `add` adds them to a parser."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r}: {error}") from None
    parser = Nested(add_help=False)
    add(parser)
    return parser.parse_args(words)


def checked(make: Callable[[Namespace], Value], arguments: Namespace) -> Value:
    """The value that another command makes of its arguments."""
    try:
        return make(arguments)
    except exits.Failure as failure:
        raise ArgumentTypeError(str(failure)) from None


def add_duration(parser: ArgumentParser) -> None:
    parser.add_argument("--for", dest="duration", type=seconds, metavar="SECONDS", help="end after this time")
