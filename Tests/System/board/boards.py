"""A running `jacquardctl board`, and a client that speaks the page's protocol."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import aiohttp
import ctl

WAITING = 30


def run(body: Coroutine[Any, Any, Any], seconds: float = 120) -> Any:
    async def limited() -> Any:
        return await asyncio.wait_for(body, seconds)

    return asyncio.run(limited())


class Board:
    """Use it with `with`. It has its own bound tags, rules and runtime directory, which can be shared with a later one."""

    def __init__(self, *words: str, bus: str = "unix:path=/nonexistent", folder: str | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="board-", ignore_cleanup_errors=True)
        self.folder = folder or self._folder.name
        words = words if "--port" in words else (*words, "--port", "0")
        self.process = subprocess.Popen(
            ctl.program("board", "--json", *words),
            env=ctl.environment(bus, **dict.fromkeys(("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"), self.folder)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout and self.process.stderr
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.link: str = json.loads(line)["url"]
        self.base = self.link.partition("/?")[0]
        self.host = self.base.partition("//")[2]
        self.port = int(self.base.rpartition(":")[2])

    async def open_link(self, http: aiohttp.ClientSession) -> str:
        """The address of the page, whose cookie the session then has."""
        async with http.get(self.link) as response:
            assert response.status == 200
            found = re.search('content="0;url=(/[0-9a-f]{32}/)"', await response.text())
            assert found
            return f"{self.base}{found[1]}"

    def stop(self) -> str:
        """Ends it like Ctrl-C, and returns its messages."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=WAITING)
        return str(said)

    def __enter__(self) -> Board:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            said = self.stop()
            assert error[0] is not None or said == "", said
            assert error[0] is not None or self.process.returncode == 130
        self._folder.cleanup()

    @property
    def seconds_used(self) -> float:
        """Processor time."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self) -> int:
        """Resident bytes."""
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    @contextlib.asynccontextmanager
    async def client(self) -> AsyncIterator[Client]:
        """A browser that has opened the link."""
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
            page = await self.open_link(http)
            async with http.ws_connect(f"{page}live", origin=self.base, max_msg_size=1 << 24) as socket:
                yield Client(http, socket, page)


class Client:
    def __init__(self, http: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse, page: str) -> None:
        self.http = http
        self.page = page
        self.socket = socket
        self.tags: dict[str, dict[str, Any]] = {}
        self.machine: dict[str, Any] = {}
        self.rules: dict[str, Any] = {}
        self.taught: dict[str, Any] = {}
        self.samples = 0
        self.dropped = 0
        self._number = 0

    async def receive(self) -> dict[str, Any]:
        received = await asyncio.wait_for(self.socket.receive(), WAITING)
        assert received.type is aiohttp.WSMsgType.TEXT, received
        message: dict[str, Any] = json.loads(received.data)
        if message["type"] == "everything":
            self.dropped += message["dropped"]
        self.machine = message.get("machine", self.machine)
        self.rules = message.get("rules", self.rules)
        self.taught = message.get("taught", self.taught)
        for tag in message.get("tags", ()):
            known = {} if tag.get("whole") else self.tags.get(tag["key"], {})
            self.samples += len(tag.get("samples", ()))
            if message["type"] == "changes" and not tag.get("whole"):
                for name in ("samples", "motion", "gestures", "events"):
                    if name in tag:
                        tag[name] = [*known.get(name, ()), *tag[name]]
            self.tags[tag["key"]] = {**known, **tag}
        return message

    def pause(self) -> None:
        """Stops reading from the board, and limits what the kernel buffers."""
        self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._transport.pause_reading()

    def resume(self) -> None:
        self._transport.resume_reading()

    @property
    def _transport(self) -> Any:
        connection = self.socket._response.connection
        assert connection and connection.transport
        return connection.transport

    async def until(self, condition: Callable[[], Any]) -> None:
        while not condition():
            await self.receive()

    async def ask(self, **request: Any) -> str | None:
        """The error of a request; None if it succeeded."""
        self._number += 1
        await self.socket.send_json({**request, "id": self._number})
        while True:
            message = await self.receive()
            if message["type"] == "reply" and message["id"] == self._number:
                return message["error"]  # type: ignore[no-any-return]

    async def connect(self) -> str:
        """Connects to the only tag, and returns its key."""
        await self.until(lambda: self.tags)
        (key,) = self.tags
        assert await self.ask(action="connect", tag=key) is None
        await self.until(lambda: self.phase(key) == "connected")
        return key

    async def tag(self) -> str:
        """The key of the connected tag, with its gear."""
        await self.until(lambda: any(self.phase(key) == "connected" and tag.get("gear") for key, tag in self.tags.items()))
        return next(key for key, tag in self.tags.items() if tag.get("gear"))

    def phase(self, key: str) -> str:
        return str((self.tags[key].get("state") or {}).get("phase"))
