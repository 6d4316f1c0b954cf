"""The tag a command is about: an identifier, or a serial number to look for."""

import uuid

import jacquard


def connection(manager: jacquard.Manager, tag: str, timeout: float) -> jacquard.Connection:
    if is_identifier(tag):
        return manager.connect(tag, timeout=timeout)
    return manager.connect(serial=tag, timeout=timeout)


def is_identifier(tag: str) -> bool:
    try:
        return str(uuid.UUID(tag)) == tag.lower()
    except ValueError:
        return False
