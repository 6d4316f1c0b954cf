"""Find, connect to and use Jacquard tags.

This is the asyncio API: it runs in the running loop (at a prompt, the loop of `python3 -m asyncio`). jacquard.blocking
is the same API without asyncio.
"""

from typing import TYPE_CHECKING, Any

from . import errors
from .component import Component
from .configuration import Configuration
from .connection import Connection
from .enums import (
    AdapterState,
    Capability,
    DisconnectReason,
    GestureType,
    HapticType,
    LedType,
    LineHealth,
    LogLevel,
    MotionActivity,
    MotionEnd,
    MotionFilter,
    Phase,
    Status,
    TagStatus,
    TouchGestureType,
    TouchMode,
    TouchPhase,
    UpdateMode,
    UpdateOutcome,
    UpdatePhase,
    ValueType,
)
from .errors import *  # noqa: F403
from .events import Gear, Gesture, Name, Notification, RawData, RawValue, Touch, TouchModeReport
from .loaded_library import LoadedLibrary, loaded_library
from .manager import Manager
from .module import Module, ModuleLoad
from .stream import Stream
from .subscription import Subscription
from .tag import Tag
from .values import (
    Adapter,
    Advertisement,
    Battery,
    ComponentInfo,
    ConnectionState,
    Counters,
    KnownTag,
    Restoration,
    TagInfo,
)

if TYPE_CHECKING:
    from .firmware import Firmware, UpdateProgress, UpdateResult
    from .haptic import Haptic
    from .led import Led, LedFrame
    from .motion import MotionEvent, MotionGap, MotionRestart, MotionSample, MotionSettings, MotionStatus, Session
    from .motion_file import MotionAction, MotionCounts, MotionFile, MotionSamples
    from .motion_writer import MotionWriter
    from .touch_tracker import TouchGesture, TouchPoint, TouchTracker

__version__ = "0.1.0"

__all__ = [
    "Adapter",
    "AdapterState",
    "Advertisement",
    "Battery",
    "Capability",
    "Component",
    "ComponentInfo",
    "Configuration",
    "Connection",
    "ConnectionState",
    "Counters",
    "DisconnectReason",
    "Firmware",
    "Gear",
    "Gesture",
    "GestureType",
    "Haptic",
    "HapticType",
    "KnownTag",
    "Led",
    "LedFrame",
    "LedType",
    "LineHealth",
    "LoadedLibrary",
    "LogLevel",
    "Manager",
    "Module",
    "ModuleLoad",
    "MotionAction",
    "MotionActivity",
    "MotionCounts",
    "MotionEnd",
    "MotionEvent",
    "MotionFile",
    "MotionFilter",
    "MotionGap",
    "MotionRestart",
    "MotionSample",
    "MotionSamples",
    "MotionSettings",
    "MotionStatus",
    "MotionWriter",
    "Name",
    "Notification",
    "Phase",
    "RawData",
    "RawValue",
    "Restoration",
    "Session",
    "Status",
    "Stream",
    "Subscription",
    "Tag",
    "TagInfo",
    "TagStatus",
    "Touch",
    "TouchGesture",
    "TouchGestureType",
    "TouchMode",
    "TouchModeReport",
    "TouchPhase",
    "TouchPoint",
    "TouchTracker",
    "UpdateMode",
    "UpdateOutcome",
    "UpdatePhase",
    "UpdateProgress",
    "UpdateResult",
    "ValueType",
    "loaded_library",
]
__all__ += errors.__all__

# Modules that are loaded when one of their names is used.
_LATER = {
    "firmware": ["Firmware", "UpdateProgress", "UpdateResult"],
    "haptic": ["Haptic"],
    "led": ["Led", "LedFrame"],
    "motion": [
        "MotionEvent",
        "MotionGap",
        "MotionRestart",
        "MotionSample",
        "MotionSettings",
        "MotionStatus",
        "Session",
    ],
    "motion_file": ["MotionAction", "MotionCounts", "MotionFile", "MotionSamples"],
    "motion_writer": ["MotionWriter"],
    "touch_tracker": ["TouchGesture", "TouchPoint", "TouchTracker"],
}


# Type checkers would accept any name.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        for module, names in _LATER.items():
            if name == module:
                return import_module(f".{module}", __name__)
            if name in names:
                globals()[name] = value = getattr(import_module(f".{module}", __name__), name)
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
