"""Motion as a stream of the Lab Streaming Layer, with pylsl, which is imported when an outlet is created."""

from __future__ import annotations

from typing import Any

from .motion import MotionEvent, MotionSample, MotionSettings
from .motion_export import package

CHANNELS = (("ax", "g"), ("ay", "g"), ("az", "g"), ("gx", "dps"), ("gy", "dps"), ("gz", "dps"))
LIBRARY_ADVICE = (
    "Upgrade pylsl, which has liblsl since version 1.17, or install liblsl: "
    "https://github.com/sccn/liblsl/releases has packages for Debian and Ubuntu."
)


def pylsl() -> Any:
    """The module pylsl. ImportError: it is not installed; RuntimeError: it does not find liblsl."""
    try:
        return package("pylsl", "lsl")
    except RuntimeError as error:
        raise RuntimeError(f"pylsl cannot load liblsl. {LIBRARY_ADVICE}") from error


class Outlet:
    """A stream with six channels: acceleration in g and rotation in degrees per second. Samples have the time at which they
    were taken, on the clock of pylsl.local_clock(); lost samples are missing."""

    def __init__(self, name: str, settings: MotionSettings, source_id: str = "") -> None:
        """source_id: identifies the tag, such as its serial number, so that receivers find it again."""
        lsl = pylsl()
        info = lsl.StreamInfo(name, "Accelerometer", len(CHANNELS), settings.accelerometer_rate, lsl.cf_float32, source_id)
        channels = info.desc().append_child("channels")
        for label, unit in CHANNELS:
            channel = channels.append_child("channel")
            channel.append_child_value("label", label)
            channel.append_child_value("unit", unit)
        self._outlet = lsl.StreamOutlet(info)

    def push(self, event: MotionEvent) -> None:
        """Sends what connection.motion() yields."""
        if isinstance(event, MotionSample):
            # On Linux both clocks are CLOCK_MONOTONIC.
            self._outlet.push_sample([*event.acceleration, *event.rotation], event.time)

    @property
    def has_consumers(self) -> bool:
        """Whether a program receives the stream."""
        return bool(self._outlet.have_consumers())
