"""Vibration."""

from __future__ import annotations

from ctypes import sizeof

from ._core import arguments
from ._core.checks import constructed
from ._dataclass import dataclass
from ._native import structs
from .enums import HapticType

LONGEST = 65.535


@constructed
@dataclass(frozen=True)
class Haptic:
    """A vibration: on and off times in seconds, and additional `repeats`, or one of the vendor's vibrations, such as
    Haptic.named("alert"). amplitude: percent."""

    on: float
    off: float = 0
    repeats: int = 0
    amplitude: int = 60
    type: HapticType = HapticType.SINE_INCREASE

    @staticmethod
    def named(name: str) -> Haptic:
        """A vibration of the vendor's programs: insert, gesture, notification, error, alert; or off."""
        if name not in SYMBOLS:
            raise ValueError(f"{name!r} is not one of {', '.join(SYMBOLS)}")
        return SYMBOLS[name]

    @classmethod
    def halt(cls) -> Haptic:
        """Stops the vibration."""
        return cls(on=0, amplitude=0, type=HapticType.HALT)

    def _struct(self) -> structs.Haptic:
        return structs.Haptic(
            struct_size=sizeof(structs.Haptic),
            type=self.type,
            on_ms=thousandths("on", self.on),
            off_ms=thousandths("off", self.off),
            amplitude=arguments.number("amplitude", self.amplitude, 0, 100),
            repeats=arguments.number("repeats", self.repeats, 0, 255),
        )


# The vibrations that the vendor's programs play.
SYMBOLS = {
    "insert": Haptic(on=0.2),
    "gesture": Haptic(on=0.17),
    "notification": Haptic(on=0.17, off=0.03, repeats=1),
    "error": Haptic(on=0.17, off=0.05, repeats=3),
    "alert": Haptic(on=0.17, off=0.7, repeats=14),
    "off": Haptic.halt(),
}
WAVES = {
    "sine-up": HapticType.SINE_INCREASE,
    "sine-down": HapticType.SINE_DECREASE,
    "linear-up": HapticType.LINEAR_INCREASE,
    "linear-down": HapticType.LINEAR_DECREASE,
    "parabolic-up": HapticType.PARABOLIC_INCREASE,
    "parabolic-down": HapticType.PARABOLIC_DECREASE,
    "constant": HapticType.CONSTANT,
}


def thousandths(name: str, seconds: float) -> int:
    if not 0 <= seconds <= LONGEST:
        raise ValueError(f"{name} is {seconds}; expected 0 to {LONGEST} seconds")
    return round(seconds * 1000)
