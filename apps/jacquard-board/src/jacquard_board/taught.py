"""The gestures that were taught with jacquardctl gesture, and which of them the board's tags make in touch mode."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import Any, Callable

from jacquard_apps.system.file_watch import FileWatch
from jacquard_automations.followed_file import SETTLED
from jacquard_automations.toml_file import Invalid
from jacquard_automations.touches import recognised
from jacquard_automations.trained import file
from jacquard_automations.trained.episodes import Episode
from jacquard_automations.triggers import TrainedGesture


@dataclasses.dataclass(frozen=True)
class Made:
    """The last time that a gesture was made, on the board's clock, and how often it was."""

    time: float
    tag: str
    count: int


class Taught:
    def __init__(self, clock: Callable[[], float], changed: Callable[[], None]) -> None:
        self._clock = clock
        self._changed = changed
        self._path = file.default_path()
        self._gestures: list[file.Gesture] = []
        self._recogniser = file.recogniser([])
        self._made: dict[str, Made] = {}
        self._problem: str | None = None

    async def run(self) -> None:
        """Follows the file until it is cancelled."""
        try:
            with FileWatch(self._path, self._read, SETTLED):
                self._read()
                await asyncio.get_running_loop().create_future()
        except OSError as error:
            self._problem = f"the file cannot be watched: {error.strerror}"
            self._changed()
            await asyncio.get_running_loop().create_future()

    def _read(self) -> None:
        try:
            self._gestures = file.read(self._path)
        except Invalid as error:
            # The previous gestures stay in effect.
            self._problem = str(error)
        else:
            self._problem = None
            self._recogniser = file.recogniser(self._gestures)
            self._made = {one.name: self._made[one.name] for one in self._gestures if one.name in self._made}
        self._changed()

    def decide(self, episode: Episode, tag: str) -> TrainedGesture | None:
        """tag: its name, to show."""
        gesture = recognised(self._recogniser, episode) if self._gestures else None
        if gesture:
            before = self._made.get(gesture.name)
            self._made[gesture.name] = Made(self._clock(), tag, before.count + 1 if before else 1)
            self._changed()
        return gesture

    def snapshot(self) -> dict[str, Any]:
        return {"file": str(self._path), "problem": self._problem, "gestures": list(map(self._shown, self._gestures))}

    def _shown(self, gesture: file.Gesture) -> dict[str, Any]:
        made = self._made.get(gesture.name)
        return {
            "name": gesture.name,
            "examples": len(gesture.examples),
            "count": made.count if made else 0,
            "time": made.time if made else None,
            "tag": made.tag if made else None,
        }
