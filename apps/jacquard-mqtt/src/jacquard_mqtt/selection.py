"""Which tags the bridge connects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import jacquard

from .schemas import validator
from .settings import UNSUITABLE, Selected
from .tag import Selection

INFO = validator("info")


def selected(configured: Sequence[Selected], known: Iterable[jacquard.KnownTag]) -> dict[str, Selection]:
    """The configured tags by topic, or if there are none, all bound tags."""
    bound = sorted(known, key=lambda tag: (tag.bound_at, tag.identifier))
    if not configured:
        return {name_of(tag): of_known(tag, name_of(tag)) for tag in bound}
    found = {}
    for entry in configured:
        wanted = entry.serial.upper()
        match = [tag for tag in bound if tag.serial.upper().endswith(wanted)]
        topic = entry.topic or (name_of(match[0]) if match else wanted)
        found[topic] = of_known(match[0], topic) if match else Selection(topic, wanted)
    return found


def name_of(tag: jacquard.KnownTag) -> str:
    return UNSUITABLE.sub("_", tag.serial) or tag.identifier


def of_known(tag: jacquard.KnownTag, topic: str) -> Selection:
    return Selection(topic, tag.serial, tag.identifier, tag.owner, tag.name)


def stored(payload: bytes) -> dict[str, Any]:
    """An `info` message of an earlier run; empty if it is not one."""
    try:
        value: dict[str, Any] = json.loads(payload)
        return value if INFO.is_valid(value) else {}
    except (ValueError, RecursionError):
        return {}
