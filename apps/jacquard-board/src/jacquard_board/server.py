"""The HTTP server of the page. Everything needs the cookie, and only the page itself may connect to it.

It uses aiohttp's low-level server, which can limit connections, and which needs no router for one folder of files."""

from __future__ import annotations

import asyncio
import html
import json
from importlib import resources
from typing import Any

import jacquard
from aiohttp import WSMsgType, web
from jacquard_apps.system.together import end
from jacquard_apps.terminal import exits, output

from .access import Access, is_own_host, is_own_origin
from .board import Board
from .browsers import Outbox, message
from .connections import LOGGER, Listener

MOST_BROWSERS = 16
# The status of a WebSocket that is closed because there are too many: "Try Again Later" (IANA's registry of them).
TRY_AGAIN_LATER = 1013
LONGEST_REQUEST = 1 << 16
# Requests of one browser that have not been completed; further ones are refused.
MOST_REQUESTS = 16
# Larger numbers are not exact in JavaScript.
MOST_ID = 1 << 53
# A browser that has not replied to a ping for this time is regarded as closed.
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
    "Server": "jacquardctl",
}
NOTE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">{head}
<title>Jacquard board</title><body><main><h1>Jacquard board</h1><p>{text}</p></main></body></html>
"""
ASK_FOR_LINK = "This page needs the link that jacquardctl board has printed. Open that link."
FULL = f"{MOST_BROWSERS} browsers are already showing this board. Close one of them, and this page continues."


class Server:
    def __init__(self, board: Board, access: Access) -> None:
        self._board = board
        self._access = access
        self._files = page_files()
        self._sockets: set[web.WebSocketResponse] = set()
        self.listener = Listener(self._respond)

    async def _respond(self, request: web.BaseRequest) -> web.StreamResponse:
        host = request.headers.get("Host")
        if not is_own_host(host):
            return refused("This page is available only at an address of the machine that serves it.")
        origin = request.headers.get("Origin")
        if origin is not None and not is_own_origin(origin, str(host)):
            return refused("This request came from another site.")
        if request.method not in ("GET", "HEAD"):
            return refused("The board responds to GET and HEAD.", 405)
        if request.path == "/" and ("token" in request.query or "once" in request.query):
            return self._exchange(request, request.query.get("token") or request.query.get("once") or "")
        folder, _, name = request.path[1:].partition("/")
        if not self._access.knows(folder, request.headers.getall("Cookie", ())):
            return refused(ASK_FOR_LINK)
        self.listener.admit(request)
        return await self._live(request) if name == "live" else self._file(name or "index.html")

    def _exchange(self, request: web.BaseRequest, token: str) -> web.StreamResponse:
        """Not an HTTP redirect: after it, a browser would regard the page as opened by the site with the link, and not
        send the cookie."""
        if not self._access.accepts(token):
            return refused(f"This link is invalid or has expired. {ASK_FOR_LINK}")
        self.listener.admit(request)
        path = f"/{self._access.folder}/"
        response = note("Opening the board …", 200, f'<meta http-equiv="refresh" content="0;url={path}">')
        response.set_cookie(self._access.cookie_name, self._access.cookie, httponly=True, samesite="Strict", path=path)
        return response

    def _file(self, name: str) -> web.StreamResponse:
        file = self._files.get(name)
        if file is None:
            return note("There is no such file.", 404)
        body, content_type = file
        return web.Response(body=body, content_type=content_type, charset="utf-8", headers=HEADERS)

    async def _live(self, request: web.BaseRequest) -> web.StreamResponse:
        # Browsers always send it with a WebSocket.
        if request.headers.get("Origin") is None:
            return refused("This request came from another program.")
        socket = web.WebSocketResponse(
            heartbeat=HEARTBEAT, max_msg_size=LONGEST_REQUEST, compress=False, timeout=CLOSING
        )
        if request.method != "GET" or not socket.can_prepare(request):
            return note("This address is for WebSockets.", 400)
        socket.headers.update(HEADERS)
        await socket.prepare(request)
        if self._board.browsers >= MOST_BROWSERS:
            # The page cannot see the status and the text of a refused request.
            await socket.close(code=TRY_AGAIN_LATER, message=FULL.encode())
            return socket
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
                number = number_of(request)
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
        except jacquard.JacquardError as failure:
            error = output.explained(failure)
        except (exits.Failure, ValueError, OSError) as failure:
            error = str(failure)
        except Exception:
            LOGGER.exception("request of a page: %r", request)
            error = "The board has failed; its messages describe the error."
        if error is not None or "id" in request:
            outbox.reply(message("reply", id=number_of(request), error=error))

    async def close(self) -> None:
        closing = [asyncio.ensure_future(socket.close(code=1001, message=b"the board has ended")) for socket in self._sockets]
        if closing:
            await asyncio.wait(closing, timeout=CLOSING)
        await end(closing)


def parsed(text: str) -> dict[str, Any]:
    try:
        request = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return request if isinstance(request, dict) else {}


def number_of(request: dict[str, Any]) -> Any:
    """The id of a request, which its reply repeats. An id that is neither a string nor a finite number has no reply
    that the page could read."""
    number = request.get("id")
    return number if isinstance(number, str) or (isinstance(number, (int, float)) and abs(number) < MOST_ID) else None


def page_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page with their types, by name."""
    folder = resources.files(__package__).joinpath("page")
    return {
        file.name: (file.read_bytes(), TYPES[suffix])
        for file in folder.iterdir()
        if (suffix := "." + file.name.rpartition(".")[2]) in TYPES
    }


def refused(text: str, status: int = 403) -> web.Response:
    """Ends the connection, too."""
    response = note(text, status)
    response.force_close()
    return response


def note(text: str, status: int, head: str = "") -> web.Response:
    body = NOTE.format(head=head, text=html.escape(text))
    return web.Response(text=body, status=status, content_type="text/html", headers=HEADERS)
