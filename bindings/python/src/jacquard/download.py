"""Downloads a recording from the tag to a file."""

from __future__ import annotations

import contextlib
import functools
import os
import stat
from collections.abc import Callable, Iterator
from ctypes import byref, sizeof
from typing import Any

from . import input_file
from ._core import convert
from ._core.calls import status_error
from ._core.context import Context
from ._core.queue import Queue
from ._native import handles, structs
from ._native.library import library
from .enums import Status
from .motion import Session

NO_SEED = -1


async def download(
    context: Context,
    connection: handles.Connection,
    session: Session,
    path: str | os.PathLike[str],
    progress: Callable[[int, int], object] | None,
) -> int | None:
    ends: Queue[int] = Queue(context.driver)

    def advance(pointer: Any) -> None:
        if progress is not None:
            progress(pointer.contents.received, pointer.contents.total)

    def end(result: Any, error: Any) -> None:
        if error:
            ends.end(convert.error(error))
        else:
            ends.put(result.contents.checksum_seed)

    with target(path) as descriptor:
        options = structs.DownloadOptions(
            struct_size=sizeof(structs.DownloadOptions), to_descriptor=1, descriptor=descriptor
        )
        with context.start(
            library().jacquard_connection_download_session,
            connection,
            byref(session._struct()),
            byref(options),
            handlers=[advance, end],
            on_end=ends.end,
        ):
            seed = await ends.get()
        if seed is None:
            raise status_error(Status.CLOSED)
        # Reports errors that a disk has delayed, before the caller erases the recording on the tag.
        await context.driver.wait_for_disk(functools.partial(synchronize, os.dup(descriptor)))
        return None if seed == NO_SEED else seed


@contextlib.contextmanager
def target(path: str | os.PathLike[str]) -> Iterator[int]:
    """A new file, which is removed if it is still empty at the end, or one that may contain the beginning."""
    try:
        descriptor, is_new = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), True
    except FileExistsError:
        descriptor, is_new = input_file.descriptor(path, os.O_RDWR), False
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise input_file.unsuitable(path, "not a file")
        yield descriptor
    finally:
        status = os.fstat(descriptor)
        with contextlib.suppress(OSError):
            if is_new and status.st_size == 0 and os.path.samestat(status, os.lstat(path)):
                os.unlink(path)
        os.close(descriptor)


def synchronize(descriptor: int) -> None:
    """Closes the descriptor. Runs on another thread, which may outlast the download."""
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
