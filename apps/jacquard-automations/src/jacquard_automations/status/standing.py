"""Why a rule cannot run now, before any event."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import time
from collections.abc import Sequence
from typing import Any

from jacquard import TouchMode
from jacquard_apps.system import processes
from jacquard_apps.system.together import within

from ..action import ActionError, Resources
from ..events.gesture import GestureTrigger
from ..file import Automations
from ..occasion import Link, TagIdentity
from ..reasons import Reason
from ..rules import Rule, unbound

# A bus or a broker that is stopped does not reply.
TIMEOUT = 1.5


@dataclasses.dataclass(frozen=True)
class Obstacle:
    reason: Reason
    text: str

    def described(self) -> dict[str, str]:
        return {"reason": self.reason.value, "text": self.text}


def of_machine(automations: Automations, rule: Rule) -> list[Obstacle]:
    """This call blocks: programs answer some of its questions."""
    if not rule.is_enabled:
        return [Obstacle(Reason.SWITCHED_OFF, "switched off with enabled = false")]
    problems = [rule.trigger.problem(), *(action.problem() for action in rule.actions)]
    access = [action.obstacle() for action in rule.actions if action.problem() is None]
    silenced = automations.silenced(rule)
    found = [Obstacle(Reason.MISSING, problem) for problem in problems if problem]
    found += [Obstacle(Reason.NO_ACCESS, problem) for problem in access if problem]
    return found + ([Obstacle(Reason.OTHER_RULE, silenced)] if silenced else [])


async def of_services(resources: Resources, rule: Rule) -> list[Obstacle]:
    """Services that the actions of a rule need and that cannot be reached, such as a bus."""
    found = []
    for action in rule.actions if rule.is_enabled else ():
        try:
            if action.problem() is None:
                await within(TIMEOUT, action.check(resources))
        except ActionError as error:
            found.append(Obstacle(Reason.UNREACHABLE, str(error)))
        except asyncio.TimeoutError:
            found.append(Obstacle(Reason.UNREACHABLE, f"{action}: the service that it needs does not reply"))
    return found


def of_tags(rule: Rule, known: Sequence[TagIdentity], links: Sequence[Link]) -> list[Obstacle]:
    """Why no tag can start the rule."""
    if not rule.is_enabled:
        return []
    if not any(rule.selection.selects(tag) for tag in known):
        texts = list(unbound([rule], known).values()) or [f"no bound tag has this: {rule.selection}"]
        return [Obstacle(Reason.UNBOUND, text) for text in texts]
    found = []
    for link in links:
        if rule.selection.selects(link.identity):
            obstacle = of_link(rule, link)
            if obstacle is None:
                return []
            found.append(obstacle)
    return found


def of_link(rule: Rule, link: Link) -> Obstacle | None:
    label = link.identity.label
    if link.tag is None:
        since = f"{label} has not been connected since {time.strftime('%H:%M', time.localtime(link.since))}"
        return Obstacle(Reason.LINK, f"{since}: {link.problem}" if link.problem else since)
    if rule.trigger.needs_gear and link.gear is None:
        return Obstacle(Reason.GEAR, f"{label} is not attached to gear")
    mode = link.touch_mode
    if not isinstance(rule.trigger, GestureTrigger) or mode is None or mode.mode is not TouchMode.CONTINUOUS:
        return None
    if mode.process == os.getpid():
        return None
    return Obstacle(Reason.TOUCH_MODE, f"{label} is in touch mode, set by {processes.setter(mode.process)}")


async def of_rule(automations: Automations, rule: Rule, resources: Resources) -> list[Obstacle]:
    """The obstacles that do not depend on a link."""
    machine = await asyncio.get_running_loop().run_in_executor(None, of_machine, automations, rule)
    return [*machine, *await of_services(resources, rule)]


def described(rule: Rule, obstacles: Sequence[Obstacle]) -> dict[str, Any]:
    return {
        "line": rule.line,
        "name": rule.name,
        "event": str(rule.trigger),
        "tags": list(rule.selection.words),
        "conditions": rule.conditions,
        "actions": list(map(str, rule.actions)),
        "obstacles": [obstacle.described() for obstacle in obstacles],
    }
