"""Writes a motion file piece by piece, from a stream for example."""

from __future__ import annotations

import os
from ctypes import POINTER, byref, c_size_t, c_uint8, string_at
from types import TracebackType
from typing import IO

from ._core.calls import Reference, check
from ._core.checks import constructed
from ._native import handles, structs
from ._native.library import library
from .errors import InvalidArgumentError
from .motion import MotionEvent, MotionRestart, MotionSample, MotionSettings, Session

GOOD = 1


@constructed
class MotionWriter:
    """Writes a new file, or an open one, in the format of downloaded recordings, as a context manager, and closes it.
    FileExistsError: there is one.

    add() takes what connection.motion() yields. The format has no gaps: they show in the ticks of the samples. A restart of
    the tag's clock begins another action. If the program is killed, samples since the last flush() may be missing. Samples that the format
    cannot hold, because they look like one of its markers, are left out; `omitted` counts them."""

    def __init__(
        self,
        path: str | os.PathLike[str] | IO[bytes],
        session: str | Session,
        settings: MotionSettings = MotionSettings(),
    ) -> None:
        if isinstance(session, str):
            session = Session(session)
        handle = handles.MotionWriter()
        check(
            library().jacquard_motion_writer_new(byref(session._struct()), byref(settings._struct()), byref(handle))
        )
        self._reference = Reference(handle)
        self._file = open(path, "xb") if isinstance(path, (str, os.PathLike)) else path
        self._action: int | None = None
        self._next = 0
        self.omitted = 0
        self._take()

    def start(self, action: int) -> None:
        """Begins an action; add() does so by itself."""
        check(library().jacquard_motion_writer_start(self._reference.handle, action))
        self._action, self._next = action, action + 1

    def add(self, event: MotionEvent) -> None:
        """Writes a sample."""
        if isinstance(event, MotionRestart):
            self.end()
        if isinstance(event, MotionSample):
            counts = structs.MotionCounts()
            counts.acceleration[:] = event.raw_acceleration
            counts.rotation[:] = event.raw_rotation
            counts.ticks = event.raw_ticks
            try:
                self.add_counts(bytes(counts))
            except InvalidArgumentError:
                self.omitted += 1

    def add_counts(self, data: bytes) -> None:
        """Writes samples of 16 bytes, as those of MotionSamples.data."""
        if self._action is None:
            self.start(self._next)
        samples = (structs.MotionCounts * (len(data) // 16)).from_buffer_copy(data)
        check(library().jacquard_motion_writer_add(self._reference.handle, samples, len(samples)))
        self._take()

    def flush(self) -> None:
        """Makes what was written visible to other programs."""
        self._file.flush()

    def end(self, result: int | None = GOOD) -> None:
        """Ends the action, if one was begun. None: without an end marker, as if it had been cut off."""
        if self._action is not None and result is not None:
            check(library().jacquard_motion_writer_end(self._reference.handle, result))
        self._action = None
        self._take()

    def close(self) -> None:
        """Closes the file. An action that was not ended looks cut off."""
        try:
            self._take()
        finally:
            self._file.close()
            self._reference.close()

    def _take(self) -> None:
        data, size = POINTER(c_uint8)(), c_size_t()
        check(library().jacquard_motion_writer_take(self._reference.handle, byref(data), byref(size)))
        self._file.write(string_at(data, size.value))

    def __enter__(self) -> MotionWriter:
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self.end()
        finally:
            self.close()
