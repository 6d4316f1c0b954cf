"""What a program and a service send each other, one message in each line of a file: > from the program, < from the service.

`conversations.py SERVICE FILE COMMAND...` records what a command sends and receives through the service at that socket."""

import contextlib
import os
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

LONGEST = 1 << 16


def read(path: Path) -> list[tuple[str, bytes]]:
    """Pairs of a direction and the bytes of a message."""
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    return [(direction, bytes.fromhex(text)) for direction, text in lines]


@contextlib.contextmanager
def listening(path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(20)
        yield listener


def record(service: str, command: list[str]) -> list[str]:
    """The lines of the conversation of the command, which has one connection."""
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as folder, listening(Path(folder) / "socket") as listener:
        running = subprocess.Popen(command, env={**os.environ, "JACQUARD_SERVICE": f"{folder}/socket"})
        program, _ = listener.accept()
        with program, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as to_service:
            to_service.connect(service)
            other = {program: (">", to_service), to_service: ("<", program)}
            while True:
                for sender in select.select(list(other), [], [])[0]:
                    message = sender.recv(LONGEST)
                    if not message:
                        running.wait(20)
                        return lines
                    direction, receiver = other[sender]
                    lines.append(f"{direction} {message.hex()}")
                    receiver.send(message)


if __name__ == "__main__":
    Path(sys.argv[2]).write_text("\n".join(record(sys.argv[1], sys.argv[3:])) + "\n")
