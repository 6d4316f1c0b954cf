"""jacquardctl watch"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
from argparse import Namespace
from collections.abc import AsyncIterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Callable

import jacquard
from jacquard import Battery, ConnectionState, Gear, Gesture, Name, Touch
from jacquard_apps.tags import gear, several, target
from jacquard_apps.terminal import exits, options, output
from jacquard_apps.touch import gestures

from ..terminal import live_view

if TYPE_CHECKING:
    from jacquard_automations.reactions import Reaction

KINDS = (ConnectionState, Battery, Gear, Gesture, Name, Touch)


class AddReaction(argparse.Action):
    """--on GESTURE [COMMAND]"""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option: str | None = None) -> None:
        if find_spec("jacquard_automations") is None:
            parser.error(f"argument {option}: needs the package jacquard-automations, which is not installed")
        from jacquard_automations import reactions

        word, command = values
        try:
            gesture = gestures.wanted(word)
        except argparse.ArgumentTypeError as error:
            parser.error(f"argument {option}: {error}")
        if not command:
            parser.error(f"argument {option}: COMMAND must not be empty")
        actions = () if command == options.LEFT_OUT else (reactions.command(command),)
        namespace.on = [*namespace.on, reactions.Reaction(gesture, actions)]


class AddAction(argparse.Action):
    """--led PATTERN, --haptic VIBRATION and --do ACTION, for the preceding --on."""

    def __call__(self, parser: Any, namespace: Namespace, values: Any, option: str | None = None) -> None:
        (option,) = self.option_strings
        if not namespace.on:
            parser.error(f"argument {option}: must follow --on GESTURE")
        from jacquard_automations import reactions

        try:
            action = reactions.written(option, values)
        except argparse.ArgumentTypeError as error:
            parser.error(f"argument {option}: {error}")
        *others, last = namespace.on
        namespace.on = [*others, dataclasses.replace(last, actions=(*last.actions, action))]


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "watch",
        parents=[options.with_tag(goes_on=True, many=True)],
        help="stay connected and print events, until Ctrl-C",
        description="With several tags, each line begins with the serial number of its tag. Each --on is followed by what "
        "happens at its gesture: a COMMAND, and any number of --led, --haptic and --do.",
    )
    parser.add_argument(
        "--on",
        nargs=2,
        action=AddReaction,
        default=[],
        metavar=("GESTURE", "[COMMAND]"),
        help="react to each gesture with this name or number, such as brush-in, or to every gesture (any), but not to "
        "those that may be copies, with a shell command or with the following --led, --haptic and --do; in touch mode, to "
        "double taps, brushes in and out and covers that are derived from touches; may be repeated",
    )
    parser.add_argument(
        "--led",
        dest="on",
        action=AddAction,
        default=argparse.SUPPRESS,
        metavar="PATTERN",
        help="play an LED pattern at the gesture: the arguments of jacquardctl led in one word, such as "
        "'teal:0.3 red:0.3 --intensity 50'; may be repeated",
    )
    parser.add_argument(
        "--haptic",
        dest="on",
        action=AddAction,
        default=argparse.SUPPRESS,
        metavar="VIBRATION",
        help="make the gear vibrate at the gesture: the arguments of jacquardctl haptic in one word, such as alert or "
        "'--on 0.2 --repeats 2'; may be repeated",
    )
    parser.add_argument(
        "--do",
        dest="on",
        action=AddAction,
        default=argparse.SUPPRESS,
        metavar="ACTION",
        help="carry out an action of jacquardctl run at the gesture, as it is written in its file, such as "
        "'media = \"next\"' or 'volume = \"+5%%\"'; may be repeated",
    )
    options.add_all(parser)
    options.add_duration(parser)
    parser.set_defaults(run=run)


def with_commands(words: list[str]) -> list[str]:
    """Marks each COMMAND that was omitted: argparse expects a fixed number of words after an option."""
    marked: list[str] = []
    for index, word in enumerate(words):
        marked.append(word)
        next_is_option = all(following.startswith("-") for following in words[index + 1 : index + 2])
        if words[index - 1] == "--on" and not word.startswith("-") and next_is_option:
            marked.append(options.LEFT_OUT)
    return marked


async def run(arguments: Namespace) -> int:
    for reaction in arguments.on:
        if not reaction.actions:
            raise exits.Failure(f"--on {reaction.gesture} needs a COMMAND, --led, --haptic or --do.", exits.USAGE)
    async with target.manager(arguments) as manager:
        tags = await target.chosen(manager, arguments)
        console = None if arguments.json else output.live_terminal()
        width = max(len(tag.name) for tag in tags)

        async def work(tag: target.Target) -> None:
            label = f"{tag.name:{width}} " if len(tags) > 1 else ""
            async with manager.connect(tag.identifier, timeout=arguments.timeout) as connection:
                async with reacting(arguments.on, tag, f"{tag.name}: " if label else "") as react:
                    # The live view shows one tag, and would overwrite the output of commands.
                    if console is None or arguments.on or label:
                        await show(connection, tag, arguments.json, react, console is not None, label)
                    else:
                        await draw(connection, tag, console)

        return await several.each(tags, work, arguments.json, arguments.duration)


@contextlib.asynccontextmanager
async def reacting(reactions: list[Reaction], tag: target.Target, label: str) -> AsyncIterator[Callable[[Any], None]]:
    """The function that takes each event. The modules of actions take a moment to import, and are not needed without --on."""
    if not reactions:
        yield lambda event: None
        return
    from jacquard_automations.reactions import Reactions

    async with Reactions(reactions, tag, label) as running:
        yield running.take


async def draw(connection: jacquard.Connection, tag: target.Target, console: Any) -> None:
    async with live_view.shown(console, tag.name) as view:
        async for event in connection.events(*KINDS):
            if isinstance(event, ConnectionState):
                view.signal(connection.rssi)
            view.take(event)


async def show(
    connection: jacquard.Connection,
    tag: target.Target,
    as_json: bool,
    react: Callable[[Any], None],
    is_brief: bool,
    label: str,
) -> None:
    """Prints one line for each event. is_brief: does not print each step of connecting; the first time, one line shows
    the steps, unless there are several tags. label: begins each line."""
    lines = Lines(label)
    waiting: list[str] | None = [] if is_brief else None
    with contextlib.ExitStack() as connecting:
        say = connecting.enter_context(output.progress(f"connecting to {tag.name}", not is_brief or bool(label)))
        async for event in connection.events(*KINDS):
            if as_json:
                of = {"identifier": tag.identifier, "serial": tag.serial}
                output.say_json(time=output.now().isoformat(timespec="milliseconds"), **{**of, **members(event)})
            elif is_brief and isinstance(event, ConnectionState) and lines.is_step(event):
                say(f"connecting to {tag.name}, step {event.step} of {event.total_steps}")
            elif waiting is not None and not isinstance(event, ConnectionState):
                waiting.append(lines.of(event))
            else:
                connecting.close()
                for line in [lines.of(event), *(waiting or ())]:
                    output.say(line)
                waiting = None
            react(event)


class Lines:
    """Describes events, each with the time."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._reason = ""

    def is_step(self, state: ConnectionState[Any]) -> bool:
        """Whether it is neither the end of connecting nor a new reason for connecting again."""
        is_end = state.tag is not None or state.phase is jacquard.Phase.DISCONNECTED
        return not is_end and str(state.reason or "") in ("", self._reason)

    def of(self, event: Any) -> str:
        line = f"{output.now():%H:%M:%S} {output.printable(self._label + described(event))}"
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
    if isinstance(event, Gesture) and event.may_be_copy:
        return f"gesture {event} (may be a copy)"
    return f"{type(event).__name__.lower()} {event}"
