"""The library function that delivers each kind of event."""

from __future__ import annotations

import struct
from ctypes import c_char, string_at
from typing import Any, Callable, NamedTuple

from ._core import convert
from ._core.calls import Reference
from ._core.context import Context
from ._native import structs
from ._native.library import library
from .component import Component
from .enums import GestureType, TagStatus, TouchMode
from .events import Battery, Gear, Gesture, Name, Notification, RawData, RawValue, Touch, TouchModeReport
from .module import ModuleLoad, module


class EventSource(NamedTuple):
    # Returns the function: the library is not loaded before it is used.
    function: Callable[[], Any]
    # Converts the event at an address, which is only valid during the call.
    converted: Callable[[int, Context], Any]


def battery(address: int, _: Context) -> Battery:
    event = structs.BatteryEvent.from_address(address).battery.contents
    return Battery(event.percent, bool(event.charging))


def gear(address: int, context: Context) -> Gear[Component]:
    component = structs.Gear.from_address(address).component
    if not component:
        return Gear(None)
    return Gear(Component(context, Reference(library().jacquard_component_ref(component))))


def gesture(address: int, _: Context) -> Gesture:
    event = structs.Gesture.from_address(address)
    type, name = GestureType(event.type), convert.text(event.name)
    return Gesture(type, name, bool(event.may_be_copy), event.arrival_ns / 1e9)


def touch_mode(address: int, _: Context) -> TouchModeReport:
    event = structs.TouchModeReport.from_address(address)
    return TouchModeReport(TouchMode(event.mode), event.process)


def name(address: int, _: Context) -> Name:
    return Name(convert.text(structs.Name.from_address(address).name))


def module_load(address: int, _: Context) -> ModuleLoad:
    event = structs.ModuleLoad.from_address(address)
    return ModuleLoad(module(event.module.contents), TagStatus(event.tag_status))


# The connection, sequence, proximity, lines and arrival of structs.Touch, which are read in one step, because a tag sends
# 60 per second.
TOUCH = struct.Struct("@PIB12Bq")
touch_bytes = (c_char * TOUCH.size).from_address


def touch(address: int, _: Context) -> Touch:
    values = TOUCH.unpack(touch_bytes(address))
    return Touch(values[1], values[2], values[3:15], values[15] / 1e9)


def data(event: Any) -> bytes:
    return string_at(event.data, event.size)


def data_at(address: int) -> bytes:
    return data(structs.Bytes.from_address(address))


# The kinds that events() without arguments delivers.
DECODED = {
    Battery: EventSource(lambda: library().jacquard_connection_on_battery, battery),
    Gear: EventSource(lambda: library().jacquard_connection_on_gear, gear),
    Gesture: EventSource(lambda: library().jacquard_connection_on_gesture, gesture),
    Name: EventSource(lambda: library().jacquard_connection_on_name, name),
    Touch: EventSource(lambda: library().jacquard_connection_on_touch, touch),
}
ON_REQUEST = {
    ModuleLoad: EventSource(lambda: library().jacquard_connection_on_module_load, module_load),
    Notification: EventSource(lambda: library().jacquard_connection_on_notification, lambda address, _: Notification(data_at(address))),
    RawData: EventSource(lambda: library().jacquard_connection_on_raw_data, lambda address, _: RawData(data_at(address))),
    RawValue: EventSource(lambda: library().jacquard_connection_on_raw_value, lambda address, _: RawValue(data_at(address))),
    TouchModeReport: EventSource(lambda: library().jacquard_connection_on_touch_mode, touch_mode),
}
SOURCES: dict[Any, EventSource] = {**DECODED, **ON_REQUEST}
