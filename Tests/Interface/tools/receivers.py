"""Programs that receive played messages, and the program that plays."""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

import ctl
import places
import pytest
from simulator import SERIAL, Simulator

# fluidsynth has a service, so it is only unpacked.
os.environ["PATH"] += f":{places.ROOT}/build/packages/usr/bin"

LONGEST = 30


# Milliseconds, which are the ticks of these MIDI files.
SOUNDING = 600


def free_port() -> int:
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Lines:
    """The output of a program, line by line, until the block ends."""

    def __init__(self, *words: str, **options: Any) -> None:
        command = ["stdbuf", "--output=L", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self._lines: queue.Queue[str] = queue.Queue()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self._lines.put(line.strip())

    def until(self, pattern: str) -> list[str]:
        """The lines up to one that contains this."""
        found: list[str] = []
        while not (found and re.search(pattern, found[-1])):
            found.append(self._lines.get(timeout=LONGEST))
        return found

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self._reading.join(LONGEST)
        self.process.communicate()


class Receiver(Lines):
    """oscdump of liblo-tools. Its lines begin with the time."""

    def __init__(self) -> None:
        self.port = free_port()
        super().__init__("oscdump", "-L", str(self.port))


class Player(Lines):
    """jacquardctl play, in touch mode."""

    def __init__(self, tag: Simulator, *words: str, program: tuple[str, ...] = ("-m", "jacquardctl")) -> None:
        command = [sys.executable, *program, "play", SERIAL, *words, "--json"]
        super().__init__(*command, env=ctl.environment(tag.bus_address))
        self.until("playing")
        tag.wait_for_touch_mode()

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(LONGEST)

    def errors(self) -> str:
        assert self.process.stderr
        return str(self.process.stderr.read())


@pytest.fixture(name="tag")
def tag_fixture(simulator: Simulator) -> Simulator:
    simulator.tell("gear attach levis-trucker")
    return simulator


def messages(path: Path) -> list[Any]:
    """The messages of a MIDI file, each with its time from the beginning in seconds."""
    import mido

    found, now = [], 0.0
    for message in mido.MidiFile(str(path)):
        now += message.time
        found.append(message.copy(time=now))
    return found
