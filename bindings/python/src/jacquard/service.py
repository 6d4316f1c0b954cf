"""The service that shares tags among programs: `python3 -m jacquard.service`. It is the same as jacquardd(1)."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import sys
from ctypes import byref, c_char_p, c_int32, c_uint32, sizeof
from pathlib import Path
from typing import Any, NoReturn

from ._core.convert import text
from ._native.callbacks import LogCallback
from ._native.library import library
from ._native.structs import ServiceOptions
from .enums import LogLevel

# Of a socket that a supervisor passes: sd_listen_fds(3).
FIRST_PASSED = 3


def main() -> NoReturn:
    parser = argparse.ArgumentParser("jacquard.service", description=__doc__)
    parser.add_argument("--socket", type=Path, help="where programs connect ($XDG_RUNTIME_DIR/jacquard/socket)")
    parser.add_argument("--bus", help="D-Bus address ($DBUS_SYSTEM_BUS_ADDRESS, else the system bus)")
    parser.add_argument("--linger", type=float, default=10, help="seconds that a link stays after its last program (10)")
    parser.add_argument("--idle", type=float, default=0, help="ends after this number of seconds without a program (never)")
    sys.exit(run(parser.parse_args()))


def run(arguments: argparse.Namespace) -> int:
    """Runs it until SIGTERM or SIGINT. Returns the exit status."""
    # Python's handlers would not run while the library does.
    stop, stopped = socket.socketpair()
    stopped.setblocking(False)
    signal.set_wakeup_fd(stopped.fileno())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    passed = arguments.socket is None and os.environ.get("LISTEN_FDS") == "1"
    try:
        path = None if passed else os.fsencode(arguments.socket or default_path())
    except OSError as error:
        print(f"jacquard.service: the runtime directory cannot be used: {error}", file=sys.stderr)
        return 1
    options = ServiceOptions(
        struct_size=c_uint32(sizeof(ServiceOptions)),
        bus_address=c_char_p(arguments.bus.encode() if arguments.bus else None),
        socket_path=c_char_p(path and os.path.abspath(path)),
        socket_fd=c_int32(FIRST_PASSED if passed else -1),
        stop_fd=c_int32(stop.fileno()),
        linger_ms=c_uint32(round(arguments.linger * 1000)),
        idle_ms=c_uint32(round(arguments.idle * 1000)),
    )
    status: int = library().jacquard_service_run(byref(options), LogCallback(write_log), None)
    if status:
        place = f" Socket: {os.fsdecode(path)}" if path else ""
        print(f"jacquard.service: {text(library().jacquard_status_text(status))}{place}", file=sys.stderr)
    return 1 if status else 0


def default_path() -> Path:
    folder = Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}") / "jacquard"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / "socket"


def write_log(log: Any, _: object) -> None:
    """The journal adds time and process, and reads the level."""
    level = 4 if log.contents.level == LogLevel.WARNING else 6
    print(f"<{level}>{text(log.contents.message)}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
