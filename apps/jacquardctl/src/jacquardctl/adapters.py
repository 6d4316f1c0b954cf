"""Adapters by the names that Linux gives them, such as hci0."""

from __future__ import annotations

from . import exits


def address(adapter: str | None) -> str | None:
    """The address of an adapter given by name; an address is returned as it is. Blocks: call it outside the event loop."""
    if adapter is None or ":" in adapter:
        return adapter
    from .doctor import bluez

    observation = bluez.observe()
    if observation is None:
        text = f"bluetoothd does not answer, so the address of {adapter} is not known: see jacquardctl doctor."
        raise exits.Failure(text, exits.NO_BLUETOOTH)
    named = {path.rpartition("/")[2]: str(one.get("Address", "")) for path, one in observation.adapters.items()}
    if not named.get(adapter):
        available = ", ".join(f"{name} {address}" for name, address in sorted(named.items())) or "none"
        raise exits.Failure(f"There is no adapter {adapter}. Available: {available}.", exits.NO_BLUETOOTH)
    return named[adapter]
