"""Enumerations that a newer library may extend. Their members are numbers and print as words."""

from __future__ import annotations

import enum


def words(name: str) -> str:
    return name.lower().replace("_", " ")


def formatted(number: int, specification: str) -> str:
    """Formats as a number if the format specification is for numbers."""
    if specification.endswith(tuple("bcdeEfFgGnoxX%")):
        return int.__format__(number, specification)
    return format(str(number), specification)


class OpenEnum(enum.IntEnum):
    """Accepts numbers that a newer library may send: they become members called UNKNOWN_<number>."""

    def __str__(self) -> str:
        return words(self.name)

    def __format__(self, specification: str) -> str:
        return formatted(self, specification)

    @classmethod
    def _missing_(cls, value: object) -> OpenEnum:
        if not isinstance(value, int):
            raise ValueError(f"{value!r} is not a {cls.__name__}")
        member = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{value}"
        member._value_ = value
        return member


class OpenName(OpenEnum):
    """An enumeration whose names are written with hyphens, so that each is one word in a shell."""

    def __str__(self) -> str:
        return self.name.lower().replace("_", "-")


class OpenFlag(enum.IntFlag):
    """A set of flags; may contain flags that only a newer library knows."""

    def __str__(self) -> str:
        known = [member for member in type(self) if member in self]
        unknown = self.value & ~sum(known)
        return ", ".join([words(str(member.name)) for member in known] + [hex(unknown)] * bool(unknown)) or "none"

    def __format__(self, specification: str) -> str:
        return formatted(self, specification)
