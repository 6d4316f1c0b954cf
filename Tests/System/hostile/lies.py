"""Services that lie. Each is between a program and a real service, and passes messages on until it begins to lie, so that
nothing here depends on what the messages contain, apart from the first byte, which is their kind."""

from __future__ import annotations

import array
import math
import os
import random
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

from raw_program import messages
from waiting import until

TAG_INFO, STATE, NOTIFICATION = messages.TagInfo.KIND, messages.State.KIND, messages.Notification.KIND
REQUEST, RESPONSE = messages.Request.KIND, messages.Response.KIND
LONGEST = 1 << 16
Change = Callable[[bytes], "list[bytes]"]


class Over(Exception):
    """The program has ended, or the lie is over."""


class Conversation:
    """The conversation of one program with the liar, which is also a program of a real service."""

    def __init__(self, service: LyingService, program: socket.socket, seed: int) -> None:
        self.liar, self.program, self.lie = service, program, service.lie
        self.dice = random.Random(seed)
        self.to_service = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.to_service.connect(service.real)
        self.count = 0  # messages of the service so far

    @property
    def is_over(self) -> bool:
        return self.liar.lie is not self.lie

    def say(self, message: bytes) -> None:
        """Sends a message to the program; waits while it does not read."""
        while not self.is_over:
            if select.select([], [self.program], [], 0.2)[1]:
                try:
                    self.program.send(message)
                except OSError as error:
                    raise Over from error
                return
        raise Over

    def relay(self, count: int | None = None, change: Change = lambda message: [message], until: int | None = None) -> None:
        """Passes messages on: `count` of the service, or until the program has sent one of the kind `until`."""
        end = None if count is None else self.count + count
        while self.count != end:
            if self.is_over:
                raise Over
            for sender in select.select([self.program, self.to_service], [], [], 0.2)[0]:
                try:
                    message = sender.recv(LONGEST)
                except OSError as error:
                    raise Over from error
                if not message:
                    raise Over
                if sender is self.program:
                    if message[0] == until:
                        return
                    self.to_service.send(message)
                else:
                    self.count += 1
                    for changed in change(message):
                        self.say(changed)

    def hold(self) -> None:
        """Says nothing, and reads what the program says."""
        while not self.is_over:
            if select.select([self.program], [], [], 0.2)[0] and not self.program.recv(LONGEST):
                raise Over

    def close(self) -> None:
        self.program.close()
        self.to_service.close()


Lie = Callable[[Conversation], None]


class LyingService:
    def __init__(self, path: Path, real: str, lie: Lie) -> None:
        self.path, self.real, self.lie = path, real, lie
        self.connections: list[float] = []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.bind(str(path))
        self.socket.listen(64)
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                program, _ = self.socket.accept()
            except OSError:
                return
            self.connections.append(time.monotonic())
            self._threads.append(threading.Thread(target=self._talk, args=[program], daemon=True))
            self._threads[-1].start()

    def _talk(self, program: socket.socket) -> None:
        conversation = Conversation(self, program, len(self.connections))
        try:
            conversation.lie(conversation)
        except (Over, OSError):
            pass
        conversation.close()

    def tell_the_truth(self) -> None:
        """Begins with the next conversation; the current ones end."""
        self.lie = honest

    def close(self) -> None:
        self.lie = ends_at_once
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


# The lies


def honest(it: Conversation) -> None:
    it.relay()


def ends_at_once(it: Conversation) -> None:
    pass


def ends_after(count: int) -> Lie:
    return lambda it: it.relay(count)


def is_silent_after(count: int) -> Lie:
    def lie(it: Conversation) -> None:
        it.relay(count)
        it.hold()

    return lie


def ends_after_each(it: Conversation) -> None:
    """Ends one message later in each conversation."""
    it.relay(len(it.liar.connections))


def ends_at_a_request(it: Conversation) -> None:
    it.relay(until=REQUEST)


def is_silent_at_a_request(it: Conversation) -> None:
    it.relay(until=REQUEST)
    it.hold()


def reads_nothing(it: Conversation) -> None:
    it.relay(until=REQUEST)
    until(lambda: it.is_over, math.inf)


def omits(kind: int) -> Lie:
    return lambda it: it.relay(change=lambda message: [message] if message[0] != kind else [])


def omits_one(it: Conversation) -> None:
    """Omits another message in each conversation."""
    missing = len(it.liar.connections)
    it.relay(change=lambda message: [message] if it.count != missing else [])


def answers_with_the_first_response(it: Conversation) -> None:
    first: list[bytes] = []

    def change(message: bytes) -> list[bytes]:
        if message[0] == RESPONSE:
            first.append(message)
            return [first[0]] * 3
        return [message]

    it.relay(change=change)


def repeats(it: Conversation) -> None:
    it.relay(change=lambda message: [message] * 3)


def damages(it: Conversation) -> None:
    def change(message: bytes) -> list[bytes]:
        changed = bytearray(message)
        if it.dice.random() < 0.2:
            changed[it.dice.randrange(len(changed))] = it.dice.randrange(256)
        return [bytes(changed[: it.dice.randrange(1, len(changed))] if it.dice.random() < 0.05 else changed)]

    it.relay(change=change)


def floods(kind: int, is_connected: bool) -> Lie:
    """Repeats one message without end: the last of this kind before the first request, or the first of this kind."""

    def lie(it: Conversation) -> None:
        last: list[bytes] = []

        def change(message: bytes) -> list[bytes]:
            if message[0] == kind:
                last[:] = [message]
            return [message]

        if is_connected:
            it.relay(until=REQUEST, change=change)
        while not last:
            it.relay(1, change)
        while True:
            it.say(last[0])

    return lie


def talks_without_end(it: Conversation) -> None:
    """The states before CONNECTED, again and again."""
    states: list[bytes] = []

    def change(message: bytes) -> list[bytes]:
        if message[0] == STATE:
            states.append(message)
        return [message]

    it.relay(12, change)
    while True:
        for state in states:
            it.say(state)


def sends_descriptors(it: Conversation) -> None:
    files = [os.open("/dev/null", os.O_RDONLY) for _ in range(10)]
    passed = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))]

    def change(message: bytes) -> list[bytes]:
        it.program.sendmsg([message], passed)
        return []

    try:
        it.relay(change=change)
    finally:
        for each in files:
            os.close(each)


def sends_huge_messages(it: Conversation) -> None:
    def change(message: bytes) -> list[bytes]:
        kind = it.dice.randrange(256)
        texts = struct.pack("<BBBH", kind, 0, 1, 512) + b"x" * 512
        return [message, texts, bytes([kind, 255, 255]) + it.dice.randbytes(60_000), bytes([kind, 0, 0]) + bytes(4096)]

    it.relay(change=change)


def has_another_version(it: Conversation) -> None:
    it.relay(1, lambda message: [message[:3] + b"\x09" + message[4:]])
    it.hold()


LIES: dict[str, Lie] = {
    "honest": honest,
    "ends at once": ends_at_once,
    "is silent at once": is_silent_after(0),
    "ends after its welcome": ends_after(1),
    "is silent after its welcome": is_silent_after(1),
    "ends later each time": ends_after_each,
    "is silent while connecting": is_silent_after(9),
    "ends at a request": ends_at_a_request,
    "is silent at a request": is_silent_at_a_request,
    "reads nothing": reads_nothing,
    "is connected without information": omits(TAG_INFO),
    "omits the responses": omits(RESPONSE),
    "omits one message": omits_one,
    "answers with the first response": answers_with_the_first_response,
    "repeats every message": repeats,
    "damages messages": damages,
    "floods with states": floods(STATE, False),
    "floods with CONNECTED": floods(STATE, True),
    "floods with notifications": floods(NOTIFICATION, True),
    "connects without end": talks_without_end,
    "sends descriptors": sends_descriptors,
    "sends huge messages": sends_huge_messages,
    "has another version": has_another_version,
}
