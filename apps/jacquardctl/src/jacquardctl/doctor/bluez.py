"""Observable features of bluetoothd that depend on its version, which it does not report."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import time
from typing import Any

from jacquard_apps.terminal import exits

from . import subscribers
from .bus import Bus, BusError, Filtered

NAME = "org.bluez"
BUS = "org.freedesktop.DBus"
ADAPTER = "org.bluez.Adapter1"
DEVICE = "org.bluez.Device1"
BATTERIES = "org.bluez.BatteryProviderManager1"
CHARACTERISTIC = "org.bluez.GattCharacteristic1"
# Where distributions install bluetoothd.
PLACES = ("/usr/libexec/bluetooth", "/usr/lib/bluetooth", "/usr/sbin")

Objects = dict[str, dict[str, dict[str, Any]]]


@dataclasses.dataclass(frozen=True)
class Features:
    """True, False, or None if nothing shows whether the feature is present."""

    mtu: bool | None  # property of a characteristic, since 5.62
    bonded: bool | None  # distinct from paired, since 5.65
    power_state: bool | None  # property of the adapter, since 5.66
    takes_batteries: bool | None  # panels show a tag's battery; since 5.71, before only with experimental interfaces
    disconnect_reasons: bool | None  # signalled, since 5.83
    bearers: bool | None  # distinct for BR/EDR and LE, since 5.84

    @property
    def at_least(self) -> str:
        """The oldest release that has all features that were seen."""
        since = {
            "bearers": "5.84",
            "disconnect_reasons": "5.83",
            "power_state": "5.66",
            "bonded": "5.65",
            "mtu": "5.62",
        }
        return next((release for name, release in since.items() if getattr(self, name)), "")


@dataclasses.dataclass(frozen=True)
class Observation:
    """Everything that was observed."""

    adapters: dict[str, dict[str, Any]]
    devices: int
    features: Features
    subscribed: subscribers.Subscribed
    bus: str


def objects_of(bus: Bus) -> Objects:
    objects = bus.call(NAME, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    if not isinstance(objects, dict):
        raise BusError("malformed reply")
    return objects


def inspect() -> tuple[Observation | None, bool]:
    """The observation of bluetoothd, or None, and whether a sandbox replies instead. Blocks: call it outside the event loop."""
    try:
        with Bus() as bus:
            objects = objects_of(bus)
            bus_id = bus.call(BUS, "/org/freedesktop/DBus", BUS, "GetId")
            return interpret(objects, lambda path: introspected(bus, path), str(bus_id)), False
    except (BusError, OSError) as error:
        return None, isinstance(error, Filtered)


def observe() -> Observation | None:
    """None if bluetoothd cannot be queried. Blocks."""
    return inspect()[0]


def address(adapter: str) -> str:
    """The address of an adapter that is given by its name, such as hci0. Blocks."""
    observation = observe()
    if observation is None:
        text = f"bluetoothd does not answer, so the address of {adapter} is not known: see jacquardctl doctor."
        raise exits.Failure(text, exits.NO_BLUETOOTH)
    named = {path.rpartition("/")[2]: str(one.get("Address", "")) for path, one in observation.adapters.items()}
    if not named.get(adapter):
        available = ", ".join(f"{name} {address}" for name, address in sorted(named.items())) or "none"
        raise exits.Failure(f"There is no adapter {adapter}. Available: {available}.", exits.NO_BLUETOOTH)
    return named[adapter]


def devices_received(address: str, seconds: float) -> int | None:
    """How many devices of any kind this adapter receives in this time; None if that is unknown. Blocks."""
    try:
        with Bus() as bus:
            adapters = [path for path, interfaces in objects_of(bus).items() if interfaces.get(ADAPTER, {}).get("Address") == address]
            # Without a filter of its own, BlueZ reports every device to this program, and ends the discovery with it.
            for path in adapters:
                bus.call(NAME, path, ADAPTER, "StartDiscovery")
            time.sleep(seconds)
            devices = [interfaces.get(DEVICE, {}) for interfaces in objects_of(bus).values()]
            return sum("RSSI" in device and device.get("Adapter") in adapters for device in devices) if adapters else None
    except (BusError, OSError):
        return None


def introspected(bus: Bus, path: str) -> str:
    try:
        return str(bus.call(NAME, path, "org.freedesktop.DBus.Introspectable", "Introspect"))
    except BusError:
        return ""


def interpret(objects: Objects, introspect: Any, bus_id: str) -> Observation:
    adapters = {path: interfaces[ADAPTER] for path, interfaces in objects.items() if ADAPTER in interfaces}
    devices = [path for path, interfaces in objects.items() if DEVICE in interfaces]
    text = introspect(devices[0]) if devices else ""
    return Observation(
        adapters,
        len(devices),
        Features(
            mtu=has(objects, CHARACTERISTIC, "MTU"),
            bonded=has(objects, DEVICE, "Bonded"),
            power_state=has(objects, ADAPTER, "PowerState"),
            disconnect_reasons='signal name="Disconnected"' in text if text else None,
            takes_batteries=any(BATTERIES in objects[path] for path in adapters) if adapters else None,
            bearers=any("org.bluez.Bearer.LE1" in objects[path] for path in devices) if devices else None,
        ),
        subscribers.observed(objects, bus_id),
        bus_id,
    )


def has(objects: Objects, interface: str, property: str) -> bool | None:
    seen = [interfaces[interface] for interfaces in objects.values() if interface in interfaces]
    return any(property in properties for properties in seen) if seen else None


def installed() -> str | None:
    """The version of the installed bluetoothd, which may differ from the running one; None if not installed."""
    program = shutil.which("bluetoothd", path=":".join(PLACES))
    if program is None:
        return None
    try:
        ran = subprocess.run(
            [program, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=5
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return ran.stdout.strip()
