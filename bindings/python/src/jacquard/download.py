"""Downloads a recording from the tag to a file."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from ctypes import byref, sizeof
from typing import Any

from ._core import convert
from ._core.calls import status_error
from ._core.context import Context
from ._core.queue import Queue
from ._native import callbacks, handles, structs
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

    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        options = structs.DownloadOptions(
            struct_size=sizeof(structs.DownloadOptions), to_descriptor=1, descriptor=descriptor
        )
        with context.start(
            "jacquard_connection_download_session",
            connection,
            byref(session._struct()),
            byref(options),
            handlers={callbacks.ProgressCallback: advance, callbacks.DownloadCallback: end},
            on_end=ends.end,
            gives=handles.Request,
        ):
            seed = await ends.get()
        if seed is None:
            raise status_error(Status.CLOSED)
        # Reports errors that a disk has delayed, before the caller erases the recording on the tag.
        await context.driver.wait_for_disk(functools.partial(synchronize, os.dup(descriptor)))
        return None if seed == NO_SEED else seed
    finally:
        os.close(descriptor)


def synchronize(descriptor: int) -> None:
    """Closes the descriptor. Runs on another thread, which may outlast the download."""
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
