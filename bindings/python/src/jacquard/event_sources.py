"""The library function that delivers each kind of event."""

from __future__ import annotations

import dataclasses
from ctypes import string_at
from typing import Any, Callable

from ._core import convert
from ._core.calls import Reference
from ._core.context import Context
from ._native import callbacks
from ._native.library import library
from .component import Component
from .enums import GestureNumber
from .events import Battery, Gear, Gesture, Name, Notification, RawData, RawValue, Touch


@dataclasses.dataclass(frozen=True)
class EventSource:
    function: str
    callback: Any
    converted: Callable[[Any, Context], Any]


def gear(struct: Any, context: Context) -> Gear[Component]:
    if not struct.component:
        return Gear(None)
    return Gear(Component(context, Reference(library().jacquard_component_ref(struct.component))))


def data(struct: Any) -> bytes:
    return string_at(struct.data, struct.size)


# The kinds that events() without arguments delivers.
DECODED = {
    Battery: EventSource(
        "jacquard_connection_on_battery",
        callbacks.BatteryEventCallback,
        lambda struct, _: Battery(struct.percent, bool(struct.charging)),
    ),
    Gear: EventSource("jacquard_connection_on_gear", callbacks.GearCallback, gear),
    Gesture: EventSource(
        "jacquard_connection_on_gesture",
        callbacks.GestureCallback,
        lambda struct, _: Gesture(GestureNumber(struct.number), convert.text(struct.name)),
    ),
    Name: EventSource(
        "jacquard_connection_on_name",
        callbacks.NameCallback,
        lambda struct, _: Name(convert.text(struct.name)),
    ),
    Touch: EventSource(
        "jacquard_connection_on_touch",
        callbacks.TouchCallback,
        lambda struct, _: Touch(struct.sequence, struct.proximity, tuple(struct.lines)),
    ),
}
UNDECODED = {
    Notification: EventSource(
        "jacquard_connection_on_notification",
        callbacks.BytesCallback,
        lambda struct, _: Notification(data(struct)),
    ),
    RawData: EventSource(
        "jacquard_connection_on_raw_data",
        callbacks.BytesCallback,
        lambda struct, _: RawData(data(struct)),
    ),
    RawValue: EventSource(
        "jacquard_connection_on_raw_value",
        callbacks.BytesCallback,
        lambda struct, _: RawValue(data(struct)),
    ),
}
SOURCES: dict[Any, EventSource] = {**DECODED, **UNDECODED}
