"""Vibration."""

from __future__ import annotations

import dataclasses
from ctypes import sizeof

from ._core import arguments
from ._native import structs
from .enums import HapticType

LONGEST = 65.535


@dataclasses.dataclass(frozen=True)
class Haptic:
    """A vibration: on and off times in seconds, and additional `repeats`. amplitude: percent."""

    on: float
    off: float = 0
    repeats: int = 0
    amplitude: int = 60
    type: HapticType = HapticType.SINE_INCREASE

    @classmethod
    def halt(cls) -> Haptic:
        """Stops the vibration."""
        return cls(on=0, amplitude=0, type=HapticType.HALT)

    def _struct(self) -> structs.Haptic:
        return structs.Haptic(
            struct_size=sizeof(structs.Haptic),
            type=self.type,
            on_ms=thousandths(self.on),
            off_ms=thousandths(self.off),
            amplitude=arguments.number("amplitude", self.amplitude, 0, 100),
            repeats=arguments.number("repeats", self.repeats, 0, 255),
        )


def thousandths(seconds: float) -> int:
    if not 0 <= seconds <= LONGEST:
        raise ValueError(f"{seconds} seconds is out of range; expected 0 to {LONGEST}")
    return round(seconds * 1000)
