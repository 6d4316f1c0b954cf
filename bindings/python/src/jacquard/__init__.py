"""Find, connect to and use Jacquard tags.

This is the asyncio API: it runs in the running loop (at a prompt, the loop of `python3 -m asyncio`). jacquard.blocking
is the same API without asyncio.
"""

from . import errors
from .component import Component
from .configuration import Configuration
from .connection import Connection
from .enums import (
    AdapterState,
    Capability,
    DisconnectReason,
    GestureNumber,
    HapticType,
    LedType,
    LogLevel,
    MotionActivity,
    MotionEnding,
    MotionFilter,
    Phase,
    Status,
    TagStatus,
    TouchMode,
    UpdateMode,
    UpdateOutcome,
    UpdatePhase,
    ValueType,
)
from .errors import *  # noqa: F403
from .events import Gear, Gesture, Name, Notification, RawData, RawValue, Touch
from .firmware import Firmware, UpdateProgress, UpdateResult
from .haptic import Haptic
from .led import Led, LedFrame
from .loaded_library import LoadedLibrary, loaded_library
from .manager import Manager
from .module import Module, ModuleLoad
from .motion import MotionEvent, MotionGap, MotionRestart, MotionSample, MotionSettings, MotionStatus, Session
from .motion_file import MotionAction, MotionCounts, MotionFile, MotionSamples
from .motion_writer import MotionWriter
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
    "GestureNumber",
    "Haptic",
    "HapticType",
    "KnownTag",
    "Led",
    "LedFrame",
    "LedType",
    "LoadedLibrary",
    "LogLevel",
    "Manager",
    "Module",
    "ModuleLoad",
    "MotionAction",
    "MotionActivity",
    "MotionCounts",
    "MotionEnding",
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
    "TouchMode",
    "UpdateMode",
    "UpdateOutcome",
    "UpdatePhase",
    "UpdateProgress",
    "UpdateResult",
    "ValueType",
    "loaded_library",
]
__all__ += errors.__all__
