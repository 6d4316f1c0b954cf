"""Prints what the kernel reports about the virtual keyboard of `jacquardctl run`, one device after the other.

"device" and "removed"; "KEY_A down TIME" and "KEY_A up TIME", with the kernel's time in seconds; and "sync".
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import evdev
from evdev import ecodes

FOLDER = Path("/dev/input")
NAME = "Jacquard keys"


def keyboards() -> Iterator[evdev.InputDevice]:
    """Opens the node of another device once, because that takes long in an emulated machine."""
    seen: set[Path] = set()
    while True:
        nodes = set(FOLDER.glob("event*"))
        for node in nodes - seen:
            with contextlib.suppress(OSError):  # it is removed
                device = evdev.InputDevice(node)
                if device.name == NAME:
                    nodes.remove(node)
                    yield device
                device.close()
        seen = nodes
        time.sleep(0.1)  # until the next look


def main() -> None:
    print("ready")
    for device in keyboards():
        print("device")
        try:
            for event in device.read_loop():
                if event.type == ecodes.EV_KEY:
                    print(ecodes.KEY[event.code], ("up", "down", "repeat")[event.value], f"{event.timestamp():.3f}")
                elif event.type == ecodes.EV_SYN:
                    print("sync")
        except OSError:
            print("removed")


main()
