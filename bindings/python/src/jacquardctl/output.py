"""Where results go: to a person, or line by line as JSON to a program."""

import dataclasses
import enum
import json
import sys
from typing import Any

from jacquard import Component, JacquardError
from rich.console import Console
from rich.markup import escape

# A pipe has no width: nothing is wrapped for it.
UNWRAPPED = 1000


def console(to_error: bool = False) -> Console:
    stream = sys.stderr if to_error else sys.stdout
    return Console(file=stream, highlight=False, soft_wrap=True, width=None if stream.isatty() else UNWRAPPED)


def say_json(**members: Any) -> None:
    """One object on one line, at once."""
    print(json.dumps({name: plain(value) for name, value in members.items()}), flush=True)


def plain(value: Any) -> Any:
    """A value of the library as JSON has it: enums by name in small letters, sets as lists, errors by their parts."""
    if isinstance(value, JacquardError):
        return plain(value.details)
    if isinstance(value, Component):
        return plain(value.info)
    if isinstance(value, enum.Flag):
        return [member.name.lower() for member in type(value) if member in value and member.name]
    if isinstance(value, enum.Enum):
        return value.name.lower()
    if dataclasses.is_dataclass(value):
        return members_of(value)
    return value


def members_of(value: Any) -> dict[str, Any]:
    return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}


def printable(text: str) -> str:
    """What a radio or a bus sent, without what would steer a terminal or mean markup."""
    return escape("".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text))
