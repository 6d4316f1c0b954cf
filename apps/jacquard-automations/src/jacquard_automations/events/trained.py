"""A gesture that the user has taught: see jacquardctl gesture."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..table import Table, expectation, shown
from ..toml_file import Invalid
from ..trained import file
from ..triggers import Details, TrainedGesture, Trigger, Watch

KEYS = ("trained",)


@dataclasses.dataclass(frozen=True)
class TrainedTrigger(Trigger):
    gesture: str

    needs_touches = needs_trained = True

    def watch(self) -> Watch:
        return TrainedWatch(self.gesture)

    def problem(self) -> str | None:
        try:
            names = [gesture.name for gesture in file.read(file.default_path())]
        except Invalid as error:
            return str(error)
        if self.gesture in names:
            return None
        rest = expectation(self.gesture, names) if names else "none has: see jacquardctl gesture teach"
        return f"no gesture {shown(self.gesture)} has been taught; {rest}"

    def __str__(self) -> str:
        return f"trained {self.gesture}"


class TrainedWatch(Watch):
    def __init__(self, gesture: str) -> None:
        self._gesture = gesture

    def take(self, event: Any, now: float) -> Details | None:
        if not isinstance(event, TrainedGesture) or event.name != self._gesture:
            return None
        return {"event": "trained", "trained": event.name, "distance": round(event.distance, 3)}


def read(table: Table, key: str) -> Trigger:
    name = table.text(key) or ""
    if not file.is_name(name):
        raise table.problem(f"{shown(name)} cannot be the name of a gesture", key)
    return TrainedTrigger(name)
