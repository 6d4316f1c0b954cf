"""jacquardctl touch"""

from __future__ import annotations

import contextlib
from argparse import Namespace
from collections.abc import Iterator
from functools import partial
from typing import Any, Callable

from jacquard import Capability, Touch, TouchPoint

from .. import exits, gear, options, output, target, touching
from ..together import together

STRONGEST = 128
BAR = 40


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "touch", parents=[options.with_tag(goes_on=True)], help="draw touches on the gear's twelve lines, until Ctrl-C"
    )
    parser.add_argument(
        "--tracked", action="store_true", help="print touches, with ID, position, speed, strength and width"
    )
    options.add_duration(parser)
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    async with target.connected(arguments) as (connection, _):
        await gear.component(connection, Capability.TOUCH)
        if arguments.tracked:
            show = partial(print_points, as_json=arguments.json)
            await together(touching.read(connection, touching.Points(show)), seconds=arguments.duration)
            return exits.OK
        with display(arguments.json) as draw:
            await together(touching.samples(connection, draw), seconds=arguments.duration)
    return exits.OK


def print_points(points: list[TouchPoint], as_json: bool) -> None:
    for point in points:
        if as_json:
            output.say_json(time=output.now().isoformat(timespec="milliseconds"), touch=output.members_of(point))
        else:
            output.say(f"{output.now():%H:%M:%S} {point}")


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
    lines = [f"{number:2} {bar(strength)} {strength:3}" for number, strength in enumerate(touch.lines, 1)]
    return "\n".join([f"proximity {touch.proximity:3}   sequence {touch.sequence}", *lines])


def bar(strength: int) -> str:
    return ("█" * round(min(strength, STRONGEST) * BAR / STRONGEST)).ljust(BAR, "·")
