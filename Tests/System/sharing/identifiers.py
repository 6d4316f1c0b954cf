"""The identifiers of devices, which the library derives from their addresses."""

import uuid

NAMESPACE = uuid.UUID("5b1c7e0d-8a43-4f52-9d6e-2a91c437f018")


def identifier(address: str) -> str:
    return str(uuid.uuid5(NAMESPACE, address))


def identifiers(count: int) -> list[str]:
    """Of the simulator's tags."""
    return [identifier(f"C0:1A:DA:00:00:{number:02X}") for number in range(count)]


def neighbours(count: int) -> list[str]:
    """Of the simulator's devices other than tags; the first is a keyboard, the second a headset."""
    return [identifier(f"D0:00:00:00:00:{number:02X}") for number in range(count)]
