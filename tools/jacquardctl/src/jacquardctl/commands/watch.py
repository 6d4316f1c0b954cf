"""jacquardctl watch"""

from __future__ import annotations

import argparse
from argparse import Namespace
from typing import Any

import jacquard
from jacquard import Battery, ConnectionState, Gear, Gesture, Name, Touch

from .. import exits, gear, gestures, options, output, target
from ..reactions import Reactions
from ..together import together


class Reaction(argparse.Action):
    """--on GESTURE COMMAND: the first word is checked immediately."""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option: str | None = None) -> None:
        word, command = values
        try:
            pair = (gestures.wanted(word), command)
        except argparse.ArgumentTypeError as error:
            parser.error(f"argument {option}: {error}")
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), pair])


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "watch", parents=[options.with_tag(goes_on=True)], help="stay connected and print events, until Ctrl-C"
    )
    parser.add_argument(
        "--on",
        nargs=2,
        action=Reaction,
        default=[],
        metavar=("GESTURE", "COMMAND"),
        help="run a shell command for each gesture with this name or number, such as brush-in; may be repeated",
    )
    options.add_duration(parser)
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    async with target.manager(arguments) as manager:
        tag = await target.find(manager, arguments)
        async with manager.connect(tag.identifier, timeout=arguments.timeout) as connection:
            async with Reactions(arguments.on, tag) as reactions:
                await together(show(connection, tag, arguments.json, reactions), seconds=arguments.duration)
    return exits.OK


async def show(connection: jacquard.Connection, tag: target.Target, as_json: bool, reactions: Reactions) -> None:
    reason = ""
    async for event in connection.events(ConnectionState, Battery, Gear, Gesture, Name, Touch):
        if as_json:
            of = {"identifier": tag.identifier, "serial": tag.serial}
            output.say_json(time=output.now().isoformat(timespec="milliseconds"), **{**of, **members(event)})
        else:
            line = f"{output.now():%H:%M:%S} {output.printable(described(event))}"
            if isinstance(event, ConnectionState):
                before, reason = reason, str(event.reason or "")
                # It stays in the states until the link is up again; printed only when it is new.
                if reason and (reason != before or event.step == 0):
                    line += f" ({output.printable(reason)})"
            output.say(line)
        if isinstance(event, Gesture):
            reactions.to(event)


def members(event: Any) -> dict[str, Any]:
    if isinstance(event, ConnectionState):
        return {"event": "state", **{name: value for name, value in vars(event).items() if name != "tag"}}
    return {"event": type(event).__name__.lower(), **output.members_of(event)}


def described(event: Any) -> str:
    if isinstance(event, ConnectionState):
        return f"{event.phase} {event.step}/{event.total_steps}"
    if isinstance(event, Gear):
        return f"gear {'none' if event.component is None else gear.name(event.component.info)}"
    return f"{type(event).__name__.lower()} {event}"
