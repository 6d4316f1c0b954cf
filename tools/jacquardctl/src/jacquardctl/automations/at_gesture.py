"""Carries out single actions at gestures of one tag, for jacquardctl watch."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Callable

import jacquard

from .action import Action, ActionError, Resources, Run
from .engine import boottime
from .events.gesture import GestureTrigger
from .occasion import Link, Occasion, TagIdentity
from .settings import Settings


class AtGesture:
    def __init__(self, identifier: str, serial: str, complain: Callable[[str], None]) -> None:
        self._link = Link(TagIdentity(identifier, serial))
        self._resources = Resources(Settings(), lambda kind, problem: complain(problem) if problem else None)

    async def use(self, actions: Collection[Action]) -> None:
        await self._resources.use(actions)

    def follow(self, tag: jacquard.Tag | None, gear: Any) -> None:
        """What is connected."""
        if tag is None:
            self._resources.link_lost(self._link.identity.identifier)
        self._link.tag, self._link.gear = tag, gear

    async def act(self, action: Action, gesture: jacquard.Gesture, ended: Callable[[str | None], None]) -> None:
        """ended: see Run; also called if it fails at once."""
        details = {"event": "gesture", "gesture": gesture.name, "gesture_number": int(gesture.number)}
        occasion = Occasion(self._link, GestureTrigger(str(gesture)), details, boottime())
        try:
            await action.act(Run(occasion, str(action), self._resources, ended))
        except ActionError as error:
            ended(str(error))

    async def close(self) -> None:
        await self._resources.close()
