"""A program that uses the service without the library, so that it can do things that the library does not.

`raw_program.py SOCKET BUS TAG COUNT [USER]` connects COUNT times and prints how many of these are welcome; it ends with its
standard input. TAG may be several identifiers, separated by commas: each is used in turn."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "apps" / "jacquardctl" / "src"), str(ROOT / "Tests" / "Interface" / "bindings")]

from jacquardctl.doctor import messages as messages  # noqa: E402
from jacquardctl.doctor.messages import Message, Purpose, Version  # noqa: E402
from waiting import until  # noqa: E402

LONGEST = 1 << 16
FIRMWARE = 5
BUSY = -3
CONNECTED = 6
BATTERY = 23
BUS_UNAVAILABLE = -21
# The namespace in which the library derives the identifiers of devices from their addresses.
NAMESPACE = uuid.UUID("5b1c7e0d-8a43-4f52-9d6e-2a91c437f018")
# A reason, an error's code and its message.
Refusal = tuple[int, int, str]


def bus_id(address: str) -> str:
    command = ["dbus-send", f"--bus={address}", "--print-reply=literal", "--dest=org.freedesktop.DBus"]
    shown = subprocess.run([*command, "/", "org.freedesktop.DBus.GetId"], capture_output=True, text=True, check=True)
    return shown.stdout.strip()


def identifiers(count: int) -> list[str]:
    """The identifiers of the simulator's tags."""
    return [str(uuid.uuid5(NAMESPACE, f"C0:1A:DA:00:00:{number:02X}")) for number in range(count)]


def neighbours(count: int) -> list[str]:
    """The identifiers of the simulator's devices other than tags; the first is a keyboard, the second a headset."""
    return [str(uuid.uuid5(NAMESPACE, f"D0:00:00:00:00:{number:02X}")) for number in range(count)]


class RawProgram:
    def __init__(self, path: str | Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(20)
        self.socket.connect(str(path))

    def send(self, message: Message) -> None:
        self.socket.send(messages.encode(message))

    def hello(
        self, bus: str, tag: str, adapter: str = "", purpose: int = Purpose.LINK, code: str = "", version: int = Version.CURRENT, bound: bool = False
    ) -> RawProgram:
        self.send(messages.Hello(version, is_bound=bound, purpose=purpose, bus=bus, tag=tag, adapter=adapter, code=code))
        return self

    def request_battery(self, number: int) -> None:
        level_and_charging = [0x08, 1, 0x10, 1]
        packet = bytes([0x08, 0, 0x10, BATTERY, 0x18, number, 0xCA, 0x07, 4, *level_and_charging])  # domain, opcode, id
        self.send(messages.Request(number, packet=packet))

    def receive(self) -> Message | None:
        """The next message; None at the end."""
        try:
            record = self.socket.recv(LONGEST)
        except ConnectionResetError:
            return None
        return messages.decode(record) if record else None

    def refusal(self) -> Refusal | None:
        """None if it is welcome; otherwise the reason, the error's code and its message."""
        answer = self.receive()
        if isinstance(answer, messages.Welcome):
            return None
        assert isinstance(answer, messages.Refused), answer
        return answer.refusal, answer.error.code, answer.error.message

    def wait_for(self, kind: type[Message]) -> Message:
        """The next message of this kind."""
        while not isinstance(message := self.receive(), kind):
            assert message is not None
        return message

    def wait_connected(self) -> RawProgram:
        while True:
            state = self.wait_for(messages.State)
            assert isinstance(state, messages.State)
            if state.phase == CONNECTED:
                return self

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> RawProgram:
        return self

    def __exit__(self, *error: BaseException | None) -> None:
        self.close()


class Many:
    """Another process, with many connections."""

    def __init__(self, path: Path, bus: str, tags: list[str], count: int, user: int = 0) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-B", __file__, path, bus, ",".join(tags), str(count), str(user)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def welcome(self) -> int:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert re.fullmatch(r"\d+\n", line), line
        return int(line)

    def end(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(20)
        self.process.stdout.close()


def first_program(service: subprocess.Popen[Any], path: Path) -> RawProgram:
    """Connected as soon as the process of a service listens: its socket exists a moment before that."""

    def connected() -> RawProgram | None:
        assert service.poll() is None
        with contextlib.suppress(ConnectionRefusedError, FileNotFoundError):
            return RawProgram(path)
        return None

    program = until(connected)
    assert program
    return program


def main(path: str, bus: str, tags: str, count: str, user: str) -> None:
    if int(user):
        os.setgid(int(user))
        os.setuid(int(user))
    names = tags.split(",")
    programs = [RawProgram(path).hello(bus, names[index % len(names)]) for index in range(int(count))]
    print(sum(program.refusal() is None for program in programs), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
