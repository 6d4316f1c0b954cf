"""jacquardctl watch"""

from __future__ import annotations

import argparse
import contextlib
from argparse import Namespace
from typing import Any

import jacquard
from jacquard import Battery, ConnectionState, Gear, Gesture, Name, Touch

from .. import exits, gear, gestures, live_view, options, output, target
from ..progress import progress
from ..reactions import Reactions
from ..together import together

KINDS = (ConnectionState, Battery, Gear, Gesture, Name, Touch)


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
                await together(follow(connection, tag, arguments, reactions), seconds=arguments.duration)
    return exits.OK


async def follow(
    connection: jacquard.Connection, tag: target.Target, arguments: Namespace, reactions: Reactions
) -> None:
    console = None if arguments.json else output.live_terminal()
    # The live view would overwrite the output of commands.
    if console is None or arguments.on:
        await show(connection, tag, arguments.json, reactions, console is not None)
        return
    async with live_view.shown(console, tag.serial or tag.identifier) as view:
        async for event in connection.events(*KINDS):
            if isinstance(event, ConnectionState):
                view.signal(connection.rssi)
            view.take(event)


async def show(
    connection: jacquard.Connection, tag: target.Target, as_json: bool, reactions: Reactions, is_brief: bool
) -> None:
    """Prints one line for each event. is_brief: does not print each step of connecting; the first time, one line shows
    the steps."""
    lines = Lines()
    waiting: list[str] | None = [] if is_brief else None
    with contextlib.ExitStack() as connecting:
        name = tag.serial or tag.identifier
        say = connecting.enter_context(progress(f"connecting to {name}", not is_brief))
        async for event in connection.events(*KINDS):
            if as_json:
                of = {"identifier": tag.identifier, "serial": tag.serial}
                output.say_json(time=output.now().isoformat(timespec="milliseconds"), **{**of, **members(event)})
            elif is_brief and isinstance(event, ConnectionState) and lines.is_step(event):
                say(f"connecting to {name}, step {event.step} of {event.total_steps}")
            elif waiting is not None and not isinstance(event, ConnectionState):
                waiting.append(lines.of(event))
            else:
                connecting.close()
                for line in [lines.of(event), *(waiting or ())]:
                    output.say(line)
                waiting = None
            if isinstance(event, Gesture):
                reactions.to(event)


class Lines:
    """Describes events, each with the time."""

    def __init__(self) -> None:
        self._reason = ""

    def is_step(self, state: ConnectionState[Any]) -> bool:
        """Whether it is neither the end of connecting nor a new reason for connecting again."""
        is_end = state.tag is not None or state.phase is jacquard.Phase.DISCONNECTED
        return not is_end and str(state.reason or "") in ("", self._reason)

    def of(self, event: Any) -> str:
        line = f"{output.now():%H:%M:%S} {output.printable(described(event))}"
        if isinstance(event, ConnectionState):
            before, self._reason = self._reason, str(event.reason or "")
            # The states contain it until the link is up again, so it is printed only when it is new.
            if self._reason and (self._reason != before or event.step == 0):
                line += f" ({output.printable(self._reason)})"
        return line


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
