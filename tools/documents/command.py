"""A command line as data, from which the manual pages and completions are generated."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator


@dataclasses.dataclass(frozen=True)
class Words:
    """The possible words of an argument: a list, files, programs, the output of a shell command, or anything."""

    known: tuple[str, ...] = ()
    more: bool = False  # whether words other than the known ones are possible
    files: bool = False
    programs: bool = False
    printed_by: str = ""


@dataclasses.dataclass(frozen=True)
class Option:
    names: tuple[str, ...]
    help: str
    values: tuple[str, ...] = ()  # names of its values; one in brackets may be omitted
    words: tuple[Words, ...] = ()  # for each value

    @property
    def many(self) -> bool:
        return "may be repeated" in self.help


@dataclasses.dataclass(frozen=True)
class Operand:
    name: str
    help: str
    words: Words
    many: bool = False
    optional: bool = False


@dataclasses.dataclass(frozen=True)
class Command:
    """A command with `children` takes one of them as its first operand."""

    name: str
    help: str
    description: str = ""
    options: tuple[Option, ...] = ()
    operands: tuple[Operand, ...] = ()
    children: tuple[Command, ...] = ()

    def walk(self, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Command]]:
        """This command and all its subcommands, with the words that lead to each."""
        path = (*above, self.name)
        yield path, self
        for child in self.children:
            yield from child.walk(path)
