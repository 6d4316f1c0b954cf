"""OSC over UDP, one message for each value."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Iterable
from typing import Any, Callable, Union

from ..action import ActionError, Library
from .message import Message

LIBRARY = Library("liblo", "python3-liblo", newer="pyliblo3")
DESTINATION = re.compile(r"(?:(\[[0-9A-Fa-f:.]+\]|[^\[\]:/\s]+):)?([0-9]{1,5})")
# OSC 1.0: characters that the parts of an address must not contain.
UNSUITABLE = re.compile(r"[^A-Za-z0-9_.-]")
LOCAL = "127.0.0.1"
Value = Union[int, float, str]


def destination(text: str) -> tuple[str, int]:
    """[HOST:]PORT. Raises ValueError."""
    found = DESTINATION.fullmatch(text)
    if found is None or not 0 < int(found[2]) < 65536:
        raise ValueError(f"{text!r} is not [HOST:]PORT, such as 9000 or studio.local:9000")
    return (found[1] or LOCAL).strip("[]"), int(found[2])


class Sender:
    """Nothing reports whether a datagram arrives."""

    def __init__(self, address: Any, send: Callable[..., None]) -> None:
        self._address = address
        self._send = send

    @classmethod
    async def to(cls, host: str, port: int) -> Sender:
        """Raises ActionError."""
        liblo = LIBRARY.load()
        try:
            # liblo would search for the name while it sends, and block.
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_DGRAM)
            return cls(liblo.Address(found[0][4][0], port), liblo.send)
        except (OSError, UnicodeError, liblo.AddressError) as error:
            raise ActionError(f"{host} cannot be found: {getattr(error, 'strerror', None) or error}") from None

    def send(self, path: str, *values: Value) -> None:
        """Raises ActionError."""
        try:
            self._send(self._address, path, *values)
        except OSError as error:
            raise ActionError(f"OSC cannot be sent: {error}") from None


class Addressed:
    """Sends the messages of an instrument below /jacquard/NAME."""

    def __init__(self, sender: Sender, name: str) -> None:
        self._sender = sender
        self._root = f"/jacquard/{UNSUITABLE.sub('_', name)}"

    def send(self, messages: Iterable[Message]) -> None:
        for one in messages:
            if one.osc is not None:
                path, value = one.osc
                self._sender.send(f"{self._root}/{path}", value)
