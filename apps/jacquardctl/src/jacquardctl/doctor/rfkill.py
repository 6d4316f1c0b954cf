"""The kernel's rfkill switches."""

from __future__ import annotations

import dataclasses
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Switch:
    name: str
    hard: bool
    soft: bool


def switches(sys: Path) -> list[Switch]:
    """The switches of Bluetooth, if the kernel has any."""
    found = []
    for folder in sorted((sys / "class" / "rfkill").glob("*")):
        try:
            kind, soft, hard = ((folder / name).read_text().strip() for name in ("type", "soft", "hard"))
        except OSError:
            continue
        if kind == "bluetooth":
            found.append(Switch(folder.name, hard == "1", soft == "1"))
    return found


def controllers(sys: Path) -> list[str]:
    """The kernel's Bluetooth controllers, even if bluetoothd does not export them. Links appear there too."""
    return sorted(path.name for path in (sys / "class" / "bluetooth").glob("hci*") if ":" not in path.name)
