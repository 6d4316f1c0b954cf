"""A command line as data: what the manual pages and completions are written from."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator


@dataclasses.dataclass(frozen=True)
class Words:
    """What may stand at a place: words of a list, a file, a program, what a shell command prints, or anything."""

    known: tuple[str, ...] = ()
    files: bool = False
    programs: bool = False
    printed_by: str = ""


@dataclasses.dataclass(frozen=True)
class Option:
    names: tuple[str, ...]
    help: str
    values: tuple[str, ...] = ()  # what its values are called
    words: tuple[Words, ...] = ()  # for each of them


@dataclasses.dataclass(frozen=True)
class Operand:
    name: str
    help: str
    words: Words
    many: bool = False
    optional: bool = False


@dataclasses.dataclass(frozen=True)
class Command:
    """One with `children` takes one of them as its first operand."""

    name: str
    help: str
    description: str = ""
    options: tuple[Option, ...] = ()
    operands: tuple[Operand, ...] = ()
    children: tuple[Command, ...] = ()

    def walk(self, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Command]]:
        """This command and all below it, with the words that lead there."""
        path = (*above, self.name)
        yield path, self
        for child in self.children:
            yield from child.walk(path)
