"""Output of results, as text or as JSON lines. Only output to a terminal needs rich."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import enum
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Callable

from jacquard import Component, GestureType, JacquardError, TagStatus

if TYPE_CHECKING:
    from rich.console import Console

# The member for `type`: in recordings and MQTT a gesture has a number and a name.
TYPES = {"Gesture": "number", "TouchGesture": "kind"}


def say(line: str) -> None:
    print(line, flush=True)


def say_json(**members: Any) -> None:
    """Writes one object on one line, without buffering."""
    say(json_line(**members))


def complain(text: str) -> None:
    print(f"jacquardctl: {printable(text)}", file=sys.stderr, flush=True)


def report(error: Exception, as_json: bool, tag: str = "") -> None:
    """Reports a failure, as an object with all details if as_json. tag: the tag that it concerns, if there are several."""
    if as_json:
        details = plain(error) if isinstance(error, JacquardError) else {"message": str(error)}
        print(json_line(error=details, **({"tag": tag} if tag else {})), file=sys.stderr, flush=True)
    else:
        complain(f"{tag}: {error}" if tag else str(error))


def report_json(**members: Any) -> None:
    """Reports a failure, with these members, as `report` does."""
    print(json_line(error=members), file=sys.stderr, flush=True)


def json_line(**members: Any) -> str:
    return json.dumps({name: plain(value) for name, value in members.items()})


def plain(value: Any) -> Any:
    """Converts a value of the library to JSON: enums to lowercase names, except gestures and statuses, which have
    separate names, to numbers; sets to lists; errors to their parts."""
    if isinstance(value, JacquardError):
        return plain(value.details)
    if isinstance(value, Component):
        return plain(value.info)
    if isinstance(value, enum.Flag):
        return [member.name.lower() for member in type(value) if member in value and member.name]
    if isinstance(value, (GestureType, TagStatus)):
        return int(value)
    if isinstance(value, enum.Enum):
        return value.name.lower()
    if dataclasses.is_dataclass(value):
        return members_of(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    return value.hex() if isinstance(value, bytes) else value


def members_of(value: Any) -> dict[str, Any]:
    """The members without the time of arrival: it is on the clock of this machine since its start, and not part of the
    value."""
    names = {field.name: field.name for field in dataclasses.fields(value) if field.compare}
    if "type" in names:
        names["type"] = TYPES.get(type(value).__name__, "type")
    return {name: plain(getattr(value, field)) for field, name in names.items()}


def printable(text: str) -> str:
    """Text from a tag, the bus or a file, without terminal control characters."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def explained(error: JacquardError) -> str:
    """The message and the advice, as two sentences that differ."""
    return f"{error.message.rstrip('.')}. Advice: {error.advice}" if error.advice else error.message


def seconds(count: float) -> str:
    return f"{count:g} {'second' if count == 1 else 'seconds'}"


def now() -> datetime.datetime:
    return datetime.datetime.now().astimezone()


def terminal() -> Console | None:
    """The terminal of standard output; None if it is a file or a pipe, or rich is not installed."""
    return _console(sys.stdout)


def live_terminal() -> Console | None:
    """The terminal of standard output, for live views. Prints a message if rich must be installed for that."""
    console = terminal()
    if console is None and sys.stdout is not None and sys.stdout.isatty():
        complain("Install python3-rich for a live view; without it, events are printed line by line.")
    return console


def error_terminal() -> Console | None:
    """The terminal of standard error, for progress."""
    return _console(sys.stderr)


@contextlib.contextmanager
def progress(text: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Shows a text, which can be changed, until the block ends, on a terminal only."""
    console = None if quiet else error_terminal()
    if console is None:
        yield lambda text: None
        return
    from rich.text import Text

    def shown(text: str) -> Text:
        return Text(printable(text))

    with console.status(shown(text)) as status:
        yield lambda text: status.update(shown(text))


def _console(stream: Any) -> Console | None:
    if stream is None or not stream.isatty():
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(file=stream, highlight=False, soft_wrap=True)


def columns(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table as lines, for output that is not a terminal."""
    table = [list(headings), *([printable(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(headings))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]


def rich_table(headings: Sequence[str], rows: Iterable[Sequence[Any]]) -> Any:
    """Cells are strings, or texts with styles. Where the terminal is too narrow, the first column, which identifies the
    row, is never truncated; the widest of the others give way."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")

    def add(cells: Sequence[Any], add_cells: Callable[..., None]) -> None:
        texts = [cell if isinstance(cell, Text) else Text(printable(cell)) for cell in cells]
        for text in texts:
            # rich narrows only columns that may wrap, so that is a property of the cells.
            text.no_wrap, text.overflow = True, "ellipsis"
        add_cells(*texts)

    for number, heading in enumerate(headings):
        add([heading], partial(table.add_column, no_wrap=number == 0))
    for row in rows:
        add(row, table.add_row)
    return table


def show_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    console = terminal()
    if console is not None:
        console.print(rich_table(headings, rows))
        return
    for line in columns(headings, rows):
        say(line)


def show_members(members: dict[str, str]) -> None:
    """One aligned line for each member."""
    width = max(len(name) for name in members)
    for name, value in members.items():
        say(f"{name.ljust(width)}  {printable(value)}".rstrip())
