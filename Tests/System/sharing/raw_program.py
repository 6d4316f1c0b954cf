"""A program that uses the service without the library, so that it can do what the library does not.

`raw_program.py SOCKET BUS TAG COUNT [USER]` connects COUNT times and prints how many of these are welcome; it ends with its
standard input. TAG may be several identifiers, separated by commas: each is used in turn."""

from __future__ import annotations

import os
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

WELCOME, REFUSED, STATE, NOTIFICATION, RESPONSE, FAILED, DROPPED, GRANTED, UNBOUND = 1, 2, 3, 5, 12, 13, 17, 21, 23
HELLO, REQUEST, RESERVE = 64, 65, 68
UNBIND = 4
FIRMWARE = 5
BUSY = -3
FULL = 3
CONNECTED = 6
BATTERY = 23
BUS_UNAVAILABLE = -21
# A reason, an error's code and its message.
Refusal = tuple[int, int, str]


def bus_id(address: str) -> str:
    command = ["dbus-send", f"--bus={address}", "--print-reply=literal", "--dest=org.freedesktop.DBus"]
    shown = subprocess.run([*command, "/", "org.freedesktop.DBus.GetId"], capture_output=True, text=True, check=True)
    return shown.stdout.strip()



class RawProgram:
    def __init__(self, path: str | Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(20)
        self.socket.connect(str(path))

    def send(self, kind: int, numbers: Sequence[int] = (), texts: Iterable[str] = (), payload: bytes = b"") -> None:
        packed = b"".join(struct.pack("<H", len(text)) + text.encode() for text in texts)
        self.socket.send(struct.pack(f"<BBB{len(numbers)}I", kind, len(numbers), 4 if packed else 0, *numbers) + packed + payload)

    def hello(self, bus: str, tag: str, adapter: str = "", flags: int = 0, code: str = "", version: int = 1) -> RawProgram:
        self.send(HELLO, [version, flags], [bus, tag, adapter, code])
        return self

    def request_battery(self, number: int) -> None:
        level_and_charging = [0x08, 1, 0x10, 1]
        packet = bytes([0x08, 0, 0x10, BATTERY, 0x18, number, 0xCA, 0x07, 4, *level_and_charging])  # domain, opcode, id
        self.send(REQUEST, [number, 0], payload=packet)

    def receive(self) -> tuple[int | None, tuple[int, ...], bytes]:
        """The kind of a message, its numbers, and what follows these; (None, (), b"") at the end."""
        try:
            message = self.socket.recv(1 << 16)
        except ConnectionResetError:
            message = b""
        if not message:
            return None, (), b""
        kind, count = message[:2]
        return kind, struct.unpack_from(f"<{count}I", message, 3), message[3 + 4 * count :]

    def refusal(self) -> Refusal | None:
        """None if it is welcome; otherwise the reason, the error's code and its message."""
        kind, numbers, rest = self.receive()
        if kind == WELCOME:
            return None
        assert kind == REFUSED, kind
        (length,) = struct.unpack_from("<H", rest)
        return numbers[0], numbers[1] - (1 << 32), rest[2 : 2 + length].decode()

    def wait_connected(self) -> RawProgram:
        while True:
            kind, numbers, _ = self.receive()
            assert kind is not None
            if kind == STATE and numbers[0] == CONNECTED:
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
    while True:
        try:
            return RawProgram(path)
        except (ConnectionRefusedError, FileNotFoundError):
            assert service.poll() is None
            time.sleep(0.02)


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
