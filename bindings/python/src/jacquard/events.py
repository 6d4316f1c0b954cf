"""What a tag sends by itself: where each kind comes from."""

import dataclasses
from typing import Any, Callable

from ._core import convert
from ._native import callbacks
from .values import Battery


@dataclasses.dataclass(frozen=True)
class EventSource:
    function: str
    callback: Any
    converted: Callable[[Any], Any]


EVENTS: dict[Any, EventSource] = {
    Battery: EventSource("jacquard_connection_on_battery", callbacks.BatteryEventCallback, convert.battery),
}
