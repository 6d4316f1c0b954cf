"""The sockets at which each jacquardctl run of this user replies with its status: one JSON object, then the end.

A socket cannot be out of date as a file could: after kill -9, no one replies, and nothing is written while nothing asks.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import secrets
import socket
from collections.abc import AsyncIterator, Coroutine, Iterator
from pathlib import Path
from typing import Any, Callable

from jacquard_apps.system.file_watch import state_file
from jacquard_apps.system.together import within

PREFIX = "automations-"
NAME = re.compile(rf"{PREFIX}(?P<process>[0-9]+)-\w+")
LARGEST = 1 << 24
# A program that is stopped does not reply.
TIMEOUT = 3.0
Describe = Callable[[], Coroutine[Any, Any, dict[str, Any]]]


def folders() -> list[Path]:
    """Where programs of this user meet (RuntimeDirectory.swift). Over ssh and in containers there may be no such place."""
    parent = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}")
    return [*([parent / "jacquard"] if parent.is_dir() else []), state_file().parent]


@contextlib.contextmanager
def opened(path: Path) -> Iterator[str]:
    """A short path of a folder, because those of sockets are limited to 107 bytes."""
    descriptor = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def listening() -> tuple[socket.socket, Path]:
    """A socket that gets its name when it accepts connections. Raises OSError."""
    failure = OSError("there is no folder")
    for folder in folders():
        name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with opened(folder) as short:
                listener.bind(f"{short}/.{name}")
                os.chmod(f"{short}/.{name}", 0o600)
                listener.listen()
                os.rename(f"{short}/.{name}", f"{short}/{name}")
            return listener, folder / name
        except OSError as error:
            listener.close()
            failure = error
    raise failure


@contextlib.asynccontextmanager
async def published(describe: Describe) -> AsyncIterator[None]:
    """Replies until the block ends. Rules run without it where no socket can be made."""

    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            writer.write(json.dumps(await within(TIMEOUT, describe())).encode())
            await within(TIMEOUT, writer.drain())
        writer.close()

    try:
        listener, path = listening()
    except OSError:
        yield
        return
    server = await asyncio.start_unix_server(reply, sock=listener)
    try:
        yield
    finally:
        server.close()
        with contextlib.suppress(OSError):
            path.unlink()


async def statuses() -> list[dict[str, Any]]:
    """The status of each jacquardctl run, the newest first. One that does not reply has only its process."""
    found: list[tuple[float, dict[str, Any]]] = []
    for folder in dict.fromkeys(folders()):
        for path in folder.glob(f"{PREFIX}*"):
            name = NAME.fullmatch(path.name)
            # A connection to any other file is refused like one to a program that has ended.
            status = await asked(path, int(name["process"])) if name and path.is_socket() else None
            if status is not None:
                with contextlib.suppress(OSError):
                    found.append((path.stat().st_mtime, status))
    return [status for _, status in sorted(found, key=lambda one: one[0], reverse=True)]


async def asked(path: Path, process: int) -> dict[str, Any] | None:
    """None if the program has ended: its socket is removed."""

    async def read() -> bytes:
        with opened(path.parent) as short:
            reader, writer = await asyncio.open_unix_connection(f"{short}/{path.name}", limit=LARGEST)
        try:
            return await reader.read(LARGEST)
        finally:
            writer.close()

    try:
        reply: dict[str, Any] = json.loads(await within(TIMEOUT + 1, read()))
        return reply
    except ConnectionRefusedError:
        with contextlib.suppress(OSError):
            path.unlink()
    except FileNotFoundError:
        pass
    except (OSError, ValueError, asyncio.TimeoutError):
        return {"process": process, "silent": True}
    return None
