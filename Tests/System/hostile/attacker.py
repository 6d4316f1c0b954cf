"""A process that attacks a service: `attacker.py ATTACK SOCKET BUS SEED USER COUNT`, with a user's number (0: this
user) and a number of messages (0: until it is killed). It says "begun" after its first connection, and "done" after the
last message."""

from __future__ import annotations

import array
import contextlib
import itertools
import math
import os
import random
import signal
import socket
import struct
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "sharing"))

from raw_program import FIRMWARE, RawProgram, identifiers, messages, neighbours  # noqa: E402
from waiting import moments  # noqa: E402

NEIGHBOURS = 40
TAG = identifiers(1)[0]
ENDED = (BrokenPipeError, ConnectionResetError, ConnectionRefusedError, TimeoutError, BlockingIOError)


def every(seconds: float) -> Iterator[None]:
    """Repeats without end, with this pause after each turn."""
    return moments(math.inf, seconds)


class Sender:
    """Replaces a socket: keeps the messages that a program sends."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def send(self, message: bytes) -> None:
        self.sent.append(message)


def record(kind: int, numbers: list[int], texts: list[bytes]) -> bytes:
    packed = b"".join(struct.pack("<H", len(text)) + text for text in texts)
    return struct.pack(f"<BBB{len(numbers)}I", kind, len(numbers), len(texts), *numbers) + packed


def bytes_of(say: Callable[[RawProgram], object]) -> list[bytes]:
    program = RawProgram.__new__(RawProgram)
    program.socket = sender = Sender()  # type: ignore[assignment]
    say(program)
    return sender.sent


class Attacker:
    def __init__(self, path: str, bus: str, seed: int, count: int) -> None:
        self.path, self.bus, self.count = path, bus, count
        self.dice = random.Random(seed)
        self.kept: list[RawProgram] = []
        self.messages = 0

    def program(self) -> RawProgram:
        for _ in every(0.01):
            with contextlib.suppress(*ENDED):
                program = RawProgram(self.path)
                break
        program.socket.settimeout(0.2)
        if not self.messages:
            print("begun", flush=True)
        self.messages += 1
        return program

    def keep(self, program: RawProgram, most: int) -> None:
        self.kept.append(program)
        if len(self.kept) > most:
            self.kept.pop(0).close()

    def joined(self) -> RawProgram:
        """A program with the tag, or one that was refused."""
        program = self.program().hello(self.bus, TAG)
        try:
            program.wait_connected()
        except (AssertionError, *ENDED):
            pass
        return program

    def send_all(self, program: RawProgram, messages: list[bytes]) -> None:
        try:
            for message in messages:
                program.socket.send(message)
                self.messages += 1
        except ENDED:
            pass

    # Attacks that last

    def flood(self) -> None:
        """Requests without end, whose responses are not read."""
        while True:
            program = self.joined()
            try:
                for number in itertools.count(1):
                    program.request_battery(number % 200 + 1)
            except ENDED:
                program.close()

    def talk(self) -> None:
        """Requests without end, each after the response to the last one."""
        program = self.joined()
        for number in itertools.count(1):
            try:
                program.request_battery(number % 200 + 1)
                program.receive()
            except ENDED:
                program.close()
                program = self.joined()

    def channels(self) -> None:
        """Requests without end from 128 channels."""
        self.kept = [self.program().hello(self.bus, TAG) for _ in range(128)]
        for program in self.kept:
            program.socket.setblocking(False)
        for number, _ in enumerate(every(0.001), 1):
            for index, program in enumerate(self.kept):
                try:
                    program.request_battery(number % 200 + 1)
                    if number % 8 == 0:
                        program.socket.recv(1 << 16)
                except BlockingIOError:
                    pass
                except OSError:
                    program.close()
                    self.kept[index] = self.program().hello(self.bus, TAG)
                    self.kept[index].socket.setblocking(False)

    def silence(self) -> None:
        """Connections that say nothing."""
        for _ in every(0.002):
            self.keep(self.program(), 100)

    def stand_still(self) -> None:
        """A process that stops while it has the tag, and a request on the way."""
        for _ in range(8):
            program = self.joined()
            program.request_battery(1)
            self.kept.append(program)
        os.kill(os.getpid(), signal.SIGSTOP)

    def leave(self) -> None:
        """Claims whatever a program may claim, such as a bond, and ends after its first messages."""
        while True:
            program = self.program().hello(self.bus, TAG, bound=self.dice.random() < 0.7)
            try:
                for number in range(self.dice.randrange(25)):
                    if number > 15:
                        program.request_battery(number)
                    else:
                        program.receive()
            except ENDED:
                pass
            program.close()

    def half(self) -> None:
        """Parts of messages."""
        while True:
            program = self.program()
            for message in self.valid(is_harmless=True):
                self.send_all(program, [message[: self.dice.randrange(1, len(message))] for _ in range(5)])
            program.close()

    def versions(self) -> None:
        while True:
            version = self.dice.choice([0, 2, 3, 255, (1 << 32) - 1])
            program = self.program().hello(self.bus, TAG, purpose=self.dice.getrandbits(32), version=version)
            try:
                assert not isinstance(program.receive(), messages.Welcome), f"version {version} is welcome"
            except ENDED:
                pass
            program.close()

    def descriptors(self) -> None:
        """Passes descriptors beside every message."""
        files = [os.open("/dev/null", os.O_RDONLY) for _ in range(20)]
        passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))]
        while True:
            program = self.program()
            try:
                for message in self.valid(is_harmless=True) * 10:
                    program.socket.sendmsg([message], passed)
            except ENDED:
                pass
            self.keep(program, 20)

    def credentials(self) -> None:
        """Claims to be another process of another user, and reserves everything in its name."""
        while True:
            program = self.program()
            claimed = struct.pack("3i", 1, self.dice.choice([0, 1, 65533]), 0)
            sent = [
                *bytes_of(lambda it: it.hello(self.bus, TAG)),
                *bytes_of(lambda it: it.send(messages.Reserve(1, FIRMWARE))),
            ]
            try:
                for message in sent:
                    program.socket.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_CREDENTIALS, claimed)])
                program.wait_connected()
            except (AssertionError, PermissionError, *ENDED):
                pass
            self.keep(program, 20)

    def made_up_tags(self) -> None:
        for _ in every(0.005):
            self.keep(self.program().hello(self.bus, str(uuid.UUID(int=self.dice.getrandbits(128), version=5))), 20)

    def made_up_adapters(self) -> None:
        for _ in every(0.005):
            address = ":".join(f"{self.dice.randrange(256):02X}" for _ in range(6))
            adapter = self.dice.choice([address, "hci7", "x" * 400, "../../etc"])
            self.keep(self.program().hello(self.bus, TAG, adapter), 20)

    def reserve(self) -> None:
        """Reserves everything and releases nothing."""
        while True:
            program = self.joined()
            try:
                for kind in range(12):
                    program.send(messages.Reserve(kind + 1, kind))
                for _ in range(20):
                    program.receive()
            except ENDED:
                pass
            self.keep(program, 5)

    def bind(self) -> None:
        """Begins to bind the tag, and does not finish."""
        while True:
            program = self.program().hello(self.bus, TAG, code=self.dice.choice(["01ZK", "01ZK", "XXXX", "", "é" * 100]))
            try:
                for _ in range(20):
                    program.receive()
            except ENDED:
                pass
            self.keep(program, 5)

    def other_devices(self) -> None:
        """Asks for other devices as if they were tags, and to remove their bonds."""
        for _ in every(0.005):
            purpose = self.dice.choice([*messages.Purpose, messages.Purpose.UNBIND, self.dice.getrandbits(8)])
            self.keep(self.program().hello(self.bus, self.dice.choice(neighbours(NEIGHBOURS)), purpose=purpose), 40)

    def noise(self) -> None:
        """Random messages, some of them valid."""
        while not self.count or self.messages < self.count:
            program = self.program()
            self.send_all(program, [self.damaged(self.valid()[0], 20)])
            for _ in range(self.dice.randrange(40)):
                self.send_all(program, [self.damaged(self.dice.choice(self.valid()), 50)])
            self.keep(program, 20)

    def valid(self, is_harmless: bool = False) -> list[bytes]:
        """Hello and other messages of a program, with random fields; harmless ones do not change the tag."""
        dice = self.dice
        made_up = str(uuid.UUID(int=dice.getrandbits(128), version=5))
        tag = dice.choice([TAG, dice.choice(neighbours(NEIGHBOURS)), dice.choice(neighbours(NEIGHBOURS)), made_up, "x"])
        adapter = dice.choice(["", "", "", "00:1A:7D:DA:71:13", "00:00:00:00:00:01", "x"])
        code = dice.choice(["", "", "01ZK", "XXXX"])
        purpose = dice.choice([*messages.Purpose, messages.Purpose.LINK, messages.Purpose.UNBIND, dice.getrandbits(8)])
        kind, number = dice.randrange(256), dice.getrandbits(32)
        if is_harmless:
            purpose, code, kind = messages.Purpose.LINK, "", 255
        return [
            *bytes_of(lambda it: it.hello(self.bus, tag, adapter, purpose=purpose, code=code)),
            *bytes_of(lambda it: it.request_battery(dice.randrange(256))),
            *bytes_of(lambda it: it.send(messages.Reserve(1, dice.choice([FIRMWARE, dice.randrange(12), number])))),
            record(kind, [number] * dice.randrange(6), [b"text"] * dice.randrange(3)) + b"payload",
        ]

    def damaged(self, message: bytes, percent: int) -> bytes:
        changed = bytearray(message)
        if self.dice.randrange(100) < percent:
            for _ in range(self.dice.randrange(1, 4)):
                changed[self.dice.randrange(len(changed))] = self.dice.randrange(256)
        if self.dice.randrange(100) < percent // 10:
            changed += bytes(self.dice.randrange(60_000))
        return bytes(changed)


ATTACKS = {
    name: getattr(Attacker, name)
    for name in (
        "flood talk channels silence stand_still leave half versions descriptors credentials made_up_tags made_up_adapters "
        "reserve bind other_devices noise"
    ).split()
}


def main(attack: str, path: str, bus: str, seed: str, user: str, count: str) -> None:
    if int(user):
        os.setgid(int(user))
        os.setuid(int(user))
    # This tests the turns of the service, not those of the processor.
    os.nice(10)
    ATTACKS[attack](Attacker(path, bus, int(seed), int(count)))
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
