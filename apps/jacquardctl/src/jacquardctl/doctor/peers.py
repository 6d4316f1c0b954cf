"""The processes that are connected to a Unix socket, from the kernel's list of sockets: sock_diag(7)."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

NETLINK_SOCK_DIAG = 4
SOCK_DIAG_BY_FAMILY = 20
NLM_F_REQUEST_DUMP = 0x301
NLMSG_ERROR, NLMSG_DONE = 2, 3
UDIAG_SHOW_NAME, UDIAG_SHOW_PEER = 1, 4
UNIX_DIAG_NAME, UNIX_DIAG_PEER = 0, 2
CONNECTED = 1 << 1
HEADER = struct.Struct("=IHHII")
PROC = Path("/proc")


def of(path: Path) -> list[int]:
    """The connected processes, except for this one, and for those of other users, which only root can see."""
    try:
        inodes = set(peers(os.fsencode(path)))
    except OSError:
        return []
    return sorted(process for process in visible() if process != os.getpid() and not inodes.isdisjoint(sockets(process)))


def peers(path: bytes) -> Iterator[int]:
    """The sockets that are connected to those with this name, which accepted sockets have from their listener."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_SOCK_DIAG) as kernel:
        request = struct.pack("=BBHIIIII", socket.AF_UNIX, 0, 0, CONNECTED, 0, UDIAG_SHOW_NAME | UDIAG_SHOW_PEER, 0, 0)
        kernel.send(HEADER.pack(HEADER.size + len(request), SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST_DUMP, 0, 0) + request)
        while True:
            part = kernel.recv(65536)
            while part:
                length, kind, *_ = HEADER.unpack_from(part)
                if kind in (NLMSG_DONE, NLMSG_ERROR):
                    return
                attributes = dict(attributes_of(part[HEADER.size + 16 : length]))
                if attributes.get(UNIX_DIAG_NAME, b"").rstrip(b"\0") == path and UNIX_DIAG_PEER in attributes:
                    yield struct.unpack("=I", attributes[UNIX_DIAG_PEER])[0]
                part = part[(length + 3) & ~3 :]


def attributes_of(bytes: bytes) -> Iterator[tuple[int, bytes]]:
    while len(bytes) >= 4:
        length, kind = struct.unpack_from("=HH", bytes)
        yield kind, bytes[4:length]
        bytes = bytes[(length + 3) & ~3 :]


def visible() -> Iterator[int]:
    return (int(folder.name) for folder in PROC.iterdir() if folder.name.isdigit())


def sockets(process: int) -> Iterator[int]:
    try:
        descriptors = list((PROC / str(process) / "fd").iterdir())
    except OSError:
        return  # it has ended, or belongs to another user
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            target = os.readlink(descriptor)
            if target.startswith("socket:["):
                yield int(target[8:-1])
