"""Lines with fields in the journal, if standard error is connected to it, as in a unit.

Source: https://systemd.io/JOURNAL_NATIVE_PROTOCOL/
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import sys

PLACE = "/run/systemd/journal/socket"
WARNING, NOTICE, INFO = 4, 5, 6


class Journal:
    def __init__(self, place: str = PLACE) -> None:
        """Raises OSError if there is no journal."""
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        try:
            self._socket.connect(place)
        except OSError:
            self._socket.close()
            raise

    def send(self, message: str, priority: int, **fields: str) -> bool:
        """Whether the journal has taken it. fields: names in capitals are the journal's own."""
        named = {name if name.isupper() else f"JACQUARD_{name.upper()}": value for name, value in fields.items() if value}
        entries = {"MESSAGE": message, "PRIORITY": str(priority), "SYSLOG_IDENTIFIER": "jacquardctl", **named}
        try:
            self._socket.send(b"".join(encoded(name, value) for name, value in entries.items()))
        except OSError:
            return False
        return True

    def close(self) -> None:
        self._socket.close()


def encoded(name: str, value: str) -> bytes:
    data = value.encode(errors="replace")
    if b"\n" not in data:
        return name.encode() + b"=" + data + b"\n"
    return name.encode() + b"\n" + struct.pack("<Q", len(data)) + data + b"\n"


def connected(place: str = PLACE) -> Journal | None:
    """None if standard error is not connected to the journal."""
    try:
        status = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError, AttributeError):
        return None
    if os.environ.get("JOURNAL_STREAM") != f"{status.st_dev}:{status.st_ino}":
        return None
    with contextlib.suppress(OSError):
        return Journal(place)
    return None
