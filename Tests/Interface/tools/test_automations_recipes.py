"""The recipes of docs/automations.md."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import Any

import jacquard
import places
import pytest
from desk import TAG, FakeDevice, Player, broker_fixture, bus_fixture, devices_fixture, subscriber  # noqa: F401
from jacquard_automations import file
from jacquard_automations.action import Resources
from jacquard_automations.complaints import Complaints
from jacquard_automations.engine import Engine
from jacquard_automations.occasion import Link
from jacquard_automations.triggers import LinkChange

# The recipes of docs/automations.md

PAGE = (places.ROOT / "docs" / "automations.md").read_text(encoding="utf-8")


RECIPES = dict(re.findall(r"^### ([^\n]*)\n\n```toml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))


COVER = jacquard.Gesture(jacquard.GestureType.COVER, "cover")


def gesture(name: str) -> jacquard.Gesture:
    (number,) = (number for number in jacquard.GestureType if str(number) == name)
    return jacquard.Gesture(number, name)


async def ran(text: str, *events: Any) -> list[str]:
    """The messages about the actions that these events run, with a light that is only noted."""
    shown: list[str] = []
    automations = file.parse(text)
    resources = Resources(automations.settings, lambda kind, problem: None)
    complaints = Complaints(shown.append)
    engine = Engine(resources, complaints, lambda rule, action, occasion, result: shown.append(f"{action} {result}".strip()))
    engine.use(automations.rules)
    await resources.use(automations.actions)
    for event in events:
        engine.take(Link(TAG), event)
    await engine.finished()
    await resources.finished()
    engine.close()
    await resources.close()
    return shown


def test_there_are_six_recipes() -> None:
    assert len(RECIPES) == 6 and len(PAGE.split()) <= 1020


def test_recipes_for_media(bus: str) -> None:
    with Player("mpv", "Playing") as player:
        shown = asyncio.run(ran(RECIPES["Skip the song"], COVER, gesture("brush-in")))
        assert shown[0] == 'media = "next" mpv' and player.line() == "Next"
        attached: Any = jacquard.Gear("component")
        events = [LinkChange(True), attached, jacquard.Gear(None)]
        shown = asyncio.run(ran(RECIPES["Pause when the jacket is taken off"], *events))
        assert shown == ['media = "pause" mpv'] and player.line() == "Pause"


def test_the_recipe_for_volume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wpctl").write_text("#!/bin/sh\n[ $1 != get-volume ] || echo Volume: 0.50\n")
    (tmp_path / "wpctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert asyncio.run(ran(RECIPES["Louder"], gesture("brush-up"))) == ['volume = "+5%" 50%']


def test_the_recipe_for_slides(devices: list[FakeDevice]) -> None:
    asyncio.run(ran(RECIPES["Turn slides"], gesture("brush-in"), gesture("brush-out")))
    assert sorted(code for type, code, value in devices[0].written if type and value) == [104, 109]


def test_the_recipe_for_the_battery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notify-send").write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/said\n')
    (tmp_path / "notify-send").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    asyncio.run(ran(RECIPES["Tell me when the battery is low"], jacquard.Battery(25, False), jacquard.Battery(19, False)))
    assert (tmp_path / "said").read_text() == "Jacquard The battery of the tag is low\n"


def test_the_recipe_for_a_lamp(broker: int) -> None:
    text = RECIPES["Switch a lamp"].replace('host = "localhost"', f'host = "127.0.0.1"\nport = {broker}')
    with subscriber(broker) as line:
        shown = asyncio.run(ran(text, gesture("double-tap")))
        assert line("zigbee2mqtt/") == 'zigbee2mqtt/lamp/set {"state": "TOGGLE"}' and len(shown) == 1
