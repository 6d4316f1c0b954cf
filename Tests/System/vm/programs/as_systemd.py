"""Executes dbus-broker-launch without systemd, and provides what it expects from systemd: as_systemd.py SOCKET COMMAND...

It wants the bus's socket as descriptor 3, and a journal to write to, which goes to standard output here. Its calls to
systemd over the bus, which start services, get no reply.
"""

import os
import select
import socket
import sys
from typing import Any

JOURNAL = "/run/systemd/journal/socket"


def bind(path: str, kind: socket.SocketKind) -> socket.socket:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        os.unlink(path)
    bound = socket.socket(socket.AF_UNIX, kind)
    bound.bind(path)
    os.chmod(path, 0o666)
    return bound


journal = bind(JOURNAL, socket.SOCK_DGRAM)
launcher = os.pidfd_open(os.getpid())
if os.fork() == 0:
    sources: list[Any] = [journal, launcher]
    while launcher not in select.select(sources, [], [])[0]:
        print(journal.recv(1 << 16).decode(errors="replace"), flush=True)
    sys.exit()

bus = bind(sys.argv[1], socket.SOCK_STREAM)
bus.listen(128)
os.dup2(bus.fileno(), 3)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execvp(sys.argv[2], sys.argv[2:])
