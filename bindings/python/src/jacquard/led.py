"""LED patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ctypes import sizeof
from typing import Union

from ._core import arguments
from ._core.checks import constructed
from ._dataclass import dataclass
from ._native import structs
from .enums import LedType

Color = Union[str, int, "tuple[int, int, int]"]

COLORS = {
    "black": (0, 0, 0),
    "blue": (0, 0, 255),
    "cyan": (0, 255, 255),
    "green": (0, 255, 0),
    "magenta": (255, 0, 255),
    "orange": (255, 128, 0),
    "pink": (255, 96, 160),
    "purple": (128, 0, 255),
    "red": (255, 0, 0),
    "teal": (0, 128, 128),
    "white": (255, 255, 255),
    "yellow": (255, 255, 0),
}
# The names that programs use for animations.
PATTERNS = {
    "solid": LedType.SOLID,
    "breathe": LedType.BREATHING,
    "pulse": LedType.PULSING,
    "blink": LedType.SINGLE_BLINK,
    "double-blink": LedType.DOUBLE_BLINK,
    "triple-blink": LedType.TRIPLE_BLINK,
    "frames": LedType.CUSTOM,
}
HEXADECIMAL = re.compile("(#|0x)[0-9A-Fa-f]{6}")
THREE = re.compile("[0-9]{1,3}(,[0-9]{1,3}){2}")


def rgb(color: Color) -> tuple[int, int, int]:
    """A name, "#0af080", 0x0af080 (a number, or text), or three numbers of 0 to 255 ("10,240,128" as text)."""
    if isinstance(color, str):
        if color in COLORS:
            return COLORS[color]
        if HEXADECIMAL.fullmatch(color):
            return rgb(int(color[-6:], 16))
        if not THREE.fullmatch(color):
            raise ValueError(f"{color!r} is neither #rrggbb, 0xrrggbb, r,g,b nor one of {', '.join(COLORS)}")
        first, second, third = color.split(",")
        return rgb((int(first), int(second), int(third)))
    if isinstance(color, int):
        number = arguments.number("a colour", color, 0, 0xFFFFFF)
        return number >> 16, number >> 8 & 0xFF, number & 0xFF
    red, green, blue = (arguments.number("a colour's part", part, 0, 255) for part in color)
    return red, green, blue


@constructed
@dataclass(frozen=True)
class LedFrame:
    """One colour and its duration in seconds."""

    color: Color
    duration: float


@constructed
@dataclass(frozen=True)
class Led:
    """An LED pattern: frames in sequence, repeated until `duration` seconds have passed, or one of the tag's
    animations, such as Led.blink("teal", duration=2).

    intensity: percent, 1 to 100. toggle: sending the same pattern again stops it. resumable: continues after another
    pattern interrupted it.
    """

    frames: Sequence[LedFrame]
    type: LedType = LedType.CUSTOM
    duration: float | None = None
    intensity: int = 100
    toggle: bool = False
    resumable: bool = False
    halt_all: bool = False

    @classmethod
    def of(cls, type: LedType, color: Color, duration: float, intensity: int = 100) -> Led:
        return cls((LedFrame(color, duration),), type, duration, intensity)

    @classmethod
    def solid(cls, color: Color, duration: float, intensity: int = 100) -> Led:
        return cls.of(LedType.SOLID, color, duration, intensity)

    @classmethod
    def breathe(cls, color: Color, duration: float, intensity: int = 100) -> Led:
        return cls.of(LedType.BREATHING, color, duration, intensity)

    @classmethod
    def pulse(cls, color: Color, duration: float, intensity: int = 100) -> Led:
        return cls.of(LedType.PULSING, color, duration, intensity)

    @classmethod
    def blink(cls, color: Color, duration: float, intensity: int = 100) -> Led:
        return cls.of(LedType.SINGLE_BLINK, color, duration, intensity)

    @classmethod
    def off(cls) -> Led:
        """Stops all patterns."""
        return cls((), halt_all=True)

    def _struct(self) -> structs.LedPattern:
        frames = (structs.LedFrame * len(self.frames))(
            *(structs.LedFrame(*rgb(frame.color), 0, arguments.milliseconds("duration", frame.duration)) for frame in self.frames)
        )
        return structs.LedPattern(
            struct_size=sizeof(structs.LedPattern),
            type=self.type,
            frames=frames,
            frame_count=len(frames),
            duration_ms=0 if self.duration is None else arguments.milliseconds("duration", self.duration),
            intensity=arguments.number("intensity", self.intensity, 1, 100),
            toggle=self.toggle,
            resumable=self.resumable,
            halt_all=self.halt_all,
        )
