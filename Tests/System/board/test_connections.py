"""Programs of other users, which do not have the cookie, cannot use up the board's connections, memory or log."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import resource
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp import http, web
from boards import WAITING, Board, run
from jacquard_board import connections
from jacquard_board.access import Access
from jacquard_board.board import Board as Content
from jacquard_board.command import listening
from jacquard_board.connections import MOST_STRANGERS
from jacquard_board.server import Server
from waiting import until_async

UNFINISHED = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
HOSTILE = [
    b"\x00" * 100 + b"\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET http://[ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET //[ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /%zz%ff?%zz=%ff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /?token=%ff%00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /?once=\xff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: [\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: \xff\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: a,b=1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: \xff=\xff; ;=;\r\n\r\n",
    b"GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n" + b"x" * 70000,
    b"CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: x\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 100000,
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET / HTTP/1.1\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\nHost: 127.0.0.1\r\n\r\nabc",
    b"GET / HTTP/1.1\r\n" + b"".join(b"h%d: %s\r\n" % (n, b"x" * 1000) for n in range(1000)) + b"\r\n",
    b"GET / HTTP/1.1\r\nx: " + b"x" * 100000 + b"\r\n\r\n",
    b"GET /" + b"x" * 100000 + b" HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 100,
]


async def is_closed(reader: asyncio.StreamReader) -> None:
    """Returns when the board has closed the connection."""
    try:
        while await asyncio.wait_for(reader.read(1 << 16), WAITING):
            pass
    except ConnectionError:
        pass


def test_unfinished_requests_do_not_keep_browsers_out() -> None:
    async def body(board: Board) -> None:
        others = [await asyncio.open_connection("127.0.0.1", board.port) for _ in range(300)]
        for _, writer in others:
            writer.write(UNFINISHED)
        async with board.client() as client:
            await client.receive()
            # The oldest have been closed.
            await asyncio.gather(*(is_closed(reader) for reader, _ in others[: 300 - MOST_STRANGERS]))
            assert len(list(Path(f"/proc/{board.process.pid}/fd").iterdir())) < MOST_STRANGERS + 50
            async with client.http.get(client.page) as response:
                assert response.status == 200
            assert await client.ask(action="search") is None
        for _, writer in others:
            writer.close()

    # The board prints no message: `with` checks that.
    with Board() as board:
        resource.prlimit(board.process.pid, resource.RLIMIT_NOFILE, (256, 256))
        run(body(board))


def test_hostile_requests_are_refused_without_a_message() -> None:
    async def body(board: Board) -> None:
        for request in HOSTILE:
            reader, writer = await asyncio.open_connection("127.0.0.1", board.port)
            writer.write(request)
            await is_closed(reader)
            writer.close()

    with Board() as board:
        run(body(board))


@contextlib.asynccontextmanager
async def served() -> AsyncIterator[tuple[Access, int]]:
    with listening("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        access = Access(port)
        server = Server(Content(None, None), access)
        runner = web.ServerRunner(server.listener)
        await runner.setup()
        try:
            await web.SockSite(runner, listener).start()
            yield access, port
        finally:
            await server.close()
            await runner.cleanup()


def test_only_browsers_with_the_cookie_stay_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        async with served() as (access, port), aiohttp.ClientSession() as session:
            host = f"127.0.0.1:{port}"
            headers = {"Cookie": f"{access.cookie_name}={access.cookie}", "Origin": f"http://{host}"}
            async with session.ws_connect(f"ws://{host}/{access.folder}/live", headers=headers) as browser:
                await browser.receive()
                connected = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3)]
                for (_, writer), request in zip(connected, (b"", b"\r\n\r\n", UNFINISHED)):
                    writer.write(request)
                for reader, writer in connected:
                    await is_closed(reader)
                    writer.close()
                await browser.send_json({"action": "ping", "id": 1})
                assert (await asyncio.wait_for(browser.receive(), WAITING)).json()["type"] == "pong"

    monkeypatch.setattr(connections, "STRANGER_SECONDS", 0.2)
    run(body())


def test_connections_of_other_users_do_not_replace_those_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        async with served() as (_, port):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(UNFINISHED)
            others = [await asyncio.open_connection("127.0.0.1", port) for _ in range(3 * MOST_STRANGERS)]
            await asyncio.gather(*(is_closed(other) for other, _ in others[: 2 * MOST_STRANGERS]))
            writer.write(b"\r\n")
            assert (await asyncio.wait_for(reader.readline(), WAITING)).startswith(b"HTTP/1.1 403 ")
            for _, other in [*others, (reader, writer)]:
                other.close()

    users = itertools.chain([os.getuid()], itertools.cycle([os.getuid() + 1, None]))
    monkeypatch.setattr(connections, "user_of", lambda transport: next(users))
    run(body())


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_user_of_a_connection(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        found: list[int | None] = []
        transports: list[asyncio.Transport] = []
        loop = asyncio.get_running_loop()

        class Protocol(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                assert isinstance(transport, asyncio.Transport)
                found.append(connections.user_of(transport))
                transports.append(transport)

            def eof_received(self) -> bool:
                # The client's socket no longer belongs to a program.
                found.append(connections.user_of(transports[0]))
                return False

        with listening(host, 0) as listener:
            server = await loop.create_server(Protocol, sock=listener)
            reader, writer = await asyncio.open_connection(host, listener.getsockname()[1])
            await until_async(lambda: found)
            writer.close()
            await is_closed(reader)
            await until_async(lambda: len(found) >= 2)
            server.close()
        assert found == [os.getuid(), None]

    if host == "::1" and not Path("/proc/net/if_inet6").exists():
        pytest.skip("no IPv6")
    run(body())


def test_an_error_of_the_board_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    def log(error: Exception) -> None:
        try:
            raise error
        except type(error):
            connections.LOGGER.exception("a request")

    with caplog.at_level(logging.ERROR):
        for error in (http.HttpProcessingError(message="hostile"), ConnectionResetError(), ZeroDivisionError()):
            log(error)
    assert [record.exc_info and record.exc_info[0] for record in caplog.records] == [ZeroDivisionError]
