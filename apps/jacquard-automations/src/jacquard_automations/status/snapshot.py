"""The status of jacquardctl run, as one JSON object."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jacquard
from jacquard_apps.tags import gear
from jacquard_apps.terminal import output

from ..action import Resources
from ..file import Automations
from ..followed_file import FollowedFile
from ..occasion import Link, TagIdentity
from ..reasons import Reason
from ..tags import Tags
from ..unit import UNIT
from . import standing
from .standing import Obstacle


async def running(followed: FollowedFile, tags: Tags, problems: Sequence[str], is_dry: bool) -> dict[str, Any]:
    """The status of this process. problems: those of a changed file that is not in effect."""
    automations = followed.automations
    obstacles = await asyncio.gather(*(standing.of_rule(automations, rule, followed.resources) for rule in automations.rules))
    general = [Obstacle(Reason.BLUETOOTH, tags.adapter_problem)] if tags.adapter_problem else []
    general += [Obstacle(Reason.INVALID_FILE, text) for text in problems]
    rules = []
    for rule, found in zip(automations.rules, obstacles):
        history = followed.engine.outcomes.of(rule)
        about = {
            "ran": history.ran,
            "not_run": history.not_run,
            "last": history.last.described() if history.last else None,
            "last_ran": history.last_ran.described() if history.last_ran else None,
        }
        rules.append({**standing.described(rule, [*found, *standing.of_tags(rule, tags.known, tags.links)]), **about})
    return {
        "process": os.getpid(),
        "file": str(followed.path.absolute()),
        "dry_run": is_dry,
        "obstacles": [obstacle.described() for obstacle in general],
        "tags": [described(link) for link in tags.links],
        "rules": rules,
    }


async def absent(path: Path, automations: Automations, known: Sequence[TagIdentity], unit: str) -> dict[str, Any]:
    """The status of a file that no jacquardctl run uses. unit: the state of the unit, as systemctl calls it."""
    resources = Resources(automations.settings, lambda kind, problem: None)
    try:
        found = await asyncio.gather(*(standing.of_rule(automations, rule, resources) for rule in automations.rules))
    finally:
        await resources.close()
    nothing = {"ran": 0, "not_run": 0, "last": None, "last_ran": None}
    rules = [
        {**standing.described(rule, [*obstacles, *standing.of_tags(rule, known, [])]), **nothing}
        for rule, obstacles in zip(automations.rules, found)
    ]
    text = "jacquardctl run does not run"
    if unit == "failed":
        advice = f"{UNIT} has failed. See: journalctl --user --unit {UNIT}"
    else:
        advice = "Run: jacquardctl run, or jacquardctl run --enable"
    general = [Obstacle(Reason.NOT_RUNNING, f"{text}. {advice}").described()]
    return {"process": None, "file": str(path.absolute()), "dry_run": False, "obstacles": general, "tags": [], "rules": rules}


def described(link: Link) -> dict[str, Any]:
    tag = link.identity
    return {
        "identifier": tag.identifier,
        "serial": tag.serial,
        "name": tag.name,
        "connected": link.tag is not None,
        "since": link.since,
        "problem": link.problem or None,
        "gear": gear_name(link.gear),
        "battery": output.plain(link.battery),
        "touch_mode": link.touch_mode is not None and link.touch_mode.mode is jacquard.TouchMode.CONTINUOUS,
    }


def gear_name(component: jacquard.Component | None) -> str | None:
    return None if component is None else gear.name(component.info)
