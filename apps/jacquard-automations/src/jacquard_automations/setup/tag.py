"""Binding the tag, and its first gesture."""

from __future__ import annotations

import asyncio

import jacquard
from jacquard_apps.system.together import within
from jacquard_apps.tags import target
from jacquard_apps.terminal import output

from .context import Context
from .dialogue import BAD, GOOD, PLAN

BIND, GESTURE = "tag", "gesture"
# A number that was mistyped is asked for again.
ATTEMPTS = 3
SIMULATED_NUMBER = "01ZK"


async def bind(context: Context) -> bool:
    known = await context.manager.known()
    if known:
        context.dialogue.say(BIND, GOOD, f"bound: {', '.join(map(target.name, known))}", "Another one: jacquardctl bind NUMBER")
        return True
    if not context.dialogue.is_interactive:
        context.dialogue.say(BIND, PLAN, "would ask for the number on the tag, and run: jacquardctl bind NUMBER")
        return True
    if not context.is_simulated:
        context.dialogue.hint("Hold the tag's button for three seconds until its light pulses.")
    for _ in range(ATTEMPTS):
        sample = f", such as {SIMULATED_NUMBER} of the software tag" if context.is_simulated else ""
        number = await context.dialogue.ask(f"The number printed on the tag, or its last four characters{sample}")
        if number is None:
            return False
        try:
            async with context.manager.bind(None, code=number, timeout=context.timeout) as connection:
                await target.tag_of(connection, number, quiet=False)
        except (jacquard.JacquardError, ValueError) as error:
            context.dialogue.say(BIND, BAD, str(error))
        else:
            context.dialogue.say(BIND, GOOD, f"{number} is bound to this machine", "To undo that: jacquardctl unbind")
            return True
    return False


async def gesture(context: Context) -> bool:
    known = await context.manager.known()
    if not context.dialogue.is_interactive:
        context.dialogue.say(GESTURE, PLAN, f"would wait for a gesture, such as {context.gesture}, as jacquardctl watch shows it")
        return True
    if not known:
        context.dialogue.say(GESTURE, BAD, "no tag is bound", "Repeat the step tag: jacquardctl setup tag")
        return False
    asked = "Now brush over the sleeve, toward the tag. Any other gesture will do as well."
    context.dialogue.hint("The software tag brushes by itself." if context.is_simulated else asked)
    try:
        made = await within(context.timeout, first(context.manager, known))
    except (jacquard.JacquardError, asyncio.TimeoutError) as error:
        text = str(error) or f"no gesture in {output.seconds(context.timeout)}"
        context.dialogue.say(GESTURE, BAD, text, "Attach the tag to its garment. What each tag does: jacquardctl watch")
        return False
    context.gesture = made
    context.dialogue.say(GESTURE, GOOD, f"I saw it: {made}")
    return True


async def first(manager: jacquard.Manager, known: list[jacquard.KnownTag]) -> str:
    """The name or number of the first gesture at any of these tags."""
    tasks = [asyncio.ensure_future(gesture_of(manager, tag)) for tag in known]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(iter(done)).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def gesture_of(manager: jacquard.Manager, tag: jacquard.KnownTag) -> str:
    async with manager.connect(tag.identifier, timeout=None) as connection, connection.events(jacquard.Gesture) as events:
        async for event in events:
            if not event.may_be_copy:
                return event.name or f"{event.type:d}"
    raise asyncio.TimeoutError
