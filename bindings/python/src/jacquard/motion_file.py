"""Motion files: downloaded sessions and stored streams."""

from __future__ import annotations

import csv
import dataclasses
import importlib
import io
import os
import struct
from collections.abc import Iterator, Sequence
from ctypes import POINTER, byref, c_uint8, c_uint64, string_at
from typing import IO, Any, overload

from . import motion_export
from ._core.calls import Reference, check
from ._core.checks import checked
from ._dataclass import dataclass
from ._native import callbacks, handles
from ._native.library import library
from .enums import MotionEnd, MotionFilter, MotionPartType
from .input_file import open_input
from .motion import MotionSettings, Session, session
from .motion_writer import MotionWriter
from .whole_file import WholeFile

# structs.MotionCounts, whose layout does not change.
COUNTS = struct.Struct("<6hI")
PIECE = 1 << 20


@dataclass(frozen=True)
class MotionCounts:
    """A sample as stored in the file. `acceleration` and `rotation` are counts; 32768 counts are the sensor's range."""

    acceleration: tuple[int, int, int]
    rotation: tuple[int, int, int]
    ticks: int


class MotionSamples(Sequence[MotionCounts]):
    """Samples as stored in the file. `data` has 16 bytes for each; array() shares them with numpy."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data) // COUNTS.size

    @overload
    def __getitem__(self, index: int) -> MotionCounts: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[MotionCounts]: ...

    def __getitem__(self, index: int | slice) -> MotionCounts | Sequence[MotionCounts]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        return counts(COUNTS.unpack_from(self.data, place * COUNTS.size))

    def __iter__(self) -> Iterator[MotionCounts]:
        return map(counts, COUNTS.iter_unpack(self.data))

    def array(self) -> Any:
        """A numpy array with the fields acceleration, rotation and ticks, without a copy. Requires numpy."""
        numpy = importlib.import_module("numpy")
        layout = numpy.dtype([("acceleration", "<i2", 3), ("rotation", "<i2", 3), ("ticks", "<u4")])
        return numpy.frombuffer(self.data, layout)


def counts(values: tuple[int, ...]) -> MotionCounts:
    ax, ay, az, gx, gy, gz, ticks = values
    return MotionCounts((ax, ay, az), (gx, gy, gz), ticks)


@dataclass(frozen=True)
class MotionAction:
    """A part of a recording. `result` is None if it was cut off, and 1 for successful recordings."""

    id: int
    samples: MotionSamples
    result: int | None = None


@checked
@dataclass(frozen=True)
class MotionFile:
    """A motion file. A damaged or truncated file is read as far as possible: see `end`."""

    session: Session
    settings: MotionSettings
    actions: tuple[MotionAction, ...]
    end: MotionEnd = MotionEnd.COMPLETE

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> MotionFile:
        """Reads a file. DamagedSessionError: it is not a motion file."""
        with open_input(path) as file:
            return cls.read_from(file)

    @classmethod
    def read_from(cls, file: IO[bytes]) -> MotionFile:
        """Reads an open file to its end."""
        handle = handles.MotionReader()
        check(library().jacquard_motion_reader_new(None, byref(handle)))
        with Reference(handle):
            parts = Parts()
            receive = callbacks.MotionPartCallback(parts.receive)
            while piece := file.read(PIECE):
                data = (c_uint8 * len(piece)).from_buffer_copy(piece)
                check(library().jacquard_motion_reader_read(handle, data, len(piece), receive, None))
            end = check(library().jacquard_motion_reader_get_end(handle, POINTER(c_uint64)()))
        actions = tuple(MotionAction(id, MotionSamples(bytes(data)), result) for id, data, result in parts.actions)
        return cls(parts.session, parts.settings, actions, MotionEnd(end))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a new file. FileExistsError: the file already exists."""
        with WholeFile(path) as file, MotionWriter(file, self.session, self.settings) as writer:
            for action in self.actions:
                writer.start(action.id)
                writer.add_counts(action.samples.data)
                writer.end(action.result)

    def write_csv(self, file: str | os.PathLike[str] | IO[str]) -> None:
        """Writes all samples in g and degrees per second to a new file, or to an open one. The exact unit of a tick is
        unknown; about 31250 ticks are a second."""
        if isinstance(file, (str, os.PathLike)):
            with WholeFile(file) as output, io.TextIOWrapper(output, "ascii", newline="") as text:
                return self.write_csv(text)
        table = csv.writer(file)
        table.writerow(motion_export.COLUMNS)
        for _, ticks, *axes in motion_export.rows(self):
            table.writerow([ticks, *(f"{axis:.6f}" for axis in axes[:3]), *(f"{axis:.5f}" for axis in axes[3:])])

    def table(self) -> Any:
        """All samples as a pyarrow.Table, in g and degrees per second, with the header as metadata. Requires pyarrow, like
        write_parquet() and write_arrow()."""
        return motion_export.table(self)

    def write_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes table() to a new Parquet file."""
        motion_export.write_parquet(self, path)

    def write_arrow(self, path: str | os.PathLike[str]) -> None:
        """Writes table() to a new Arrow file (Feather version 2)."""
        motion_export.write_arrow(self, path)

    def write_mcap(self, path: str | os.PathLike[str]) -> None:
        """Writes a new MCAP file, with JSON messages on the channel "motion". Their times presume that a tick is 32 µs, which
        recordings of real tags fit within 1 %. Requires mcap."""
        motion_export.write_mcap(self, path)


class Parts:
    """An element that a reader delivers."""

    def __init__(self) -> None:
        self.session = Session("")
        self.settings = MotionSettings()
        self.actions: list[tuple[int, bytearray, int | None]] = []

    def receive(self, pointer: Any, _: Any) -> None:
        part = pointer.contents
        if part.type == MotionPartType.HEADER:
            self.session = dataclasses.replace(session(part.session.contents), checksum=None)
            given = part.settings.contents
            self.settings = MotionSettings(
                given.accelerometer_rate,
                given.gyroscope_rate,
                given.accelerometer_range,
                given.gyroscope_range,
                MotionFilter(given.filter),
            )
        elif part.type == MotionPartType.START:
            self.actions.append((part.number, bytearray(), None))
        elif part.type == MotionPartType.SAMPLES:
            self.actions[-1][1].extend(string_at(part.samples, part.count * COUNTS.size))
        elif part.type == MotionPartType.END:
            id, data, _ = self.actions[-1]
            self.actions[-1] = (id, data, part.number)
