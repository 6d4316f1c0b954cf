"""The ways in which a test uses a tag besides the usual one, through a service that no other program uses.

direct: it has the link itself. busy: three other programs use the tag through the service: Tests/System/sharing/companion.c.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import places
from simulator import Simulator

WAYS = ("direct", "busy")
COMPANION = places.BUILD / "sharing" / "companion"
BUSY = 3


class Companions:
    """The other programs, until the block ends."""

    def __init__(self, bus_address: str, control: Path) -> None:
        environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": bus_address, "JACQUARD_CONTROL": str(control)}
        self._processes = [
            subprocess.Popen(
                [COMPANION],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for _ in range(BUSY)
        ]

    def __enter__(self) -> Companions:
        for process in self._processes:
            assert process.stdout and process.stdout.readline() == "through the service\n"
        return self

    def __exit__(self, *error: object) -> None:
        outputs = [ended(process) for process in self._processes]
        for process, output in zip(self._processes, outputs):
            assert process.returncode == 0, output


def ended(process: subprocess.Popen[str]) -> str:
    """Its output. A signal that arrives just before it waits is followed by another one."""
    while process.poll() is None:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=1)[0]
    return process.communicate()[0]


@contextlib.contextmanager
def simulator(way: str | None, *options: str) -> Iterator[Simulator]:
    """A simulator whose tag is used in this way."""
    if way != "busy":
        with Simulator(*(["--no-service"] if way == "direct" else []), *options) as running:
            yield running
        return
    with tempfile.TemporaryDirectory(prefix="jacquard-control-") as folder:
        control = Path(folder, "control")
        with Simulator("--control", str(control), *options) as running, Companions(running.bus_address, control):
            yield running
