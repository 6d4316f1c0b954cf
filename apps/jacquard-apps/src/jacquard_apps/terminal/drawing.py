"""Small drawings for terminals, from characters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

STEPS = "▁▂▃▄▅▆▇█"
SIGNAL = "▂▄▆█"
# dBm at which another bar is shown.
LIMITS = (-90, -80, -70, -60)
STRONGEST = 128
# Colours from no touch to the strongest.
HEAT = ("#3a4660", "#2f5fae", "#8a6a78", "#d97b38", "#ffb066", "#fff1df")


def signal(rssi: int | None) -> Text:
    """Bars and the number; empty if it is unknown."""
    from rich.text import Text

    if rssi is None:
        return Text("")
    count = sum(rssi >= limit for limit in LIMITS)
    color = "green" if count > 2 else "yellow" if count > 1 else "red"
    return Text.assemble((SIGNAL[:count], color), (SIGNAL[count:], "dim"), f" {rssi}")


def gauge(share: float, width: int, style: str) -> Text:
    from rich.text import Text

    filled = round(min(max(share, 0.0), 1.0) * width)
    return Text.assemble(("█" * filled, style), ("░" * (width - filled), "dim"))


def touch(lines: Sequence[float]) -> Text:
    """A column for each line, with its height and colour."""
    from rich.text import Text

    columns = Text()
    for strength in lines:
        share = min(strength / STRONGEST, 1.0)
        column = STEPS[round(share * (len(STEPS) - 1))]
        columns.append(column * 3 + " ", HEAT[round(share * (len(HEAT) - 1))])
    return columns
