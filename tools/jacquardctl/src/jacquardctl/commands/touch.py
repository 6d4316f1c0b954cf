"""jacquardctl touch"""

from __future__ import annotations

import contextlib
from argparse import Namespace
from collections.abc import Iterator
from typing import Any, Callable

import jacquard
from jacquard import Capability, Gear, Touch, TouchMode

from .. import exits, gear, options, output, target
from ..together import together

STRONGEST = 128
BAR = 40
# Time for the tag to return to gesture mode after an interrupt.
PARTING = 1


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "touch", parents=[options.with_tag(goes_on=True)], help="draw touches on the gear's twelve lines, until Ctrl-C"
    )
    options.add_duration(parser)
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    async with target.connected(arguments) as (connection, _):
        await gear.component(connection, Capability.TOUCH)
        with display(arguments.json) as draw:
            await together(follow(connection, draw), seconds=arguments.duration)
    return exits.OK


async def follow(connection: jacquard.Connection, draw: Callable[[Touch], None]) -> None:
    """Sets touch mode while gear is attached, and gesture mode again at the end."""
    worn: jacquard.Component | None = None
    try:
        events: jacquard.Stream[Any] = connection.events(Gear, Touch)
        async for event in events:
            if isinstance(event, Touch):
                draw(event)
                continue
            worn = event.component
            if worn is not None and worn.supports(Capability.TOUCH):
                with contextlib.suppress(jacquard.StaleGearError, jacquard.LinkError):
                    await worn.set_touch_mode(TouchMode.CONTINUOUS)
    finally:
        if worn is not None:
            with contextlib.suppress(jacquard.JacquardError):
                await worn.set_touch_mode(TouchMode.GESTURE, timeout=PARTING)


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
