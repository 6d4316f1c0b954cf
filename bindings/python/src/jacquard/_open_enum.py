"""Enumerations that a newer library may extend."""

from __future__ import annotations

import enum


class OpenEnum(enum.IntEnum):
    """Accepts numbers that a newer library may send: they become members called UNKNOWN_<number>."""

    @classmethod
    def _missing_(cls, value: object) -> OpenEnum:
        if not isinstance(value, int):
            raise ValueError(f"{value!r} is not a {cls.__name__}")
        member = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{value}"
        member._value_ = value
        return member
