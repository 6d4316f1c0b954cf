"""Firmware updates that run on this machine, so that another jacquardctl can report and cancel them.

Each has a file that its process has locked: the kernel releases the lock however the process ends.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import jacquard

# Each state is written with this length, in one call. A file name has at most 255 characters, each at most six in JSON.
LENGTH = 4096


@dataclasses.dataclass
class Update:
    """The state of an update."""

    process: int
    identifier: str
    serial: str
    address: str
    name: str
    phase: str = "checking"
    image: str = ""
    done: int = 0
    total: int = 0
    rate: float | None = None
    remaining: float | None = None

    @property
    def may_be_cancelled(self) -> bool:
        return self.phase in ("checking", "transferring", "waiting")


def directory() -> Path:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime or tempfile.gettempdir()) / f"jacquard-firmware-{os.getuid()}"


class StateFile:
    """The file of an update of this process."""

    def __init__(self, descriptor: int, update: Update) -> None:
        self._descriptor = descriptor
        self.update = update
        self.write()

    def write(self) -> None:
        text = json.dumps(dataclasses.asdict(self.update)).encode()
        os.pwrite(self._descriptor, text.ljust(LENGTH), 0)


@contextlib.contextmanager
def announced(info: jacquard.TagInfo) -> Iterator[StateFile]:
    folder = directory()
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / info.identifier
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        # Only this process is connected to the tag, so a lock of another one is about to be released.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield StateFile(descriptor, Update(os.getpid(), info.identifier, info.serial, info.address, info.name))
    finally:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        os.close(descriptor)


def running() -> Iterator[Update]:
    """The updates of this user on this machine."""
    folder = directory()
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        with contextlib.suppress(OSError, ValueError, TypeError), open(path, "rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                yield Update(**json.loads(file.read()))


def ended(update: Update) -> bool:
    return all(other.process != update.process for other in running())
