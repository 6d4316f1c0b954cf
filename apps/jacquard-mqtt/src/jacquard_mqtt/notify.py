"""systemd's notification protocol: readiness, status and watchdog (sd_notify(3))."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import time


def notify(*lines: str) -> None:
    address = os.environ.get("NOTIFY_SOCKET")
    if address:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as to:
            to.sendto("\n".join(lines).encode(), "\0" + address[1:] if address.startswith("@") else address)


def ready() -> None:
    notify("READY=1")


def reloading() -> None:
    notify("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")


def stopping() -> None:
    notify("STOPPING=1")


def status(text: str) -> None:
    notify(f"STATUS={text}")


def watchdog_interval() -> float | None:
    """Half of systemd's watchdog time; None if it does not watch this process."""
    if os.environ.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    microseconds = os.environ.get("WATCHDOG_USEC", "")
    return int(microseconds) / 2e6 if microseconds.isdecimal() and int(microseconds) else None


async def feed_watchdog() -> None:
    """Reports every half interval that the event loop runs; returns immediately if there is no watchdog."""
    interval = watchdog_interval()
    while interval is not None:
        notify("WATCHDOG=1")
        await asyncio.sleep(interval)
