"""Downloads of the recordings on a tag."""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import hashlib
import os
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import jacquard
from jacquard import Session

from .errors import RequestError

# Bytes of a recording in one message.
PART = 4096


class Download:
    """Downloads a recording into a file, and publishes the file's parts while it grows."""

    def __init__(self, session: Session, path: Path, publish: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        """publish: returns when the broker has acknowledged the message."""
        self._session = session
        self._path = path
        self._publish = publish
        self._received = 0
        self._more = asyncio.Event()

    async def run(
        self, connection: jacquard.Connection, offset: int, on_received: Callable[[], Awaitable[None]]
    ) -> dict[str, Any]:
        """Returns the result of the request. Raises JacquardError. on_received: the tag is no longer needed."""
        # Kept open, because the file may be removed before all of it has been published.
        with open(self._path, "a+b") as file:
            self._received = os.fstat(file.fileno()).st_size
            receiving = asyncio.ensure_future(self._receive(connection, on_received))
            sending = asyncio.ensure_future(self._send(file.fileno(), offset))
            try:
                done, _ = await asyncio.wait({receiving, sending}, return_when=asyncio.FIRST_EXCEPTION)
                for task in done:
                    task.result()
                seed = receiving.result()
            finally:
                for task in (receiving, sending):
                    task.cancel()
                await asyncio.wait({receiving, sending})
            digest = await asyncio.to_thread(sha256, os.dup(file.fileno()))
        return {"name": self._session.name, "size": self._session.size, "sha256": digest, "verified": seed is not None}

    async def _receive(self, connection: jacquard.Connection, on_received: Callable[[], Awaitable[None]]) -> int | None:
        try:
            seed = await connection.download(self._session, self._path, progress=self._advance)
            # Called also if the file was complete already.
            self._advance(self._session.size, self._session.size)
            return seed
        finally:
            await on_received()

    def _advance(self, received: int, total: int) -> None:
        self._received = received
        self._more.set()

    async def _send(self, file: int, offset: int) -> None:
        while offset < self._session.size:
            end = min(offset + PART, self._session.size)
            while self._received < end:
                self._more.clear()
                await self._more.wait()
            data = os.pread(file, end - offset, offset)
            text = base64.b64encode(data).decode("ascii")
            size = self._session.size
            await self._publish({"name": self._session.name, "offset": offset, "size": size, "data": text})
            offset = end


def sha256(descriptor: int) -> str:
    """Closes the descriptor."""
    with open(descriptor, "rb") as file:
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest()


class Downloads:
    """The downloads of the recordings of one tag. The latest is kept until the bridge ends, so that a request can continue it."""

    def __init__(self, publish: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        self._publish = publish
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._running: asyncio.Task[dict[str, Any]] | None = None

    async def download(
        self,
        connection: jacquard.Connection,
        session: Session,
        offset: int,
        identity: Any,
        on_received: Callable[[], Awaitable[None]],
    ) -> dict[str, Any]:
        if self._running is not None:
            raise RequestError("busy", "Another recording of the tag is being downloaded.", "Wait, or stop it.")
        head = {} if identity is None else {"id": identity}
        path = self._path(session)
        for other in path.parent.iterdir():
            if other != path:
                other.unlink()
        download = Download(session, path, lambda part: self._publish({**head, **part}))
        self._running = asyncio.ensure_future(download.run(connection, offset, on_received))
        try:
            return await self._running
        except jacquard.DamagedSessionError:
            self.forget(session)
            raise
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise RequestError("stopped", "The download was stopped by another request.") from None
        finally:
            self._running = None

    def stop(self) -> None:
        if self._running is None:
            raise RequestError("not_downloading", "No recording of the tag is being downloaded.")
        self._running.cancel()

    def forget(self, session: Session) -> None:
        """Removes the downloaded part of a recording."""
        self._path(session).unlink(missing_ok=True)

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def _path(self, session: Session) -> Path:
        """The path for a recording. Two recordings never share one, even if one is erased and has the same name."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="jacquard-mqtt-")
        texts = repr(dataclasses.astuple(session)).encode("utf-8", errors="surrogatepass")
        return Path(self._folder.name, hashlib.sha256(texts).hexdigest())
