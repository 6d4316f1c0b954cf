"""A gesture that the library derives from touches. The tag is in touch mode while a rule has this event."""

from __future__ import annotations

import dataclasses
from typing import Any

import jacquard

from ..held import described, read_lines
from ..table import Table
from ..triggers import Details, Lines, Trigger, Watch

KEYS = ("touch",)
WORDS = tuple(map(str, jacquard.TouchGestureType))


@dataclasses.dataclass(frozen=True)
class TouchTrigger(Trigger):
    kind: str
    held: Lines | None = None

    needs_touches = True

    def watch(self) -> Watch:
        return TouchWatch(self.kind)

    def __str__(self) -> str:
        return f"touch {self.kind}{described(self.held)}"


class TouchWatch(Watch):
    def __init__(self, kind: str) -> None:
        self._kind = kind

    def take(self, event: Any, now: float) -> Details | None:
        if not isinstance(event, jacquard.TouchGesture) or str(event.type) != self._kind:
            return None
        measured = {name: round(getattr(event, name), 2) for name in ("position", "distance", "speed")}
        return {"event": "touch", "touch": self._kind, "fingers": event.fingers, **measured}


def read(table: Table, key: str) -> Trigger:
    return TouchTrigger(table.choice(key, WORDS) or "", read_lines(table))
