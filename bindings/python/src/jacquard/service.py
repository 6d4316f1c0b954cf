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

from ._core.calls import check
from ._core.convert import text
from ._native.callbacks import LogCallback
from ._native.library import library
from ._native.structs import ServiceOptions
from .enums import LogLevel
from .error import JacquardError

# The descriptor of a socket that a supervisor passes: sd_listen_fds(3).
FIRST_PASSED = 3


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("jacquard.service", description=__doc__)
    parser.add_argument("--socket", type=Path, help="where programs connect ($XDG_RUNTIME_DIR/jacquard/socket)")
    parser.add_argument("--bus", help="D-Bus address ($DBUS_SYSTEM_BUS_ADDRESS, else the system bus)")
    parser.add_argument("--linger", type=float, default=10, help="seconds that a link stays after its last program (10)")
    parser.add_argument("--idle", type=float, default=0, help="ends after this number of seconds without a program (never)")
    return parser


def main() -> NoReturn:
    sys.exit(run(parser().parse_args()))


def run(arguments: argparse.Namespace) -> int:
    """Runs it until SIGTERM or SIGINT. Returns the exit status."""
    # Python's handlers would not run while the library does.
    stop, stopped = socket.socketpair()
    stopped.setblocking(False)
    signal.set_wakeup_fd(stopped.fileno())
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    passed = "0" if arguments.socket else os.environ.get("LISTEN_FDS", "0")
    if passed not in ("0", "1"):
        print(f"jacquard.service: LISTEN_FDS must be 1, for one socket: {passed}", file=sys.stderr)
        return 2
    options = ServiceOptions(
        struct_size=c_uint32(sizeof(ServiceOptions)),
        bus_address=c_char_p(arguments.bus.encode() if arguments.bus else None),
        socket_path=c_char_p(arguments.socket and os.fsencode(arguments.socket.absolute())),
        has_socket=c_uint32(passed == "1"),
        socket=c_int32(FIRST_PASSED),
        has_stop=c_uint32(1),
        stop=c_int32(stop.fileno()),
        linger_ms=c_uint32(round(arguments.linger * 1000)),
        idle_ms=c_uint32(round(arguments.idle * 1000)),
    )
    try:
        callback = write_to_journal if logs_to_journal() else write_log
        check(library().jacquard_service_run(byref(options), LogCallback(callback), None))
    except JacquardError as error:
        print(f"jacquard.service: {error.message}", file=sys.stderr)
        return 1
    return 0


def logs_to_journal() -> bool:
    """Whether standard error is the journal: systemd.exec(5)."""
    status = os.fstat(sys.stderr.fileno())
    return os.environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


def write_to_journal(log: Any, _: object) -> None:
    """The journal adds time and process, and reads the level."""
    level = 4 if log.contents.level == LogLevel.WARNING else 6
    print(f"<{level}>{text(log.contents.message)}", file=sys.stderr, flush=True)


def write_log(log: Any, _: object) -> None:
    print(text(log.contents.message), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
