"""Derives the cause and the advice from the observations."""

from __future__ import annotations

import dataclasses
import errno
import getpass
from typing import Any

import jacquard

from .bluez import Observation
from .finding import Finding
from .rfkill import Switch


@dataclasses.dataclass(frozen=True)
class Machine:
    """Observations in addition to the library's error."""

    switches: list[Switch]
    controllers: list[str]
    installed: str | None
    observation: Observation | None
    # Whether a sandbox replies instead of bluetoothd.
    filtered: bool = False


def diagnosis(adapter: jacquard.Adapter | None, machine: Machine) -> Finding:
    """The first cause to resolve."""
    if adapter is None:
        return blamed(
            "silence", "The bus or bluetoothd does not respond.", "See its log: journalctl -b -u dbus -u bluetooth"
        )
    if adapter.usable:
        return Finding("adapter", True, f"{adapter.address} {adapter.name}, powered on")
    if isinstance(adapter.error, (jacquard.BusUnavailableError, jacquard.BusAddressError)):
        return no_bus(adapter.error)
    if isinstance(adapter.error, jacquard.BluezUnavailableError):
        return no_bluetoothd(machine)
    if isinstance(adapter.error, jacquard.PermissionDeniedError):
        return permission_denied(adapter.error, machine)
    if isinstance(adapter.error, jacquard.NoAdapterError):
        return no_adapter(adapter.error, machine)
    if isinstance(adapter.error, jacquard.PoweredOffError):
        return off(machine)
    error = adapter.error
    text = "Bluetooth cannot be used." if error is None else error.message
    return blamed("other", text, "" if error is None else error.advice)


def blamed(cause: str, text: str, advice: str, **details: Any) -> Finding:
    return Finding("adapter", False, text, advice, cause, details)


def no_bus(error: jacquard.JacquardError) -> Finding:
    if error.details.system_errno in (errno.EACCES, errno.EPERM, errno.EAFNOSUPPORT):
        return blamed("sandbox", f"This program may not use the D-Bus daemon. {error.message}", error.advice)
    return blamed(
        "no-bus",
        f"No D-Bus daemon is reachable from here. {error.message}",
        "Start it: sudo systemctl start dbus. In a container, mount /run/dbus from the host. "
        "If $DBUS_SYSTEM_BUS_ADDRESS is set, check its value.",
    )


def no_bluetoothd(machine: Machine) -> Finding:
    text = "bluetoothd, the system's Bluetooth service, is not running."
    if machine.installed is None:
        return blamed("no-bluetoothd", f"{text} It is not installed.", "Install it: sudo apt install bluez")
    return blamed(
        "no-bluetoothd",
        text,
        "Start it: sudo systemctl enable --now bluetooth. If it stops again: journalctl -b -u bluetooth",
    )


def permission_denied(error: jacquard.PermissionDeniedError, machine: Machine) -> Finding:
    if machine.filtered:
        return blamed("sandbox", error.message, error.advice)
    return blamed(
        "permission-denied",
        f"The system does not allow {user()} to use Bluetooth.",
        f"Join the group bluetooth: sudo adduser {user()} bluetooth, then log in again. Or log in at the machine itself. "
        "The rules are in bluetooth.conf in /etc/dbus-1/system.d and /usr/share/dbus-1/system.d.",
    )


def no_adapter(error: jacquard.JacquardError, machine: Machine) -> Finding:
    adapters = machine.observation.adapters if machine.observation else {}
    others = [properties.get("Address", "") for properties in adapters.values()]
    if others:
        return blamed("no-adapter", error.message, f"Available adapters: {', '.join(others)}")
    if machine.controllers:
        return blamed(
            "no-adapter",
            f"The kernel has {', '.join(machine.controllers)}, but bluetoothd does not export it.",
            "Restart it: sudo systemctl restart bluetooth. If that does not help, see: sudo dmesg | grep -i bluetooth",
        )
    return blamed(
        "no-adapter",
        "The kernel has found no Bluetooth adapter.",
        "Plug one in, or enable the built-in one in the firmware setup. "
        "If there is one, its driver or firmware may be missing: sudo dmesg | grep -i bluetooth",
    )


def off(machine: Machine) -> Finding:
    hard = [switch.name for switch in machine.switches if switch.hard]
    soft = [switch.name for switch in machine.switches if switch.soft]
    if hard:
        return blamed(
            "blocked-hard",
            f"Bluetooth is blocked by a switch or key on the machine ({', '.join(hard)}).",
            "Use that switch or key; software cannot unblock it.",
        )
    if soft or blocked(machine.observation):
        names = f" ({', '.join(soft)})" if soft else ""
        return blamed(
            "blocked",
            f"Bluetooth is blocked, for example by flight mode{names}.",
            "Run: rfkill unblock bluetooth. Or turn off flight mode.",
        )
    return blamed("powered-off", "The Bluetooth adapter is powered off.", "Run: bluetoothctl power on")


def blocked(observation: Observation | None) -> bool:
    adapters = {} if observation is None else observation.adapters
    return any(properties.get("PowerState") == "off-blocked" for properties in adapters.values())


def user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "this user"
