"""The first rule: written into the file, and run from each login on."""

from __future__ import annotations

import importlib
import json
import shlex

from jacquard_apps.terminal import exits

from .. import edit, file, toml_file
from ..rules import Rule
from ..table import Problem
from ..unit import UNIT, enable, output_of_systemctl
from .context import Context
from .dialogue import BAD, GOOD, PLAN
from .offers import Offer, offers

RULE, START = "rule", "unit"


async def add(context: Context) -> bool:
    existing = rules_for(context)
    if existing:
        context.line = existing[0].line
        actions = "; ".join(map(str, existing[0].actions))
        text = f"{context.path}:{context.line}: {context.gesture} already has a rule, which stays: {actions}"
        context.dialogue.say(RULE, GOOD, text, "To add another one: jacquardctl run --add")
        return True
    event = f"gesture = {json.dumps(context.gesture)}"
    if not context.dialogue.is_interactive:
        words = ["jacquardctl", "run", "--add", event, "--do", 'media = "next"']
        context.dialogue.say(RULE, PLAN, f"would ask what {context.gesture} does, and run, for example: {shlex.join(words)}")
        return True
    action = await chosen(context)
    if action is None:
        return False
    try:
        context.line = edit.edit(context.path, None, edit.rule_of(event, [action]))
    except (Problem, toml_file.Invalid) as error:
        context.dialogue.say(RULE, BAD, str(error), "Nothing was changed. Check the file: jacquardctl run --check")
        return False
    text = f"{context.path}:{context.line}: {event} runs {action}"
    context.dialogue.say(RULE, GOOD, text, f"To undo that: jacquardctl run --remove {context.line}")
    return True


def rules_for(context: Context) -> list[Rule]:
    """The rules of the file that begin with this gesture."""
    if not context.path.exists():
        return []
    try:
        rules = file.read(context.path).rules
    except toml_file.Invalid:
        return []
    return [rule for rule in rules if str(rule.trigger) == context.gesture]


async def chosen(context: Context) -> str | None:
    """The text of an action that can be carried out here, or None."""
    found = await offers()
    options = [one.text + (f"; not yet: {one.lack.partition('. ')[0]}" if one.lack else "") for one in found]
    number = await context.dialogue.choose(f"What {context.gesture} does", options)
    if number is None:
        return None
    offer = found[number]
    if not offer.action:
        command = await context.dialogue.ask("The command, for the shell")
        return None if command is None else f"shell = {json.dumps(command, ensure_ascii=False)}"
    return offer.action if await is_usable(context, offer) else None


async def is_usable(context: Context, offer: Offer) -> bool:
    action = offer.read
    assert action is not None
    if action.problem() is not None:
        await context.dialogue.install(RULE, offer.package)
        importlib.invalidate_caches()
    if offer.lack:
        context.dialogue.say(RULE, BAD, offer.lack, "Nothing was changed. Repeat this step: jacquardctl setup rule")
    return not offer.lack


async def start(context: Context) -> bool:
    """Turns on the user unit. One that is on stays as it is."""
    if context.is_simulated:
        context.dialogue.say(START, GOOD, f"{UNIT} is not for software tags; the next step runs the rule")
        return True
    state = await output_of_systemctl("is-enabled", UNIT)
    is_active = await output_of_systemctl("is-active", UNIT) == "active"
    if state == "enabled" and is_active:
        context.is_started = True
        context.dialogue.say(START, GOOD, f"{UNIT} is on, and stays so", "To turn it off: jacquardctl run --disable")
        return True
    if not context.dialogue.is_interactive:
        context.dialogue.say(START, PLAN, "would run: jacquardctl run --enable")
        return True
    if not await context.dialogue.confirmed("Run the rules now and from each login on?"):
        return False
    try:
        await enable(context.path)
    except exits.Failure as failure:
        context.dialogue.say(START, BAD, str(failure), "Without it, start jacquardctl run yourself.")
        return False
    context.is_started = True
    context.dialogue.say(START, GOOD, f"{UNIT} is on")
    return True
