"""Motion files: downloaded sessions and stored streams."""

from __future__ import annotations

import csv
import dataclasses
import importlib
import os
import struct
from collections.abc import Iterator, Sequence
from ctypes import POINTER, byref, c_size_t, c_uint8, c_uint64, string_at
from typing import IO, Any, overload

from ._core.calls import Reference, check
from ._native import callbacks, handles, structs
from ._native.library import library
from .enums import MotionEnding, MotionFilter, MotionPartType
from .motion import MotionSettings, Session, session

# structs.MotionCounts, whose layout does not change.
COUNTS = struct.Struct("<6hI")
COLUMNS = ("ticks", "ax_g", "ay_g", "az_g", "gx_dps", "gy_dps", "gz_dps")
PIECE = 1 << 20


@dataclasses.dataclass(frozen=True)
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


@dataclasses.dataclass(frozen=True)
class MotionAction:
    """A part of a recording. `result` is None if it was cut off, and 1 for successful recordings."""

    id: int
    samples: MotionSamples
    result: int | None = None


@dataclasses.dataclass(frozen=True)
class MotionFile:
    """A motion file. A damaged or truncated file is read as far as possible: see `ending`."""

    session: Session
    settings: MotionSettings
    actions: tuple[MotionAction, ...]
    ending: MotionEnding = MotionEnding.COMPLETE

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> MotionFile:
        """Reads a file. DamagedSessionError: it is not a motion file."""
        with open(path, "rb") as file:
            return cls.read_from(file)

    @classmethod
    def read_from(cls, file: IO[bytes]) -> MotionFile:
        """Reads an open file to its end."""
        handle = handles.MotionReader()
        check(library().jacquard_motion_reader_new(byref(handle)))
        with Reference(handle):
            parts = Parts()
            receive = callbacks.MotionPartCallback(parts.receive)
            while piece := file.read(PIECE):
                data = (c_uint8 * len(piece)).from_buffer_copy(piece)
                check(library().jacquard_motion_reader_read(handle, data, len(piece), receive, None))
            ending = check(library().jacquard_motion_reader_get_ending(handle, POINTER(c_uint64)()))
        actions = tuple(MotionAction(id, MotionSamples(bytes(data)), result) for id, data, result in parts.actions)
        return cls(parts.session, parts.settings, actions, MotionEnding(ending))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a new file. FileExistsError: the file already exists."""
        handle = handles.MotionWriter()
        library_ = library()
        check(
            library_.jacquard_motion_writer_new(
                byref(self.session._struct()), byref(self.settings._struct()), byref(handle)
            )
        )
        with Reference(handle):
            for action in self.actions:
                check(library_.jacquard_motion_writer_start(handle, action.id))
                samples = (structs.MotionCounts * len(action.samples)).from_buffer_copy(action.samples.data)
                check(library_.jacquard_motion_writer_add(handle, samples, len(action.samples)))
                if action.result is not None:
                    check(library_.jacquard_motion_writer_end(handle, action.result))
            data, size = POINTER(c_uint8)(), c_size_t()
            check(library_.jacquard_motion_writer_take(handle, byref(data), byref(size)))
            with open(path, "xb") as file:
                file.write(string_at(data, size.value))

    def write_csv(self, file: IO[str]) -> None:
        """Writes all samples in g and degrees per second. The exact unit of a tick is unknown; about 31250 ticks are a
        second."""
        gravities, degrees = self.settings.accelerometer_range / 32768, self.settings.gyroscope_range / 32768
        rows = csv.writer(file)
        rows.writerow(COLUMNS)
        for action in self.actions:
            for sample in action.samples:
                scaled = [f"{axis * gravities:.6f}" for axis in sample.acceleration]
                rows.writerow([sample.ticks, *scaled, *[f"{axis * degrees:.5f}" for axis in sample.rotation]])


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
