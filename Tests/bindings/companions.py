"""Other programs that use the same tag as a test: Tests/sharing/companion.c.

idle: the test is the guest of an idle host. busy: the test is the host of three busy guests.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import places
from simulator import Simulator

WAYS = ("idle", "busy")
COMPANION = places.BUILD / "sharing" / "companion"
BUSY = 3
LONGEST_WAIT = 20


class Companions:
    """The other programs, until the block ends. They meet the test in `meeting_place`."""

    def __init__(self, way: str, bus_address: str, control: Path, meeting_place: Path) -> None:
        self._way = way
        self._meeting_place = meeting_place
        self._environment = {
            **os.environ,
            "DBUS_SYSTEM_BUS_ADDRESS": bus_address,
            "JACQUARD_CONTROL": str(control),
            "XDG_RUNTIME_DIR": str(meeting_place),
        }
        self._processes: list[subprocess.Popen[str]] = []
        self._have_joined = False
        self._is_over = threading.Event()
        self._starter = threading.Thread(target=self._start_guests, daemon=True)

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [COMPANION, self._way],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._processes.append(process)
        return process

    def _start_guests(self) -> None:
        """When the test has a connection: a host has a socket, and programs that connect later are its guests."""
        while not list(self._meeting_place.glob("jacquard/*.sock")):
            if self._is_over.wait(0.01):
                return
        for _ in range(BUSY):
            self._start()

    def join(self) -> None:
        """Returns when the companions use the tag for the first time. Later one of them may be the host."""
        if self._way == "busy" and not self._have_joined:
            self._have_joined = True
            self._starter.join(LONGEST_WAIT)
            assert len(self._processes) == BUSY
            for guest in self._processes:
                assert guest.stdout
                assert guest.stdout.readline() == "guest\n"

    def __enter__(self) -> Companions:
        if self._way == "idle":
            host = self._start()
            assert host.stdout
            assert host.stdout.readline() == "host\n"
        else:
            self._starter.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        if self._starter.is_alive():
            self._starter.join(LONGEST_WAIT)
        outputs = [ended(process) for process in self._processes]
        for process, output in zip(self._processes, outputs):
            # A test may end before a companion handles signals.
            assert process.returncode == 0 or (process.returncode, output) == (-signal.SIGTERM, ""), output


def ended(process: subprocess.Popen[str]) -> str:
    """Its output. A signal that arrives just before it waits is followed by another one."""
    while process.poll() is None:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=1)[0]
    return process.communicate()[0]


@contextlib.contextmanager
def simulator(way: str | None, *options: str) -> Iterator[Simulator]:
    """A simulator; with a way, other programs use its tag."""
    if way is None:
        with Simulator(*options) as running:
            yield running
        return
    before = os.environ["XDG_RUNTIME_DIR"]
    with tempfile.TemporaryDirectory(prefix="jacquard-meeting-") as folder:
        control, meeting_place = Path(folder, "control"), Path(folder, "run")
        meeting_place.mkdir(0o700)
        os.environ["XDG_RUNTIME_DIR"] = str(meeting_place)
        try:
            with Simulator("--control", str(control), *options) as running:
                with Companions(way, running.bus_address, control, meeting_place) as companions:
                    running.await_others = companions.join
                    yield running
        finally:
            os.environ["XDG_RUNTIME_DIR"] = before
