"""A caller's arguments to the library's, refused here only where ctypes would cut them silently."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._native import structs

NO_LIMIT = 0xFFFFFFFF


def text(value: str | None) -> bytes | None:
    """C would take a NUL for the end."""
    if value is None:
        return None
    if "\0" in value:
        raise ValueError(f"{value!r} holds a NUL character")
    return value.encode()


def milliseconds(seconds: float, infinity: int = NO_LIMIT) -> int:
    """At least 1, since 0 stands for the library's default. `infinity` is what stands for no limit."""
    if not seconds >= 0:
        raise ValueError(f"a time of {seconds} seconds")
    if seconds * 1000 >= NO_LIMIT:
        return infinity
    return max(1, round(seconds * 1000))


def number(name: str, value: int, lowest: int, highest: int) -> int:
    if not lowest <= value <= highest:
        raise ValueError(f"{name} is {value}, not {lowest} to {highest}")
    return value


def profile(entries: Mapping[str, str] | None) -> Any:
    """An array, which keeps the strings alive."""
    given = list((entries or {}).items())
    return (structs.ProfileEntry * len(given))(*[structs.ProfileEntry(text(key), text(value)) for key, value in given])
