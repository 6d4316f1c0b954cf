"""The tag's LED as a lamp, with a colour, a brightness and an effect that are remembered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import jacquard
from jacquard.led import PATTERNS, rgb

BRIGHTEST = 255
# A custom pattern needs frames; a lamp has one colour.
EFFECTS = {name: type for name, type in PATTERNS.items() if type is not jacquard.LedType.CUSTOM}


class Light:
    def __init__(self, publish: Callable[[dict[str, Any]], None], seconds: int) -> None:
        # A tag plays a pattern for a limited time, and its battery is small.
        self.seconds = seconds
        self._publish = publish
        self._value: dict[str, Any] = {
            "state": "off",
            "color": [255, 255, 255],
            "brightness": BRIGHTEST,
            "effect": "solid",
        }
        self._end: asyncio.TimerHandle | None = None
        publish(self._value)

    async def set(self, tag: jacquard.Tag, change: dict[str, Any]) -> dict[str, Any]:
        """Switches the lamp; values that `change` does not contain stay unchanged."""
        value = {**self._value, **change}
        color = rgb(color_of(value["color"]))
        value["color"] = list(color)
        if value["state"] == "on":
            # The tag's intensity is in percent, and 0 is not allowed.
            intensity = max(1, round(value["brightness"] * 100 / BRIGHTEST))
            await tag.led(jacquard.Led.of(EFFECTS[value["effect"]], color, self.seconds, intensity))
            self._show(value, self.seconds)
        else:
            await tag.led(jacquard.Led.off())
            self._show(value, None)
        return value

    def ended(self) -> None:
        """Called when the pattern or its link has ended."""
        self._show({**self._value, "state": "off"}, None)

    def _show(self, value: dict[str, Any], seconds: float | None) -> None:
        if self._end is not None:
            self._end.cancel()
        self._end = None if seconds is None else asyncio.get_running_loop().call_later(seconds, self.ended)
        self._value = value
        self._publish(value)


def color_of(value: Any) -> Any:
    """JSON has lists instead of tuples."""
    return tuple(value) if isinstance(value, list) else value
