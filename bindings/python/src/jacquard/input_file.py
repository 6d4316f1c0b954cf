"""Opens files and pipes without waiting for another program, which may never open its end."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def descriptor(path: str | os.PathLike[str], flags: int) -> int:
    """OSError: a socket, or a FIFO to be written to from which no program reads."""
    try:
        opened = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise unsuitable(path, "no program reads from it") if error.errno == errno.ENXIO else error from None
    os.set_blocking(opened, True)
    return opened


def open_input(path: str | os.PathLike[str]) -> BinaryIO:
    """A file or a pipe, whose end is reached. A FIFO that no program writes to is empty. OSError: a device, for example."""
    file = open(descriptor(path, os.O_RDONLY), "rb")
    mode = os.fstat(file.fileno()).st_mode
    if stat.S_ISREG(mode) or stat.S_ISFIFO(mode):
        return file
    file.close()
    raise unsuitable(path, "not a file")


def unsuitable(path: str | os.PathLike[str], why: str) -> OSError:
    return OSError(errno.EINVAL, why, os.fspath(path))
