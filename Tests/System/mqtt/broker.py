"""A mosquitto with the documented settings."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import places
import waiting

DOCUMENTED = places.APPS / "jacquard-mqtt" / "examples" / "mosquitto.conf"
LONGEST_START = 20


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def program(name: str) -> str:
    """The path of a program that is installed, or only unpacked by `make deps`."""
    unpacked = places.ROOT / "build" / "packages" / "usr"
    found = shutil.which(name, path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", f"{unpacked}/bin", f"{unpacked}/sbin"]))
    assert found, f"{name} is missing: make deps"
    return found


class Broker:
    """Runs during a `with` block. options: further lines of its configuration file."""

    process: subprocess.Popen[bytes]

    def __init__(self, folder: Path, *options: str, anonymous: bool = True) -> None:
        self.folder = Path(folder)
        self.port = free_port()
        self.configuration = self.folder / "mosquitto.conf"
        own = [
            f"listener {self.port} 127.0.0.1",
            f"allow_anonymous {'true' if anonymous else 'false'}",
            "persistence true",
            f"persistence_location {self.folder}/",
            "user root",  # if started by root, it would switch to a user who cannot write here
            *options,
        ]
        self.configuration.write_text("\n".join(own) + "\n" + DOCUMENTED.read_text())

    def start(self) -> None:
        path = self.folder / "log"
        with open(path, "ab") as log:
            before = log.tell()
            self.process = subprocess.Popen([program("mosquitto"), "-c", self.configuration], stdout=log, stderr=log)

        def runs() -> bool:
            assert self.process.poll() is None, path.read_text()
            return b" running" in path.read_bytes()[before:]

        waiting.until(runs, LONGEST_START, problem=path.read_text)

    def kill(self, number: int = signal.SIGKILL) -> None:
        self.process.send_signal(number)
        self.process.wait(20)

    def __enter__(self) -> Broker:
        self.start()
        return self

    def __exit__(self, *error: BaseException | None) -> None:
        if self.process.poll() is None:
            self.kill(signal.SIGTERM)
