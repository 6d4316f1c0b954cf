"""Runs jacquardctl like a user or a script."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import select
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any, Self

import places
from simulator import SERIAL, Simulator

LONGEST = 60


def environment(bus_address: str, **changes: str) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": places.PYTHONPATH,
        "DBUS_SYSTEM_BUS_ADDRESS": bus_address,
        "JACQUARD_SIM": str(places.SIMULATOR),
        **changes,
    }


def program(*words: str) -> list[str]:
    return [sys.executable, "-m", "jacquardctl", *words]


def run(simulator: Simulator, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    changes = options.pop("env", {})
    return subprocess.run(
        program(*words),
        env=environment(simulator.bus_address, **changes),
        capture_output=True,
        text=True,
        timeout=LONGEST,
        **options,
    )


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


class OnTerminal:
    """A jacquardctl on a terminal, on which something has been typed."""

    def __init__(self, simulator: Simulator, *words: str, typed: str = "", stderr: Any = None, **changes: str) -> None:
        size = {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"}
        self._ours, theirs = pty.openpty()
        os.write(self._ours, typed.encode())
        self._process = subprocess.Popen(
            program(*words),
            env=environment(simulator.bus_address, **{**size, **changes}),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs if stderr is None else stderr,
        )
        os.close(theirs)
        self._shown = b""

    @property
    def shown(self) -> str:
        return self._shown.decode(errors="replace")

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def until(self, text: str) -> None:
        """Waits until it shows this."""
        while text not in self.shown:
            assert self._reads(), self.shown

    def end(self, number: int | None = None, after: float = 0) -> int:
        """Its exit status, after this signal or by itself. The signal is sent after this time, if it has not ended."""
        if number is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(after)
            self._process.send_signal(number)
        while self._reads():
            pass
        os.close(self._ours)
        return self._process.wait(LONGEST)

    def _reads(self) -> bool:
        """Whether it may show more."""
        if not select.select([self._ours], [], [], LONGEST)[0]:
            self._process.kill()
            raise AssertionError(f"it shows nothing more and does not end: {self.shown}")
        try:
            self._shown += (chunk := os.read(self._ours, 65536))
        except OSError:  # the error of a terminal whose other end is closed
            return False
        return bool(chunk)


def on_a_terminal(simulator: Simulator, *words: str, **changes: str) -> str:
    """Its output on a terminal until it ends."""
    process = OnTerminal(simulator, *words, **changes)
    assert process.end() == 0
    return process.shown


@contextlib.contextmanager
def limited(process: subprocess.Popen[str]) -> Iterator[None]:
    """Ends the process if the block does not end. The block then reads the end of the output."""
    timer = threading.Timer(LONGEST, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class Running:
    """A jacquardctl that runs until the block ends, with JSON output."""

    def __init__(self, simulator: Simulator, *words: str, **options: Any) -> None:
        changes = options.pop("env", {})
        self.process = subprocess.Popen(
            program(*words, "--json"),
            env=environment(simulator.bus_address, **changes),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def until(self, **members: object) -> list[dict[str, Any]]:
        """Returns its output up to an object with these members."""
        assert self.process.stdout
        seen: list[dict[str, Any]] = []
        with limited(self.process):
            while not (seen and members.items() <= seen[-1].items()):
                line = self.process.stdout.readline()
                assert line, f"it has ended, after {seen}"
                seen += objects(line)
        return seen

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()


class Script:
    """A Python program that uses the package, until the block ends."""

    def __init__(self, simulator: Simulator, text: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", text], env=environment(simulator.bus_address), stdout=subprocess.PIPE, text=True
        )

    def line(self) -> str:
        """The next line of its output."""
        assert self.process.stdout
        with limited(self.process):
            return self.process.stdout.readline().rstrip("\n")

    def __enter__(self) -> Script:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()


def watch(simulator: Simulator, *words: str, **options: Any) -> Running:
    return Running(simulator, "watch", SERIAL, *words, **options)
