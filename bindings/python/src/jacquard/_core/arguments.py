"""Converts a caller's arguments; rejects only those that ctypes would truncate silently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._native import structs

NO_LIMIT = 0xFFFFFFFF


def text(value: str | None) -> bytes | None:
    """In C a NUL character would end the string."""
    if value is None:
        return None
    if "\0" in value:
        raise ValueError(f"{value!r} contains a NUL character")
    return value.encode()


def milliseconds(name: str, seconds: float, infinity: int = NO_LIMIT) -> int:
    """At least 1, because 0 means the library's default. `infinity` means no limit."""
    if not seconds >= 0:
        raise ValueError(f"{name} is {seconds}; expected 0 seconds or more")
    if seconds * 1000 >= NO_LIMIT:
        return infinity
    return max(1, round(seconds * 1000))


def number(name: str, value: int, lowest: int, highest: int) -> int:
    if not lowest <= value <= highest:
        raise ValueError(f"{name} is {value}; expected {lowest} to {highest}")
    return value


def profile(entries: Mapping[str, str] | None) -> Any:
    """Returns an array that keeps the strings alive."""
    given = list((entries or {}).items())
    return (structs.ProfileEntry * len(given))(*[structs.ProfileEntry(text(key), text(value)) for key, value in given])
