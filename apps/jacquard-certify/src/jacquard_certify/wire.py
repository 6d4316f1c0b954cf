"""Packets and messages of the tag. Separate from the library's code, which the experiments observe."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Union

Content = Union[int, bytes]

RESPONSE, NOTIFICATION, RAW, COMMAND = "response", "notification", "raw", "command"
# The end of each characteristic's UUID prefix.
CHANNELS = {"eabb": COMMAND, "b8d0": RESPONSE, "b8d1": NOTIFICATION, "b8d2": RAW}
UUID = "d2f2{}-d165-445c-b0e1-2d6b642ec57b"
SERVICE = UUID.format("bf0d")
LARGEST_FRAGMENT = 61
# Fields of payloads.
BATTERY, GEAR, ERASED = 121, 109, 117
CONFIGURATION_READ, CONFIGURATION, LOADED = 1100, 1101, 1200
ERASE_ONE = 1007
FIRMWARE_STATUS = 200
# A stored recording of any program. The tag reports it when it is asked for its list.
STORED = 1004


class Malformed(ValueError):
    """Bytes that are not a message."""


def varint(number: int) -> bytes:
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    data.append(number)
    return bytes(data)


def encoded(*fields: tuple[int, Content]) -> bytes:
    """A message of these fields: whole numbers, or bytes."""
    data = b""
    for number, content in fields:
        if isinstance(content, int):
            data += varint(number << 3) + varint(content)
        else:
            data += varint(number << 3 | 2) + varint(len(content)) + content
    return data


def fields(data: bytes) -> Iterator[tuple[int, Content]]:
    """The fields of a message in their order."""
    place = 0
    while place < len(data):
        key, place = _varint(data, place)
        kind = key & 7
        if kind == 0:
            number, place = _varint(data, place)
            yield key >> 3, number
            continue
        if kind not in (1, 2, 5):
            raise Malformed(f"a field of type {kind}")
        length = {1: 8, 5: 4}.get(kind, 0)
        if kind == 2:
            length, place = _varint(data, place)
        if place + length > len(data):
            raise Malformed("a field beyond the end")
        yield key >> 3, data[place : place + length]
        place += length


def _varint(data: bytes, place: int) -> tuple[int, int]:
    number = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            raise Malformed("a number beyond the end")
        number |= (data[place] & 0x7F) << shift
        place += 1
        if data[place - 1] < 0x80:
            return number, place
    raise Malformed("a number that is too long")


def within(data: bytes, number: int) -> Content | None:
    """The last field of this number."""
    found: Content | None = None
    for one, content in fields(data):
        if one == number:
            found = content
    return found


def texts(data: bytes) -> Iterator[str]:
    """Possible text of a person in a message, whatever its fields mean."""
    try:
        contents = [content for _, content in fields(data) if isinstance(content, bytes)]
    except Malformed:
        return
    for content in contents:
        with contextlib.suppress(UnicodeDecodeError):
            text = content.decode()
            if text.isprintable():
                yield text
        yield from texts(content)


def number_within(data: Content | None, number: int) -> int | None:
    found = within(data, number) if isinstance(data, bytes) else None
    return found if isinstance(found, int) else None


def request(domain: int, opcode: int, *payload: tuple[int, Content], id: int = 1) -> bytes:
    return encoded((1, domain), (2, opcode), (3, id), *payload)


@dataclasses.dataclass(frozen=True)
class Packet:
    """A packet as it was received: `time` of its first and `last` of its last fragment; `counters` as in the fragments."""

    channel: str
    data: bytes
    time: float
    last: float
    counters: tuple[int, ...] = (0,)

    def field(self, number: int) -> Content | None:
        try:
            return within(self.data, number)
        except Malformed:
            return None

    @property
    def id(self) -> int | None:
        """The request to which it responds."""
        found = self.field(1)
        return found if isinstance(found, int) and self.channel == RESPONSE else None

    @property
    def status(self) -> int | None:
        found = self.field(2)
        return found if isinstance(found, int) and self.channel == RESPONSE else None

    def text(self, start: float) -> str:
        return f"{self.last - start:.3f} {self.channel} {self.data.hex()}"


def fragments(packet: bytes, capacity: int) -> list[bytes]:
    values: list[bytes] = []
    rest = varint(len(packet)) + packet
    while rest or not values:
        part, rest = rest[: capacity - 1], rest[capacity - 1 :]
        flags = (0 if values else 0x80) | (0 if rest else 0x40) | len(values) & 0x3F
        values.append(bytes([flags]) + part)
    return values


class Joiner:
    """Joins the fragments of one channel."""

    def __init__(self, channel: str) -> None:
        self._channel = channel
        self.reset()

    def reset(self) -> None:
        self._data: bytes | None = None
        self._counters: list[int] = []
        self._time = 0.0

    def feed(self, value: bytes, time: float) -> Packet | None:
        """The packet that this value completes."""
        if not value:
            return None
        if value[0] & 0x80:
            self._data, self._counters, self._time = b"", [], time
        if self._data is None:
            return None
        self._data += value[1:]
        self._counters.append(value[0] & 0x3F)
        if not value[0] & 0x40:
            return None
        data, counters = self._data, tuple(self._counters)
        self._data = None
        try:
            length, place = _varint(data, 0)
        except Malformed:
            return None
        if length != len(data) - place:
            return None
        return Packet(self._channel, data[place:], self._time, time, counters)
