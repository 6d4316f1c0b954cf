"""Programs that are subscribed to a tag without this library. bluetoothd reports each value once per subscriber."""

from __future__ import annotations

import dataclasses
import uuid
from pathlib import Path
from typing import Any

SOCKETS = Path("/proc/net/unix")
SERVICE = "d2f2bf0d-d165-445c-b0e1-2d6b642ec57b"
# Identifiers of tags are made from it (TagIdentifier.swift).
NAMESPACE = uuid.UUID("5b1c7e0d-8a43-4f52-9d6e-2a91c437f018")


@dataclasses.dataclass(frozen=True)
class Subscribed:
    """Addresses of tags with subscribers.

    foreign: no program on the bus uses the tag through this library, so the subscriber is another program. hidden: a
    program does, and BlueZ does not say whether it is the only subscriber.
    """

    foreign: list[str]
    hidden: list[str]


def observed(objects: dict[str, dict[str, dict[str, Any]]], bus: str, sockets: Path = SOCKETS) -> Subscribed:
    used = claimed(bus, sockets)
    addresses = sorted(subscribed(objects))
    return Subscribed(
        [address for address in addresses if identifier(address) not in used],
        [address for address in addresses if identifier(address) in used],
    )


def subscribed(objects: dict[str, dict[str, dict[str, Any]]]) -> set[str]:
    """Addresses of tags with a notifying characteristic."""
    addresses = set()
    for interfaces in objects.values():
        characteristic = interfaces.get("org.bluez.GattCharacteristic1", {})
        if not characteristic.get("Notifying"):
            continue
        service = objects.get(characteristic.get("Service", ""), {}).get("org.bluez.GattService1", {})
        device = objects.get(service.get("Device", ""), {}).get("org.bluez.Device1", {})
        if str(service.get("UUID", "")).lower() == SERVICE and device.get("Address"):
            addresses.add(str(device["Address"]))
    return addresses


def identifier(address: str) -> str:
    return str(uuid.uuid5(NAMESPACE, address.upper()))


def claimed(bus: str, sockets: Path = SOCKETS) -> set[str]:
    """Identifiers of the tags that programs of all users use through this library: each holds a socket of that name.

    bus is its id, as GetId of the bus returns it.
    """
    try:
        lines = sockets.read_text(errors="replace").splitlines()
    except OSError:
        return set()
    names = [line.rsplit(" ", 1)[-1] for line in lines]
    prefix = f"@jacquard/{bus}/"
    return {name.removeprefix(prefix) for name in names if name.startswith(prefix)}
