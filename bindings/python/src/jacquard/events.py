"""The events of a tag."""

from __future__ import annotations

from typing import Generic, TypeVar

from ._dataclass import dataclass, uncompared
from .enums import GestureType, TouchMode
from .values import Battery

AnyComponent = TypeVar("AnyComponent", covariant=True)

__all__ = ["Battery", "Gear", "Gesture", "Name", "Notification", "RawData", "RawValue", "Touch", "TouchModeReport"]


@dataclass(frozen=True)
class Gesture:
    """A gesture. The name of an unknown gesture is empty; its type is still set. may_be_copy: it may be the previous
    gesture once more, because another program is subscribed to the tag; a program that must not act twice ignores it.
    arrival: when the library or the service received it, on the clock of time.clock_gettime(time.CLOCK_BOOTTIME).
    """

    type: GestureType
    name: str
    may_be_copy: bool = False
    arrival: float = uncompared(0.0)

    def __str__(self) -> str:
        return self.name or f"number {self.type:d}"


@dataclass(frozen=True)
class Touch:
    """One touch sample. A smaller sequence number than before starts a new touch. arrival: as in Gesture."""

    sequence: int
    proximity: int
    lines: tuple[int, ...]
    arrival: float = uncompared(0.0)

    def __str__(self) -> str:
        return " ".join(f"{line:3}" for line in self.lines)


@dataclass(frozen=True)
class TouchModeReport:
    """The mode of the gear. process: the one that has set it; 0: none, it no longer uses the tag, or it is not known."""

    mode: TouchMode
    process: int

    def __str__(self) -> str:
        return str(self.mode)


@dataclass(frozen=True)
class Gear(Generic[AnyComponent]):
    """The gear that the tag is attached to; None: no gear."""

    component: AnyComponent | None

    def __str__(self) -> str:
        return "none" if self.component is None else str(self.component)


@dataclass(frozen=True)
class Name:
    """The tag's name."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Notification:
    """A serialised Notification, even if it is also delivered as a decoded event."""

    data: bytes


@dataclass(frozen=True)
class RawData:
    """The payload of a packet on the raw data channel."""

    data: bytes


@dataclass(frozen=True)
class RawValue:
    """A value of the raw data characteristic as received."""

    data: bytes
