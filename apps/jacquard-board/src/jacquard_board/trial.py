"""Carries out the actions of a rule once, without its event."""

from __future__ import annotations

import asyncio
from typing import Any

from jacquard_apps.terminal import exits
from jacquard_automations.action import Action, ActionError, Resources, Run
from jacquard_automations.occasion import Link, Occasion, TagIdentity
from jacquard_automations.rules import Rule
from jacquard_automations.settings import Settings

# The facts of the event: a command can see that it is tried.
DETAILS: dict[str, Any] = {"event": "try"}
# The facts of a fader: in the middle, after one step up.
FADER: dict[str, Any] = {"value": 0.5, "change": 1, "steps": 20}


async def carried_out(rule: Rule, link: Link | None, settings: Settings) -> None:
    """Waits for its commands, which end if this is cancelled. Raises exits.Failure with each action that has failed."""
    problems: list[str] = []
    resources = Resources(settings, lambda kind, problem: None)
    details = {**DETAILS, **FADER} if rule.trigger.has_value else DETAILS
    occasion = Occasion(link or Link(TagIdentity("")), rule.trigger, details, 0)
    try:
        missing = [problem for action in rule.actions if (problem := action.problem())]
        if missing:
            raise exits.Failure("; ".join(missing))
        await resources.use(rule.actions)
        for action in rule.actions:
            problem = await result(action, rule, occasion, resources)
            if problem is not None:
                problems.append(f"{action}: {problem}")
    finally:
        await resources.close()
    if problems:
        raise exits.Failure("; ".join(problems))


async def result(action: Action, rule: Rule, occasion: Occasion, resources: Resources) -> str | None:
    """Why it has failed."""
    ended: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()

    def end(problem: str | None) -> None:
        if not ended.done():
            ended.set_result(problem)

    try:
        await action.act(Run(occasion, rule.label, resources, end))
        return await ended if action.ends_later else None
    except ActionError as error:
        return str(error)
