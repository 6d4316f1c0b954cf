"""The file of taught gestures: docs/touch.md describes it. It is untrusted: everything is checked before it is used."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Sequence
from pathlib import Path

from .. import lines, toml_file
from ..action import toml
from ..table import Problem, Table, shown
from .episodes import LONGEST, TOUCHED, Episode, Sample
from .recogniser import Recogniser, Taught

VERSION = 1
LINES = 12
HIGHEST = 255
FEWEST, MOST = 3, 25
LONGEST_NAME = 40
# More numbers than a sample of a few seconds has, and more samples than five seconds have.
LONGEST_ROW, MOST_ROWS = 80, 1000
HEAD = f"""# Gestures that were taught with jacquardctl gesture teach. A row of an example has the milliseconds since its first
# touch, and the levels of the {LINES} lines.
version = {VERSION}
"""


@dataclasses.dataclass(frozen=True)
class Gesture:
    """tolerance: multiplies how far a touch may be from the examples."""

    name: str
    examples: tuple[Episode, ...]
    tolerance: float = 1.0

    @property
    def taught(self) -> Taught:
        return Taught(self.name, self.examples, self.tolerance)


def default_path() -> Path:
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(home, "jacquard", "gestures.toml")


def read(path: Path) -> list[Gesture]:
    """The gestures in the file, none without one. Raises toml_file.Invalid."""
    if not path.exists():
        return []
    try:
        return parse(toml_file.text_of(path))
    except Problem as problem:
        raise toml_file.Invalid(path, [problem]) from None


def recogniser(gestures: Sequence[Gesture]) -> Recogniser:
    return Recogniser([gesture.taught for gesture in gestures])


def parse(text: str) -> list[Gesture]:
    """Raises Problem."""
    root = Table(*toml_file.values(text))
    if not text.strip():
        return []
    root.required("version")
    version = root.whole("version", VERSION, 1, 1 << 31)
    if version != VERSION:
        raise root.problem(f"the file has format {version}; this jacquardctl knows format {VERSION}", "version")
    found: dict[str, Gesture] = {}
    for table in root.tables("gesture") if "gesture" in root else []:
        gesture = read_gesture(table)
        if gesture.name in found:
            raise table.problem(f"there is another gesture {shown(gesture.name)}", "name")
        found[gesture.name] = gesture
    root.finish()
    return list(found.values())


def read_gesture(table: Table) -> Gesture:
    table.required("name")
    name = table.text("name") or ""
    if not is_name(name):
        raise table.problem(
            f"{shown(name)} is not a name of at most {LONGEST_NAME} letters, without spaces around it", "name"
        )
    tolerance = table.number("tolerance", 1.0, 0.1, 10) or 1.0
    table.required("examples")
    texts = table.texts("examples")
    if not FEWEST <= len(texts) <= MOST:
        raise table.problem(f"{len(texts)} examples; expected {FEWEST} to {MOST}", "examples")
    examples = tuple(read_example(table, number, text) for number, text in enumerate(texts))
    table.finish()
    return Gesture(name, examples, float(tolerance))


def is_name(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.isprintable() and name.strip() == name and not name.startswith("-")


def read_example(table: Table, number: int, text: str) -> Episode:
    rows = [row for row in text.split("\n") if row.strip()]
    samples: list[Sample] = []

    def problem(row: int, text: str) -> Problem:
        # TOML drops the line break after the quotes that begin the text.
        at = table.problem(f"row {row}: {text}", "examples", number)
        return Problem(at.text, at.line + row, at.place)

    for place, row in enumerate(rows, 1):
        if len(row) > LONGEST_ROW or re.fullmatch(rf" *[0-9]+( +[0-9]+){{{LINES}}} *", row, re.ASCII) is None:
            raise problem(place, f"{shown(row)} is not a time in milliseconds and {LINES} levels")
        time, *levels = map(int, row.split())
        earliest = round(samples[-1].time * 1000) if samples else 0
        if not earliest <= time <= LONGEST * 1000:
            raise problem(place, f"the time {time} is out of range; expected {earliest} to {LONGEST * 1000:g}")
        if max(levels) > HIGHEST:
            raise problem(place, f"the level {max(levels)} is out of range; expected 0 to {HIGHEST}")
        if place > MOST_ROWS:
            raise problem(place, f"expected at most {MOST_ROWS} rows")
        samples.append(Sample(time / 1000, tuple(levels)))
    if sum(max(sample.levels) >= TOUCHED for sample in samples) < 2 or max(samples[0].levels) < TOUCHED:
        text = f"expected two rows or more with a level of at least {TOUCHED}, of which the first is one"
        raise table.problem(text, "examples", number)
    return Episode(tuple(samples))


def written(gesture: Gesture) -> str:
    tolerance = "" if gesture.tolerance == 1 else f"tolerance = {gesture.tolerance:g}\n"
    examples = "".join(f'"""\n{rows(example)}""",\n' for example in gesture.examples)
    return f"[[gesture]]\nname = {toml(gesture.name)}\n{tolerance}examples = [\n{examples}]\n"


def rows(example: Episode) -> str:
    start = example.samples[0].time
    found = [(round((sample.time - start) * 1000), *sample.levels) for sample in example.samples]
    return "".join(f"{time:4} {' '.join(f'{level:3}' for level in levels)}\n" for time, *levels in found)


def change(path: Path, name: str, gesture: Gesture | None) -> None:
    """Replaces the gesture of this name, or adds it; None: removes it. All other bytes stay as they are. Raises
    toml_file.Invalid, and Problem if it cannot be changed like this."""
    text = toml_file.text_of(path) if path.exists() else None
    before = text or ""
    numbers = [number for number, one in enumerate(read(path)) if one.name == name]
    newline = "\r\n" if "\r\n" in before else "\n"
    added = "" if gesture is None else written(gesture).replace("\n", newline)
    places = [block for block in lines.blocks(before) if block.path[:2] in [("gesture", number) for number in numbers]]
    if places:
        start, end = places[0].start, places[-1].end
        end = (before.find("\n", end) + 1) or len(before)
        after = before[:start] + added + before[end:]
    else:
        after = before if before.strip() else HEAD.replace("\n", newline)
        after += ("" if after.endswith(newline) else newline) + newline + added
    # The changed file must be readable.
    try:
        parse(after)
        if len(after.encode()) > toml_file.LARGEST:
            raise Problem(f"the file would be larger than {toml_file.LARGEST >> 20} MiB: forget a gesture", 1)
    except Problem as problem:
        raise toml_file.Invalid(path, [problem]) from None
    toml_file.write(path, None if text is None else text.encode(), after.encode())
