"""Data sets: files of labelled recordings, one after the other. docs/dataset.md describes them.

The files are untrusted. They are read more strictly than other recordings, because data that is not part of the format
may be about a person.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TextIO

from jacquard.input_file import open_input
from jacquard.motion_export import package
from jacquard.whole_file import WholeFile
from jacquard_apps.recording import reader, writer
from jacquard_apps.recording.label import CHECKS, CONSENT_VERSION, LICENSE, Label

LONGEST_LINE = 4096
STRONGEST = 128
LIBRARY = re.compile("[0-9A-Za-z.+~-]{1,32}")
HEADER = ("jacquard_recording", "library", "label", "consent", "license")
COLUMNS = ("recording", "gesture", "hand", "garment", "time", "sequence", "proximity")
LINES = tuple(f"line{number}" for number in range(1, reader.LINES + 1))


class BadDataset(ValueError):
    """An invalid line of a file."""

    def __init__(self, file: Path, line: int, text: str) -> None:
        super().__init__(f"{file}:{line}: {text}")
        self.file, self.line, self.text = file, line, text


@dataclasses.dataclass(frozen=True)
class Sample:
    time: float
    sequence: int
    proximity: int
    lines: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Recording:
    """A labelled recording, and where it begins. `text`: its lines as they are in the file."""

    file: Path
    line: int
    label: Label
    samples: list[Sample] = dataclasses.field(default_factory=list)
    text: list[bytes] = dataclasses.field(default_factory=list)

    @property
    def digest(self) -> str:
        """A digest of the samples, whatever their label."""
        return hashlib.sha256(repr(self.samples).encode()).hexdigest()

    @property
    def touches(self) -> int:
        """The number of touches: the tag counts again from the beginning in each."""
        pairs = zip(self.samples, self.samples[1:])
        return 1 + sum(later.sequence < earlier.sequence for earlier, later in pairs)


class Dataset:
    """Reads files, and refuses recordings that it has read before."""

    def __init__(self) -> None:
        self._places: dict[str, str] = {}

    def read(self, path: Path) -> Iterator[Recording]:
        for recording in recordings(path):
            if recording.digest in self._places:
                text = f"the same samples as in {self._places[recording.digest]}"
                raise BadDataset(path, recording.line, text)
            self._places[recording.digest] = f"{path}:{recording.line}"
            yield recording


def all_of(paths: Iterable[Path]) -> list[Recording]:
    """The recordings in an order that depends on nothing but them."""
    dataset = Dataset()
    found = [recording for path in paths for recording in dataset.read(path)]
    return sorted(found, key=lambda recording: (recording.label, recording.digest))


def recordings(path: Path) -> Iterator[Recording]:
    current: Recording | None = None
    with open_input(path) as file:
        for number, line in enumerate(lines(file), 1):
            try:
                members = parsed(line)
                if current is None or "jacquard_recording" in members:
                    label = header(members)
                    if current is not None:
                        yield complete(current)
                    current = Recording(path, number, label)
                else:
                    current.samples.append(sample(members, current.samples))
            except BadDataset:
                raise
            except ValueError as error:
                raise BadDataset(path, number, str(error)) from None
            current.text.append(line.rstrip(b"\r\n") + b"\n")
    if current is None:
        raise BadDataset(path, 1, "the file is empty")
    yield complete(current)


def lines(file: BinaryIO) -> Iterator[bytes]:
    while line := file.readline(LONGEST_LINE + 1):
        yield line


def complete(recording: Recording) -> Recording:
    if not recording.samples:
        raise BadDataset(recording.file, recording.line, "the recording contains no touch")
    return recording


def parsed(line: bytes) -> dict[str, Any]:
    if len(line) > LONGEST_LINE:
        raise ValueError(f"longer than {LONGEST_LINE} bytes")
    try:
        members = json.loads(line.decode(), object_pairs_hook=unique, parse_constant=not_json)
    except (ValueError, RecursionError) as error:
        raise ValueError("not valid UTF-8" if isinstance(error, UnicodeDecodeError) else "not valid JSON") from None
    if not isinstance(members, dict):
        raise ValueError("not a JSON object")
    return members


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a member is there twice")
    return members


def not_json(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def header(members: dict[str, Any]) -> Label:
    if not is_exactly(members.get("jacquard_recording"), writer.VERSION):
        raise ValueError(f"not the header of a recording of format {writer.VERSION}")
    if "label" not in members:
        raise ValueError("not a labelled recording: see jacquardctl record --label")
    if "consent" not in members:
        raise ValueError("there is no consent, so the recording must not be published")
    has_only(members, HEADER)
    if not is_exactly(members["consent"], CONSENT_VERSION):
        raise ValueError(f"consent is not {CONSENT_VERSION}, the number of the text in docs/dataset.md")
    if members["license"] != LICENSE:
        raise ValueError(f"license is not {LICENSE}")
    if not isinstance(members["library"], str) or LIBRARY.fullmatch(members["library"]) is None:
        raise ValueError("library is not a version")
    entered = members["label"]
    has_only(entered, tuple(CHECKS))
    if not all(isinstance(text, str) for text in entered.values()):
        raise ValueError(f"label: expected strings as {', '.join(CHECKS)}")
    return Label(**{name: check(entered[name]) for name, check in CHECKS.items()})


def sample(members: dict[str, Any], before: list[Sample]) -> Sample:
    has_only(members, ("time", "touch"))
    time, touch = members["time"], members["touch"]
    earliest = before[-1].time if before else 0.0
    if type(time) not in (int, float) or not earliest <= time <= reader.LONGEST:
        raise ValueError(f"time is not a number from {earliest:g} to {reader.LONGEST:g}")
    has_only(touch, ("sequence", "proximity", "lines"))
    for name, most in (("sequence", (1 << 32) - 1), ("proximity", 255)):
        if not reader.is_number(touch[name], most):
            raise ValueError(f"{name} is not a whole number from 0 to {most}")
    strengths = touch["lines"]
    if not isinstance(strengths, list) or len(strengths) != reader.LINES:
        raise ValueError(f"lines is not a list of {reader.LINES} numbers")
    if not all(reader.is_number(one, STRONGEST) for one in strengths):
        raise ValueError(f"lines: expected whole numbers from 0 to {STRONGEST}")
    return Sample(float(time), touch["sequence"], touch["proximity"], tuple(strengths))


def is_exactly(value: Any, expected: int) -> bool:
    return type(value) is int and value == expected


def has_only(members: Any, names: tuple[str, ...]) -> None:
    if not isinstance(members, dict):
        raise ValueError(f"expected an object with {', '.join(names)}")
    missing = [name for name in names if name not in members]
    if missing:
        raise ValueError(f"{', '.join(missing)} is missing")
    more = [name for name in members if name not in names]
    if more:
        raise ValueError(
            f"{', '.join(more)} is not part of the format, which has no room for people, tags and computers"
        )


def merge(recordings: Iterable[Recording], target: Path) -> None:
    with WholeFile(target) as file:
        for recording in recordings:
            file.writelines(recording.text)


def rows(recordings: Iterable[Recording]) -> Iterator[tuple[Any, ...]]:
    """One for each sample, with the values of COLUMNS and LINES."""
    for number, recording in enumerate(recordings, 1):
        label = dataclasses.astuple(recording.label)
        for one in recording.samples:
            yield (number, *label, one.time, one.sequence, one.proximity, *one.lines)


def write_csv(recordings: Iterable[Recording], file: TextIO) -> None:
    table = csv.writer(file, lineterminator="\n")
    table.writerow((*COLUMNS, *LINES))
    table.writerows(rows(recordings))


def write_parquet(recordings: Iterable[Recording], target: Path) -> None:
    """ImportError: pyarrow is not installed."""
    parquet, arrow = package("pyarrow.parquet", "arrow"), package("pyarrow", "arrow")
    word, strength = arrow.dictionary(arrow.int32(), arrow.string()), arrow.uint8()
    types = (arrow.uint32(), word, word, word, arrow.float64(), arrow.uint32(), strength, *[strength] * len(LINES))
    arrays = [arrow.array(values, type) for values, type in zip(zip(*rows(recordings)), types)]
    fields = [arrow.field(name, type) for name, type in zip((*COLUMNS, *LINES), types)]
    table = arrow.Table.from_arrays(arrays, schema=arrow.schema(fields, metadata={"license": LICENSE}))
    with WholeFile(target) as file:
        parquet.write_table(table, file)
