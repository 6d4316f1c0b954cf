"""Touch mode of the tags whose rules need it, and the taught gestures in their touches."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Callable

import jacquard
from jacquard_apps.system.together import first
from jacquard_apps.touch import touching

from .complaints import Complaints
from .occasion import TagIdentity
from .rules import Rule
from .toml_file import Invalid
from .trained import file
from .trained.episodes import PAUSE, Episode
from .trained.recogniser import Recogniser
from .triggers import Lines, TrainedGesture


def need_touches(rules: Sequence[Rule], tag: TagIdentity) -> bool:
    return any(rule.trigger.needs_touches and rule.selection.selects(tag) for rule in rules)


def need_trained(rules: Sequence[Rule], tag: TagIdentity) -> bool:
    return any(rule.trigger.needs_trained and rule.selection.selects(tag) for rule in rules)


def held_lines(rules: Sequence[Rule], tag: TagIdentity) -> list[Lines]:
    """The lines that rules for this tag want to be held, each once."""
    found = (rule.trigger.held for rule in rules if rule.selection.selects(tag))
    return [lines for lines in dict.fromkeys(found) if lines is not None]


def recognised(recogniser: Recogniser, episode: Episode) -> TrainedGesture | None:
    decision = recogniser.decide(episode)
    if decision is None or decision.gesture is None:
        return None
    return TrainedGesture(decision.gesture, decision.distance, episode.samples[-1].time + PAUSE)


class TaughtGestures:
    """The recogniser of the file of taught gestures, as it was last valid. The file is only read for rules that need it."""

    def __init__(self, complaints: Complaints) -> None:
        self._complaints = complaints
        self._is_needed = False
        self._recogniser = file.recogniser([])

    def use(self, is_needed: bool) -> None:
        if is_needed != self._is_needed:
            self._is_needed = is_needed
            self.read()

    def read(self) -> None:
        """Called when the file may have changed."""
        if not self._is_needed:
            return
        try:
            self._recogniser = file.recogniser(file.read(file.default_path()))
        except Invalid as error:
            self._complaints.works("gestures", None)
            self._complaints.report("gestures", None, str(error))
        else:
            self._complaints.works("gestures", None)

    def gesture(self, episode: Episode) -> TrainedGesture | None:
        return recognised(self._recogniser, episode)


class TouchSwitch:
    """Whether the rules need the touches of one tag."""

    def __init__(self, report: Callable[[jacquard.JacquardError], None]) -> None:
        """report: called when touches cannot be read; reading is tried again."""
        self._report = report
        self._is_on = False
        self._changed = asyncio.Event()

    def set(self, is_on: bool) -> None:
        self._is_on = is_on
        self._changed.set()

    async def follow(self, connection: jacquard.Connection, *readers: touching.Reader) -> None:
        """Sets touch mode while it is on, until it is cancelled."""
        while True:
            await self._wait(True)
            await first(touching.keep_reading(connection, self._report, *readers), self._wait(False))

    async def _wait(self, is_on: bool) -> None:
        while self._is_on != is_on:
            self._changed.clear()
            await self._changed.wait()
