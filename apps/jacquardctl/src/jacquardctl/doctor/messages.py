"""Messages of the service. Generated from service.proto by Sources/WireFormat/generator; do not edit."""

from __future__ import annotations

import dataclasses
import enum
import struct
from collections.abc import Iterator
from typing import Any, ClassVar

# Numbers that are missing.
ZEROS = bytes(256)


@dataclasses.dataclass(frozen=True)
class Message:
    """A message, or a part of one, which is its last field."""

    KIND: ClassVar[int] = 0
    # All its numbers, in the format of `struct`.
    NUMBERS: ClassVar[str] = ""


def encode(message: Message) -> bytes:
    values = list(flat(message))
    numbers = struct.pack("<" + message.NUMBERS, *(value for value in values if isinstance(value, int)))
    texts = [value.encode() for value in values if isinstance(value, str)]
    packed = b"".join(struct.pack("<H", len(text)) + text for text in texts)
    payload = b"".join(value for value in values if isinstance(value, bytes))
    return bytes([message.KIND, len(numbers) // 4, len(texts)]) + numbers + packed + payload


def flat(message: Message) -> Iterator[int | str | bytes]:
    """The values of its fields and parts."""
    for field in dataclasses.fields(message):
        value = getattr(message, field.name)
        if isinstance(value, Message):
            yield from flat(value)
        else:
            yield value


def decode(record: bytes) -> Message | None:
    """None for an unknown kind. Raises ValueError if the record is malformed."""
    if len(record) < 3 or len(record) < 3 + 4 * record[1]:
        raise ValueError("the record is incomplete")
    end = 3 + 4 * record[1]
    numbers, texts = record[3:end], []
    for _ in range(record[2]):
        begin = end + 2
        end = begin + int.from_bytes(record[end:begin], "little")
        texts.append(record[begin:end].decode(errors="replace"))
    if end > len(record):
        raise ValueError("the record is incomplete")
    form = KINDS.get(record[0])
    if form is None:
        return None
    return build(form, iter(struct.unpack_from("<" + form.NUMBERS, numbers + ZEROS)), iter(texts), record[end:])


def build(form: type[Message], numbers: Iterator[int], texts: Iterator[str], payload: bytes) -> Message:
    """Takes the numbers and texts of its fields."""
    values: list[Any] = []
    for field in dataclasses.fields(form):
        initial: Any = field.default
        if isinstance(initial, Message):
            values.append(build(type(initial), numbers, texts, payload))
        elif isinstance(initial, bytes):
            values.append(payload)
        elif isinstance(initial, str):
            values.append(next(texts, ""))
        else:
            values.append(type(initial)(next(numbers)))
    return form(*values)


class Refusal(enum.IntEnum):
    """Why the service does not accept a program."""

    NONE = 0
    # Service and program do not understand each other's messages.
    VERSION = 1
    # The service uses another bus.
    OTHER_BUS = 2
    # The service, or the program's user, has as many programs or connections as the service accepts.
    FULL = 3
    # The tag is used in a way that excludes this program.
    IN_USE = 4
    # The program wanted the tag for itself, and no program uses it through the service any more.
    RELEASED = 5


class Purpose(enum.IntEnum):
    """What a program wants with the tag. The service refuses programs whose purpose it does not know."""

    NONE = 0
    # To use the tag.
    LINK = 1
    # To have the tag for itself: the service only releases it.
    RELEASE = 2
    # The service only removes the bonds of the tag.
    UNBIND = 3
    # To know whether the service would accept the program: it welcomes or refuses it, and closes the channel.
    INQUIRE = 4
    # To know what the service is used for.
    USAGE = 5


class Version(enum.IntEnum):
    """That of the protocol."""

    NONE = 0
    # A change that another version would misunderstand raises it; a new kind or field does not.
    CURRENT = 1


@dataclasses.dataclass(frozen=True)
class ErrorReport(Message):
    """An error of the library."""

    KIND = 0
    NUMBERS = "iIIi"
    # In the numbers of the header; 0 if there is no error.
    code: int = 0
    att_code: int = 0
    tag_status: int = 0
    system_errno: int = 0
    message: str = ""
    advice: str = ""


@dataclasses.dataclass(frozen=True)
class Welcome(Message):
    """The program is accepted."""

    KIND = 1
    NUMBERS = "Ii"
    version: int = 0
    # The service's own: the kernel may report the supervisor, which has created the socket.
    process: int = 0


@dataclasses.dataclass(frozen=True)
class Refused(Message):
    """The program is not accepted; the channel ends."""

    KIND = 2
    NUMBERS = "IiIIi"
    refusal: int = 0
    error: ErrorReport = ErrorReport()


@dataclasses.dataclass(frozen=True)
class State(Message):
    """The state of the link, in the numbers of the header."""

    KIND = 3
    NUMBERS = "IIIIiIIi"
    phase: int = 0
    step: int = 0
    attempt: int = 0
    disconnect_reason: int = 0
    error: ErrorReport = ErrorReport()


@dataclasses.dataclass(frozen=True)
class TagInfo(Message):
    """A tag has been connected."""

    KIND = 4
    NUMBERS = ""
    address: str = ""
    name: str = ""
    # The tag's response with its device information.
    response: bytes = b""


@dataclasses.dataclass(frozen=True)
class Notification(Message):
    """A packet of the tag."""

    KIND = 5
    NUMBERS = "QI"
    # When the service received it, in nanoseconds of CLOCK_BOOTTIME; 0 if it is not known.
    arrival: int = 0
    # It may be a copy of the previous one.
    may_be_copy: bool = False
    packet: bytes = b""


@dataclasses.dataclass(frozen=True)
class Gear(Message):
    """What the service has read from the gear, which is ready."""

    KIND = 7
    NUMBERS = "IIIIi"
    # In the numbers of the header.
    touch_mode: int = 0
    major: int = 0
    minor: int = 0
    point: int = 0
    # The process that has set the mode; 0 if there is none, or it is not known.
    process: int = 0
    uuid: str = ""
    # The tag's report that gear is attached.
    report: bytes = b""


@dataclasses.dataclass(frozen=True)
class RawPacket(Message):
    """The payload of a packet on the raw data channel."""

    KIND = 8
    NUMBERS = ""
    payload: bytes = b""


@dataclasses.dataclass(frozen=True)
class RawValue(Message):
    """A value of the raw data characteristic."""

    KIND = 9
    NUMBERS = ""
    value: bytes = b""


@dataclasses.dataclass(frozen=True)
class StreamValue(Message):
    """A value of the raw data characteristic that is part of a motion stream."""

    KIND = 10
    NUMBERS = "Q"
    # As in Notification.
    arrival: int = 0
    value: bytes = b""


@dataclasses.dataclass(frozen=True)
class Written(Message):
    """The tag has the request. Only for requests that ask for it, and for raw packets."""

    KIND = 11
    NUMBERS = "I"
    id: int = 0


@dataclasses.dataclass(frozen=True)
class Response(Message):
    """The tag has responded to a request."""

    KIND = 12
    NUMBERS = "I"
    id: int = 0
    packet: bytes = b""


@dataclasses.dataclass(frozen=True)
class Failed(Message):
    """A request has failed."""

    KIND = 13
    NUMBERS = "IiIIi"
    id: int = 0
    error: ErrorReport = ErrorReport()


@dataclasses.dataclass(frozen=True)
class Name(Message):
    """The tag's name."""

    KIND = 14
    NUMBERS = ""
    name: str = ""


@dataclasses.dataclass(frozen=True)
class Mode(Message):
    """The mode of the gear has been set."""

    KIND = 15
    NUMBERS = "Ii"
    # In the numbers of the header.
    touch_mode: int = 0
    # The process that has set it, as in Gear.
    process: int = 0


@dataclasses.dataclass(frozen=True)
class SignalStrength(Message):
    """The signal strength of the last advertisement that the service has received."""

    KIND = 16
    NUMBERS = "i"
    # In dBm.
    strength: int = 0


@dataclasses.dataclass(frozen=True)
class Dropped(Message):
    """Events were dropped before the next one."""

    KIND = 17
    NUMBERS = "I"
    count: int = 0


@dataclasses.dataclass(frozen=True)
class Copies(Message):
    """Values received since the last such message."""

    KIND = 18
    NUMBERS = "II"
    # Those that were recognised as copies.
    dropped: int = 0
    # Those that may be copies.
    doubtful: int = 0


@dataclasses.dataclass(frozen=True)
class Interrupted(Message):
    """bluetoothd did not respond while the link stayed up; events of that time may be lost."""

    KIND = 19
    NUMBERS = ""


@dataclasses.dataclass(frozen=True)
class LogLine(Message):
    """A line of the log about the tag."""

    KIND = 20
    NUMBERS = "I"
    # In the numbers of the header.
    level: int = 0
    text: str = ""


@dataclasses.dataclass(frozen=True)
class Granted(Message):
    """The program has a reservation."""

    KIND = 21
    NUMBERS = "I"
    # That of Reserve.
    id: int = 0


@dataclasses.dataclass(frozen=True)
class Busy(Message):
    """Another program has a reservation."""

    KIND = 22
    NUMBERS = "IiIIi"
    # That of Reserve.
    id: int = 0
    error: ErrorReport = ErrorReport()


@dataclasses.dataclass(frozen=True)
class Unbound(Message):
    """The bonds of the tag have been removed for a program that wants nothing else."""

    KIND = 23
    NUMBERS = "I"
    had_bond: bool = False


@dataclasses.dataclass(frozen=True)
class Pong(Message):
    """The answer to Ping."""

    KIND = 24
    NUMBERS = ""


@dataclasses.dataclass(frozen=True)
class Usage(Message):
    """What programs have of the service, for one that only asks."""

    KIND = 25
    NUMBERS = "iIIIII"
    # The service's own.
    process: int = 0
    # Connections of all programs, and of those of the asking user.
    connections: int = 0
    connections_of_user: int = 0
    # The most connections that the service accepts of all programs, of a user, and of a process.
    most_connections: int = 0
    most_connections_of_user: int = 0
    most_connections_of_process: int = 0


@dataclasses.dataclass(frozen=True)
class Hello(Message):
    """What a program wants with one tag."""

    KIND = 64
    NUMBERS = "IIIIII"
    version: int = 0
    # The tag is bound for this program, so BlueZ must have its bond.
    is_bound: bool = False
    # This program has set touch mode, unlike others that only received the touches.
    has_set_mode: bool = False
    # The gear that streamed touches for this program before, which a service that has just been started does not know;
    # otherwise 0.
    streaming_vendor: int = 0
    streaming_product: int = 0
    purpose: int = 0
    # The bus's ID, which is different for each instance of a bus.
    bus: str = ""
    # The tag's identifier.
    tag: str = ""
    # The address of the adapter; empty for any.
    adapter: str = ""
    # The code printed on the tag, for a program that binds it; otherwise empty.
    code: str = ""


@dataclasses.dataclass(frozen=True)
class Request(Message):
    """A packet for the tag."""

    KIND = 65
    NUMBERS = "III"
    # Between this program and the service.
    id: int = 0
    reports_writing: bool = False
    # The time limit for the response in ms; 0: the service's own.
    response_limit: int = 0
    packet: bytes = b""


@dataclasses.dataclass(frozen=True)
class Withdraw(Message):
    """The response to a request is not needed any more."""

    KIND = 66
    NUMBERS = "I"
    id: int = 0


@dataclasses.dataclass(frozen=True)
class RawRequest(Message):
    """A packet for the raw data channel."""

    KIND = 67
    NUMBERS = "I"
    id: int = 0
    packet: bytes = b""


@dataclasses.dataclass(frozen=True)
class Reserve(Message):
    """The program wants a reservation."""

    KIND = 68
    NUMBERS = "II"
    id: int = 0
    # ReservationKind.
    reservation: int = 0


@dataclasses.dataclass(frozen=True)
class Release(Message):
    """The program returns a reservation."""

    KIND = 69
    NUMBERS = "I"
    # ReservationKind.
    reservation: int = 0


@dataclasses.dataclass(frozen=True)
class Bound(Message):
    """The program has stored the record of the tag that it binds. Until then, the bond ends with the program."""

    KIND = 70
    NUMBERS = ""


@dataclasses.dataclass(frozen=True)
class Disconnect(Message):
    """The user has asked to disconnect, so the link is not kept for a later program."""

    KIND = 71
    NUMBERS = ""


@dataclasses.dataclass(frozen=True)
class RawData(Message):
    """The raw data that this program wants, whichever program has requested it, in addition to what belongs to its own
    download or stream. Other programs are not woken."""

    KIND = 72
    NUMBERS = "II"
    # Payloads of the raw data channel.
    packets: bool = False
    # Values of the raw data characteristic.
    values: bool = False


@dataclasses.dataclass(frozen=True)
class Ping(Message):
    """The service answers with Pong at once."""

    KIND = 73
    NUMBERS = ""


KINDS = {each.KIND: each for each in Message.__subclasses__() if each.KIND}
