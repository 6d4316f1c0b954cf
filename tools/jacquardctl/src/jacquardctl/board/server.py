"""The HTTP server of the page. Everything needs the cookie, and only the page itself may connect to it."""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
from collections.abc import Awaitable
from importlib import resources
from typing import Any, Callable

import jacquard
from aiohttp import WSMsgType, web

from .. import exits
from .access import Access, is_own_host, is_own_origin
from .board import Board
from .browsers import Outbox, message

MOST_BROWSERS = 16
LONGEST_REQUEST = 4096
# Requests of one browser that have not been completed; further ones are refused.
MOST_REQUESTS = 16
# After this time without a reply to a ping a browser is regarded as closed.
HEARTBEAT = 30
CLOSING = 2

TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
NOTE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">{head}
<title>Jacquard board</title><body><main><h1>Jacquard board</h1><p>{text}</p></main></body></html>
"""
ASK_FOR_LINK = "This page needs the link that jacquardctl board has printed. Open that link."
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    def __init__(self, board: Board, access: Access) -> None:
        self._board = board
        self._access = access
        self._files = page_files()
        self._sockets: set[web.WebSocketResponse] = set()

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._guard()], client_max_size=0)
        application.router.add_get("/live", self._live)
        application.router.add_get("/{name:[a-z.]*}", self._file)
        application.on_response_prepare.append(harden)
        application.on_shutdown.append(self._close)
        return application

    def _guard(self) -> Any:
        @web.middleware
        async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
            host = request.headers.get("Host")
            if not is_own_host(host):
                return refused("This page is available only at an address of the machine that serves it.")
            origin = request.headers.get("Origin")
            if origin is not None and not is_own_origin(origin, str(host)):
                return refused("This request came from another site.")
            if request.path == "/" and ("token" in request.query or "once" in request.query):
                return self._exchange(request.query.get("token") or request.query.get("once") or "")
            if not self._access.knows(request.cookies.get(self._access.cookie_name)):
                return refused(ASK_FOR_LINK)
            return await handler(request)

        return guard

    def _exchange(self, token: str) -> web.StreamResponse:
        """Not an HTTP redirect: after it, a browser would regard the page as opened by the site with the link, and not
        send the cookie."""
        if not self._access.accepts(token):
            return refused(f"This link is invalid or has expired. {ASK_FOR_LINK}")
        response = note("Opening the board …", 200, '<meta http-equiv="refresh" content="0;url=/">')
        response.set_cookie(self._access.cookie_name, self._access.cookie, httponly=True, samesite="Strict", path="/")
        return response

    async def _file(self, request: web.Request) -> web.StreamResponse:
        file = self._files.get(request.match_info["name"] or "index.html")
        if file is None:
            return note("There is no such file.", 404)
        body, content_type = file
        return web.Response(body=body, content_type=content_type, charset="utf-8")

    async def _live(self, request: web.Request) -> web.StreamResponse:
        # Browsers always send it with a WebSocket.
        if request.headers.get("Origin") is None:
            return refused("This request came from another program.")
        if self._board.browsers >= MOST_BROWSERS:
            return note(f"{MOST_BROWSERS} browsers are already showing this board; close one of them.", 503)
        socket = web.WebSocketResponse(
            heartbeat=HEARTBEAT, max_msg_size=LONGEST_REQUEST, compress=False, timeout=CLOSING
        )
        await socket.prepare(request)
        self._sockets.add(socket)
        try:
            async with self._board.browser() as outbox:
                sending = asyncio.ensure_future(outbox.send_all(socket.send_str))
                try:
                    await self._serve(socket, outbox)
                finally:
                    sending.cancel()
                    await asyncio.gather(sending, return_exceptions=True)
        finally:
            self._sockets.discard(socket)
        return socket

    async def _serve(self, socket: web.WebSocketResponse, outbox: Outbox) -> None:
        running: set[asyncio.Task[None]] = set()
        try:
            async for received in socket:
                if received.type is not WSMsgType.TEXT:
                    break
                request = parsed(received.data)
                number = request.get("id")
                if request.get("action") == "ping":
                    outbox.reply(message("pong", id=number, now=self._board.clock()))
                elif len(running) >= MOST_REQUESTS:
                    outbox.reply(message("reply", id=number, error="Too many requests at the same time."))
                else:
                    task = asyncio.ensure_future(self._carry_out(request, outbox))
                    running.add(task)
                    task.add_done_callback(running.discard)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _carry_out(self, request: dict[str, Any], outbox: Outbox) -> None:
        error = None
        try:
            await self._board.carry_out(request)
        except (jacquard.JacquardError, exits.Failure, ValueError, OSError) as failure:
            error = str(failure)
        if error is not None or "id" in request:
            outbox.reply(message("reply", id=request.get("id"), error=error))

    async def _close(self, application: web.Application) -> None:
        closing = [socket.close(code=1001, message=b"the board has ended") for socket in self._sockets]
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.gather(*closing, return_exceptions=True), CLOSING)


def parsed(text: str) -> dict[str, Any]:
    try:
        request = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return request if isinstance(request, dict) else {}


def page_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page with their types, by name."""
    folder = resources.files(__package__).joinpath("page")
    return {
        file.name: (file.read_bytes(), TYPES[suffix])
        for file in folder.iterdir()
        if (suffix := "." + file.name.rpartition(".")[2]) in TYPES
    }


async def harden(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
    response.headers.pop("Server", None)


def refused(text: str) -> web.Response:
    return note(text, 403)


def note(text: str, status: int, head: str = "") -> web.Response:
    body = NOTE.format(head=head, text=html.escape(text))
    return web.Response(text=body, status=status, content_type="text/html")
