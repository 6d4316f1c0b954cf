"""Answers with light on the tag or its gear, or with a vibration of the gear."""

from __future__ import annotations

import dataclasses
from argparse import ArgumentTypeError

import jacquard
from jacquard import Haptic, Led
from jacquard_apps.effects import haptic, led
from jacquard_apps.tags.gear import played

from ..action import Action, ActionError, Run, written
from ..table import Table

LIGHT, VIBRATION = "led", "haptic"
KEYS = (LIGHT, VIBRATION)


@dataclasses.dataclass(frozen=True)
class Effect(Action):
    """text: the arguments of jacquardctl led or jacquardctl haptic."""

    key: str
    text: str
    effect: Led | Haptic = dataclasses.field(compare=False)
    is_on_gear: bool

    async def act(self, run: Run) -> str:
        link = run.occasion.link
        if link.tag is None:
            raise ActionError("the link to the tag is lost")
        if self.is_on_gear and link.gear is None:
            raise ActionError("no gear is attached to the tag")
        try:
            await played(self.effect, link.gear if self.is_on_gear and link.gear else link.tag.component)
        except (jacquard.JacquardError, ValueError) as error:
            raise ActionError(str(error)) from None
        return ""

    def __str__(self) -> str:
        return written(self.key, self.text)


def of(key: str, text: str) -> Effect:
    """Raises ArgumentTypeError."""
    if key == VIBRATION:
        return Effect(key, text, haptic.written(text), True)
    light, is_on_gear = led.written(text)
    return Effect(key, text, light, is_on_gear)


def read(table: Table, key: str) -> Action:
    try:
        return of(key, table.text(key) or "")
    except ArgumentTypeError as error:
        raise table.problem(str(error), key) from None
