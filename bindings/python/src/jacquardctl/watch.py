"""jacquardctl watch"""

import argparse
import asyncio
import datetime
from typing import Any

import jacquard

from . import exits, output, target
from .reactions import Reactions


async def watch(manager: jacquard.Manager, arguments: argparse.Namespace) -> int:
    async with target.connection(manager, arguments.tag, arguments.timeout) as connection:
        states = show_states(connection, arguments.json)
        events = show_events(connection, arguments.json, Reactions(arguments.on))
        # Ends with the connection, or at the first word to either that cannot be written.
        await asyncio.gather(states, events)
    return exits.OK


async def show_states(connection: jacquard.Connection, as_json: bool) -> None:
    async for state in connection.states():
        if as_json:
            members = {name: value for name, value in vars(state).items() if name != "tag"}
            say(True, "", event="state", **members)
        else:
            reason = f" ({state.reason})" if state.reason else ""
            say(False, f"{state.phase.name.lower()} {state.step}/{state.total_steps}{reason}")


async def show_events(connection: jacquard.Connection, as_json: bool, reactions: Reactions) -> None:
    async for event in connection.events():
        name = type(event).__name__.lower()
        say(as_json, f"{name} {described(event)}", event=name, **output.members_of(event))
        if isinstance(event, jacquard.Gesture):
            reactions.to(event)


def described(event: Any) -> str:
    if isinstance(event, jacquard.Gear):
        return "none" if event.component is None else gear_name(event.component.info)
    return str(event)


def gear_name(info: jacquard.ComponentInfo) -> str:
    return f"{info.vendor} {info.product}".strip() or f"{info.vendor_text} {info.product_text}"


def say(as_json: bool, line: str, **members: Any) -> None:
    now = datetime.datetime.now().astimezone()
    if as_json:
        output.say_json(time=now.isoformat(timespec="milliseconds"), **members)
    else:
        output.console().print(f"[dim]{now:%H:%M:%S}[/] {output.printable(line)}")
