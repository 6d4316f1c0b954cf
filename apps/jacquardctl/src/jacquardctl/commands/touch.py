"""jacquardctl touch"""

from __future__ import annotations

import contextlib
from argparse import Namespace
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Callable

from jacquard import Capability, LineHealth, Touch, TouchGesture, TouchPoint
from jacquard_apps.system.together import together
from jacquard_apps.tags import gear, target
from jacquard_apps.terminal import exits, options, output
from jacquard_apps.touch import touching

STRONGEST = 128
BAR = 40


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "touch", parents=[options.with_tag(goes_on=True)], help="draw touches on the gear's twelve lines, until Ctrl-C"
    )
    parser.add_argument(
        "--tracked",
        action="store_true",
        help="print touches, with ID, position, speed, strength and width, gestures, and lines that are weak, dead or stuck",
    )
    options.add_duration(parser)
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    async with target.connected(arguments) as (connection, _):
        await gear.component(connection, Capability.TOUCH)
        if arguments.tracked:
            points, gestures = (partial(show, name, as_json=arguments.json) for name in ("touch", "touch_gesture"))
            reader = touching.Points(points, gestures, partial(judge, as_json=arguments.json))
            await together(touching.read(connection, reader), seconds=arguments.duration)
            return exits.OK
        with display(arguments.json) as draw:
            await together(touching.samples(connection, draw), seconds=arguments.duration)
    return exits.OK


def show(name: str, values: Sequence[TouchPoint | TouchGesture], as_json: bool) -> None:
    for value in values:
        if as_json:
            output.say_json(time=output.now().isoformat(timespec="milliseconds"), **{name: output.members_of(value)})
        else:
            output.say(f"{output.now():%H:%M:%S} {value}")


def judge(health: Sequence[LineHealth], as_json: bool) -> None:
    """Reports a change of the health of the lines."""
    if as_json:
        names = [each.name.lower() for each in health]
        output.say_json(time=output.now().isoformat(timespec="milliseconds"), line_health=names)
        return
    bad = [f"line {line} is {each.name.lower()}" for line, each in enumerate(health) if each is not LineHealth.GOOD]
    output.say(f"{output.now():%H:%M:%S} {', '.join(bad) or 'all lines are good'}")


@contextlib.contextmanager
def display(as_json: bool) -> Iterator[Callable[[Touch], None]]:
    console = None if as_json else output.live_terminal()
    if as_json:
        yield lambda touch: output.say_json(
            time=output.now().isoformat(timespec="milliseconds"), **output.members_of(touch)
        )
    elif console is None:
        yield lambda touch: output.say(f"{output.now():%H:%M:%S} {touch.sequence:3} {touch.proximity:3} | {touch}")
    else:
        from rich.live import Live
        from rich.text import Text

        with Live(Text(picture(NOTHING)), console=console, refresh_per_second=30) as live:
            yield lambda touch: live.update(Text(picture(touch)))


NOTHING = Touch(0, 0, (0,) * 12)


def picture(touch: Touch) -> str:
    """A bar for each line."""
    lines = [f"{number:2} {bar(strength)} {strength:3}" for number, strength in enumerate(touch.lines)]
    return "\n".join([f"proximity {touch.proximity:3}   sequence {touch.sequence}", *lines])


def bar(strength: int) -> str:
    return ("█" * round(min(strength, STRONGEST) * BAR / STRONGEST)).ljust(BAR, "·")
