"""A tag's configuration."""

from __future__ import annotations

from ctypes import sizeof
from typing import Any

from ._core import arguments, convert
from ._core.checks import constructed
from ._dataclass import dataclass
from ._native import structs
from .enums import ConfigurationField

# The header declares the flags in the order of the struct's fields.
MEMBERS = [name for name, *_ in structs.Configuration._fields_][2:-1]
FIELDS = dict(zip(MEMBERS, ConfigurationField))


@constructed
@dataclass(frozen=True)
class Configuration:
    """How a tag advertises, and how motion wakes it. None: not reported, or unchanged. See the header for units."""

    name: str | None = None
    tx_power: int | None = None
    tx_power_maximum: int | None = None
    fast_interval_ms: float | None = None
    fast_duration_s: int | None = None
    medium_interval_ms: float | None = None
    medium_duration_s: int | None = None
    slow_interval_ms: float | None = None
    slow_duration_s: int | None = None
    connection_interval_minimum: int | None = None
    connection_interval_maximum: int | None = None
    queue_depth: int | None = None
    motion_enabled: bool | None = None
    motion_sensitivity: int | None = None
    motion_threshold: int | None = None
    motion_timeout_ms: int | None = None
    motion_gear_power: int | None = None
    motion_link: int | None = None

    def _struct(self) -> structs.Configuration:
        struct = structs.Configuration(struct_size=sizeof(structs.Configuration))
        for name, field in FIELDS.items():
            value = getattr(self, name)
            if value is not None:
                struct.fields |= field
                setattr(struct, name, arguments.text(value) if name == "name" else checked(name, value))
        return struct


def checked(name: str, value: Any) -> Any:
    """ctypes would truncate values that do not fit."""
    if isinstance(value, int) and not name.endswith("interval_ms"):
        signed = name.startswith("tx_power")
        return arguments.number(name, value, -(1 << 31) if signed else 0, (1 << 31) - 1 if signed else (1 << 32) - 1)
    return value


def configuration(pointer: Any) -> Configuration:
    struct = pointer.contents
    told = {name: getattr(struct, name) for name, field in FIELDS.items() if struct.fields & field}
    if "name" in told:
        told["name"] = convert.text(told["name"])
    if "motion_enabled" in told:
        told["motion_enabled"] = bool(told["motion_enabled"])
    return Configuration(**told)
