"""The connections of the server. Clients without the cookie, such as programs of other users of this machine, cannot
use up its connections, memory or log: each has a time limit, and a new one replaces the oldest of too many."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import struct
from typing import Any

from aiohttp import http, web

# Places for the board's user, who usually has the browser, and for all others together. Others can have it, too, if the board
# runs as root or listens on other addresses.
MOST_STRANGERS = 64
STRANGER_SECONDS = 10.0
# Also limits the time to send a further request.
KEEPALIVE = 30.0
MOST_HEADERS = 64

# Constants of linux/netlink.h, linux/sock_diag.h and net/tcp_states.h.
NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
NLM_F_REQUEST = 1
ESTABLISHED = 1
# Any interface and any cookie.
ANY_INTERFACE = struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)

Stranger = tuple[asyncio.Transport, asyncio.TimerHandle]


def is_of_board(record: logging.LogRecord) -> bool:
    """False for errors of a client, which could otherwise fill the log."""
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, (http.HttpProcessingError, ConnectionError))


LOGGER = logging.getLogger("jacquard_board")
LOGGER.addFilter(is_of_board)


OPTIONS: dict[str, Any] = {
    "access_log": None,
    "logger": LOGGER,
    "keepalive_timeout": KEEPALIVE,
    # No request has a body that is used.
    "lingering_time": 0,
    "max_headers": MOST_HEADERS,
}


class Connection(web.RequestHandler):
    __slots__ = ()

    def data_received(self, data: bytes) -> None:
        """aiohttp's parser raises errors of a URL, such as //[, to the event loop, which logs them."""
        try:
            super().data_received(data)
        except ValueError:
            self.force_close()


class Listener(web.Server):
    """Connections are limited until they are admitted."""

    def __init__(self, handler: Any) -> None:
        super().__init__(handler)
        # The oldest first; those of the board's user, and of others.
        self._own: dict[web.RequestHandler, Stranger] = {}
        self._others: dict[web.RequestHandler, Stranger] = {}

    def __call__(self) -> web.RequestHandler:
        return Connection(self, loop=asyncio.get_running_loop(), **OPTIONS)

    def admit(self, request: web.BaseRequest) -> None:
        """The connection of this request is one of a browser with the cookie."""
        self._forget(request.protocol)

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        strangers = self._own if user_of(transport) == os.getuid() else self._others
        if len(strangers) >= MOST_STRANGERS:
            self._drop(next(iter(strangers)))
        timer = asyncio.get_running_loop().call_later(STRANGER_SECONDS, self._drop, handler)
        strangers[handler] = (transport, timer)

    def connection_lost(self, handler: web.RequestHandler, exc: BaseException | None = None) -> None:
        self._forget(handler)
        super().connection_lost(handler, exc)

    def _forget(self, handler: web.RequestHandler) -> asyncio.Transport | None:
        stranger = self._own.pop(handler, None) or self._others.pop(handler, None)
        if stranger is None:
            return None
        transport, timer = stranger
        timer.cancel()
        return transport

    def _drop(self, handler: web.RequestHandler) -> None:
        transport = self._forget(handler)
        if transport is not None:
            transport.abort()


def user_of(transport: asyncio.Transport) -> int | None:
    """The user id of a client on this machine, from the kernel's sock_diag(7); None if it is unknown."""
    own, peer = transport.get_extra_info("sockname"), transport.get_extra_info("peername")
    if not own or not peer:
        return None
    family = socket.AF_INET if len(own) == 2 else socket.AF_INET6
    ports = struct.pack("!HH", peer[1], own[1])
    try:
        addresses = b"".join(socket.inet_pton(family, one[0].partition("%")[0]).ljust(16, b"\0") for one in (peer, own))
        request = struct.pack("=BBBxI", family, socket.IPPROTO_TCP, 0, 1 << ESTABLISHED)
        request += ports + addresses + ANY_INTERFACE
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, NETLINK_SOCK_DIAG) as kernel:
            kernel.settimeout(1)
            kernel.send(struct.pack("=IHHII", 16 + len(request), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST, 0, 0) + request)
            reply = kernel.recv(4096)
    except OSError:
        return None
    # A header of 16 bytes, then struct inet_diag_msg.
    if len(reply) < 88 or struct.unpack_from("=H", reply, 4)[0] != SOCK_DIAG_BY_FAMILY or reply[17] != ESTABLISHED:
        return None
    return int(struct.unpack_from("=I", reply, 80)[0])
