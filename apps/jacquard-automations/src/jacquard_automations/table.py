"""Reads tables of a TOML file key by key, with complete checks."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from typing import Any

from .lines import Path

# Values in messages are shortened.
LONGEST = 60


class Problem(Exception):
    """A mistake in a file, and its place."""

    def __init__(self, text: str, line: int, place: str = "") -> None:
        super().__init__(f"{place}: {text}" if place else text)
        self.text = text
        self.line = line
        self.place = place


class Table:
    """Each value is read once; `finish` refuses the keys that were not read."""

    def __init__(self, values: dict[str, Any], lines: Mapping[Path, int], path: Path = ()) -> None:
        self._values = values
        self._lines = lines
        self._path = path
        self._read: set[str] = set()
        # The keys that the caller has asked for, for messages.
        self._known: list[str] = []

    def __contains__(self, key: str) -> bool:
        self._known.append(key)
        return key in self._values

    @property
    def line(self) -> int:
        return line_of(self._path, self._lines)

    def problem(self, text: str, *key: str | int) -> Problem:
        path = (*self._path, *key)
        named = place(path) if key or len(path) != 1 else f"[{path[0]}]"
        return Problem(text, line_of(path, self._lines), named)

    def value(self, key: str) -> Any:
        """None if the key is missing: TOML has no null."""
        self._known.append(key)
        self._read.add(key)
        return self._values.get(key)

    def required(self, key: str) -> None:
        if key not in self:
            for other in self._values.keys() - self._read:
                if nearest(other, [key]):
                    raise self.problem(f"unknown key; did you mean {key}?", other)
            raise self.problem(f"the key {key} is missing")

    def text(self, key: str, default: str | None = None) -> str | None:
        value = self.value(key)
        if value is None:
            return default
        if not isinstance(value, str) or not value:
            raise self.problem(f"{shown(value)} is not a text that is not empty", key)
        if "\0" in value:
            raise self.problem("the text contains the character U+0000", key)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """One text or several."""
        value = self.value(key)
        if value is None:
            return ()
        items = value if isinstance(value, list) else [value]
        for number, item in enumerate(items):
            if not isinstance(item, str) or "\0" in item:
                raise self.problem(f"{shown(item)} is not a text", key, number)
        if not items or not items[0]:
            raise self.problem("must not be empty", key)
        return tuple(items)

    def choice(self, key: str, words: Iterable[str]) -> str | None:
        value = self.value(key)
        if value is None or (isinstance(value, str) and value in words):
            return value
        raise self.problem(expected(value, words), key)

    def number(self, key: str, default: float | None, low: float, high: float) -> float | None:
        """A finite number from `low` to `high`, both included."""
        value = self.value(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or (isinstance(value, float) and not math.isfinite(value)):
            raise self.problem(f"{shown(value)} is not a number", key)
        if not low <= value <= high:
            raise self.problem(f"{shown(value)} is out of range; expected {low:g} to {high:g}", key)
        number: float = value
        return number

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        value = self.number(key, default, low, high)
        if not isinstance(value, int):
            raise self.problem(f"{shown(value)} is not a whole number", key)
        return value

    def flag(self, key: str) -> bool | None:
        value = self.value(key)
        if value is not None and not isinstance(value, bool):
            raise self.problem(f"{shown(value)} is neither true nor false", key)
        return value

    def table(self, key: str) -> Table | None:
        value = self.value(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.problem(f"{shown(value)} is not a table", key)
        return Table(value, self._lines, (*self._path, key))

    def tables(self, key: str, or_one: bool = False) -> list[Table]:
        """or_one: one table may be written without brackets."""
        value = self.value(key)
        if or_one and isinstance(value, dict):
            return [Table(value, self._lines, (*self._path, key))]
        if not isinstance(value, list):
            raise self.problem(f"{shown(value)} is not {'a table or ' if or_one else ''}a list of tables", key)
        for number, item in enumerate(value):
            if not isinstance(item, dict):
                raise self.problem(f"{shown(item)} is not a table", key, number)
        return [Table(item, self._lines, (*self._path, key, number)) for number, item in enumerate(value)]

    @property
    def values(self) -> Mapping[str, Any]:
        """All values, without marking them as read."""
        return self._values

    def entries(self) -> dict[str, Any]:
        """All values of a table whose keys are free."""
        self._read.update(self._values)
        return self._values

    def one_of(self, keys: Iterable[str], what: str) -> str:
        """The only key of these that is present."""
        keys = tuple(keys)
        found = [key for key in keys if key in self]
        if len(found) > 1:
            raise self.problem(f"{' and '.join(found)} exclude each other: a table has one {what}", found[1])
        if not found:
            unknown = [key for key in self._values if nearest(key, keys)] or list(self._values)[:1]
            if unknown and unknown[0] not in self._read:
                raise self.problem(f"unknown key; {expectation(unknown[0], keys)}", unknown[0])
            raise self.problem(f"the {what} is missing; {expectation('', keys)}")
        return found[0]

    def finish(self) -> None:
        for key in self._values:
            if key not in self._read:
                raise self.problem(f"unknown key; {expectation(key, self._known)}", key)


def line_of(path: Path, lines: Mapping[Path, int]) -> int:
    """The line of the value, or of the nearest table that contains it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def place(path: Path) -> str:
    """A table by its name, and its number if there are several, and a key in it."""
    if not path:
        return ""
    table = f"[[{path[0]}]] number {path[1] + 1}" if len(path) > 1 and isinstance(path[1], int) else f"[{path[0]}]"
    rest = path[2:] if table.startswith("[[") else path[1:]
    keys = "".join(f".{part}" if isinstance(part, str) else f"[{part + 1}]" for part in rest).lstrip(".")
    if not keys:
        return f"key {path[0]}" if len(path) == 1 else table
    return f"{table}, key {keys}"


def nearest(word: str, words: Iterable[str]) -> str | None:
    words = list(words)
    close = difflib.get_close_matches(word.lower().replace("_", "-"), words, 1)
    close += difflib.get_close_matches(word.lower(), words, 1)
    return close[0] if close else None


def expectation(word: str, words: Iterable[str]) -> str:
    words = list(dict.fromkeys(words))
    near = nearest(word, words)
    return f"did you mean {near}?" if near else f"expected {listed(words)}"


def expected(value: object, words: Iterable[str]) -> str:
    """A message about a value that is not one of these words."""
    words = list(words)
    near = nearest(value, words) if isinstance(value, str) else None
    text = f"{shown(value)} is not one of {listed(words)}"
    return f"{text}; did you mean {near}?" if near else text


def listed(words: Iterable[str]) -> str:
    return ", ".join(words)


def shown(value: object) -> str:
    if value is None:
        return "a missing value"
    text = repr(value) if not isinstance(value, bool) else str(value).lower()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
