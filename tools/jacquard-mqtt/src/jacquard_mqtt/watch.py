"""A callback when a file is written or replaced (inotify(7), which Python's library lacks)."""

from __future__ import annotations

import asyncio
import ctypes
import os
import struct
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

IN_CLOSE_WRITE, IN_MOVED_FROM, IN_MOVED_TO, IN_DELETE = 0x8, 0x40, 0x80, 0x200
EVENT = struct.Struct("iIII")


class FileWatch:
    def __init__(self, path: Path, changed: Callable[[], None]) -> None:
        """path: of the file. Its directory is created if it is missing, as the library does."""
        self.path = path
        self._changed = changed

    def __enter__(self) -> FileWatch:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        mask = IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE
        if self._descriptor < 0 or libc.inotify_add_watch(self._descriptor, os.fsencode(self.path.parent), mask) < 0:
            number = ctypes.get_errno()
            if self._descriptor >= 0:
                os.close(self._descriptor)
            raise OSError(number, os.strerror(number), str(self.path.parent))
        asyncio.get_running_loop().add_reader(self._descriptor, self._readable)
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _readable(self) -> None:
        data, names = os.read(self._descriptor, 65536), set()
        while data:
            *_, length = EVENT.unpack_from(data)
            names.add(data[EVENT.size : EVENT.size + length].rstrip(b"\0"))
            data = data[EVENT.size + length :]
        if os.fsencode(self.path.name) in names:
            self._changed()
