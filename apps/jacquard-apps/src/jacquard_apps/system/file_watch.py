"""A callback when a file is written or replaced (inotify(7)).

Python's library lacks it. python3-inotify and pyinotify are built for threads or loops of their own, and watchdog starts
three threads.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import struct
from pathlib import Path
from types import TracebackType
from typing import Callable

IN_CLOSE_WRITE, IN_MOVED_FROM, IN_MOVED_TO, IN_DELETE = 0x8, 0x40, 0x80, 0x200
EVENT = struct.Struct("iIII")


def state_file() -> Path:
    """The library's file of bound tags."""
    home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return Path(home, "jacquard", "state.json")


class FileWatch:
    def __init__(self, path: Path, changed: Callable[[], None], settled: float = 0) -> None:
        """path: the file. Its directory is created if it is missing. If it is a symbolic link, the target is watched
        as well. settled: seconds without a further change, after which `changed` is called."""
        self._paths = {path.absolute(), path.resolve()}
        self._changed = changed
        self._settled = settled
        self._call: asyncio.TimerHandle | None = None

    def __enter__(self) -> FileWatch:
        libc = ctypes.CDLL(None, use_errno=True)
        folders = {path.parent for path in self._paths}
        for folder in folders:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        mask = IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE
        for folder in folders:
            if self._descriptor < 0 or libc.inotify_add_watch(self._descriptor, os.fsencode(folder), mask) < 0:
                number = ctypes.get_errno()
                if self._descriptor >= 0:
                    os.close(self._descriptor)
                raise OSError(number, os.strerror(number), str(folder))
        asyncio.get_running_loop().add_reader(self._descriptor, self._readable)
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._call is not None:
            self._call.cancel()
        asyncio.get_running_loop().remove_reader(self._descriptor)
        os.close(self._descriptor)

    def _readable(self) -> None:
        data, names = os.read(self._descriptor, 65536), set()
        while data:
            *_, length = EVENT.unpack_from(data)
            names.add(os.fsdecode(data[EVENT.size : EVENT.size + length].rstrip(b"\0")))
            data = data[EVENT.size + length :]
        if names & {path.name for path in self._paths}:
            if self._call is not None:
                self._call.cancel()
            self._call = asyncio.get_running_loop().call_later(self._settled, self._changed)
