"""The line of each value in a TOML text, which Python's readers do not report."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterator
from typing import Union

# Keys, and the numbers of elements.
Path = tuple[Union[str, int], ...]

BARE = re.compile(r"[A-Za-z0-9_-]+")
SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'",
    re.DOTALL,
)
SCALAR = re.compile(r"[^,\]}#\n]*")


def of(text: str) -> dict[Path, int]:
    """text: valid TOML. Tables of an array have numbers from 0."""
    reader = _Reader(text)
    reader.document()
    return reader.found


@dataclasses.dataclass
class Pair:
    """A key and its value, which begins at `value`. The end may be followed by blanks that belong to neither."""

    path: Path
    start: int
    value: int
    end: int


@dataclasses.dataclass
class Block:
    """The text of a table with its header, up to the end of its last value."""

    path: Path
    start: int
    end: int
    pairs: list[Pair] = dataclasses.field(default_factory=list)

    @property
    def is_rule(self) -> bool:
        return len(self.path) == 2 and self.path[0] == "on"


def blocks(text: str) -> list[Block]:
    """text: valid TOML."""
    reader = _Reader(text)
    reader.document()
    return reader.blocks


class _Reader:
    def __init__(self, text: str) -> None:
        self.found: dict[Path, int] = {}
        self.blocks: list[Block] = []
        self._text = text
        self._at = 0
        self._line = 1
        self._counted = 0
        # How many tables each array of tables has so far.
        self._tables: dict[Path, int] = {}

    def document(self) -> None:
        here: Path = ()
        self._skip(SPACE)
        while self._at < len(self._text):
            start = self._at
            if self._next("[["):
                here = self._table(is_element=True)
                self.blocks.append(Block(here, start, self._at))
            elif self._next("["):
                here = self._table(is_element=False)
                self.blocks.append(Block(here, start, self._at))
            else:
                path, value = self._pair(here)
                if self.blocks:
                    self.blocks[-1].end = self._at
                    self.blocks[-1].pairs.append(Pair(path, start, value, self._at))
            self._skip(SPACE)

    def _table(self, is_element: bool) -> Path:
        line, keys = self._number(), self._keys()
        self._next("]]" if is_element else "]")
        here: Path = ()
        for position, key in enumerate(keys, 1):
            here = (*here, key)
            if is_element and position == len(keys):
                self._tables[here] = self._tables.get(here, 0) + 1
            if here in self._tables:
                here = (*here, self._tables[here] - 1)
            self.found.setdefault(here, line)
        return here

    def _pair(self, here: Path) -> tuple[Path, int]:
        """The path of a pair, and where its value begins."""
        line = self._number()
        for key in self._keys():
            here = (*here, key)
            self.found.setdefault(here, line)
        self._next("=")
        self._skip(SPACE)
        value = self._at
        self._value(here)
        return here, value

    def _value(self, here: Path) -> None:
        self.found.setdefault(here, self._number())
        if self._next("["):
            for number in self._parts("]"):
                self._value((*here, number))
        elif self._next("{"):
            for _ in self._parts("}"):
                self._pair(here)
        elif not self._skip(STRING):
            self._skip(SCALAR)

    def _parts(self, end: str) -> Iterator[int]:
        """The numbers of the elements up to the closing bracket."""
        for number in itertools.count():
            self._skip(SPACE)
            self._next(",")
            self._skip(SPACE)
            if self._at == len(self._text) or self._next(end):
                return
            yield number

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._skip(SPACE)
            start = self._at
            if self._skip(STRING):
                keys.append(self._text[start + 1 : self._at - 1])
            elif self._skip(BARE):
                keys.append(self._text[start : self._at])
            self._skip(SPACE)
            if not self._next("."):
                return keys

    def _next(self, mark: str) -> bool:
        found = self._text.startswith(mark, self._at)
        self._at += len(mark) if found else 0
        return found

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return found is not None

    def _number(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line
