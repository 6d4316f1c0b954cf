"""jacquardctl touch"""

from __future__ import annotations

import asyncio
import contextlib
from argparse import Namespace
from collections.abc import Iterator
from typing import Any, Callable

import jacquard
from jacquard import Capability, ConnectionState, Gear, Phase, Touch, TouchMode, TouchPoint

from .. import exits, gear, options, output, target
from ..together import together

STRONGEST = 128
BAR = 40
# Time for the tag to return to gesture mode after an interrupt.
PARTING = 1
# A touch without a sample for 250 ms has ended.
SILENCE = 0.26


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
            await together(track(connection, arguments.json), seconds=arguments.duration)
            return exits.OK
        with display(arguments.json) as draw:
            await together(follow(connection, draw), seconds=arguments.duration)
    return exits.OK


async def track(connection: jacquard.Connection, as_json: bool) -> None:
    tracker = jacquard.TouchTracker()
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle | None = None

    def show(points: list[TouchPoint]) -> None:
        for point in points:
            if as_json:
                output.say_json(time=output.now().isoformat(timespec="milliseconds"), touch=output.members_of(point))
            else:
                output.say(f"{output.now():%H:%M:%S} {point}")

    def receive(touch: Touch | None) -> None:
        nonlocal timer
        if timer:
            timer.cancel()
        timer = None
        if touch is None:
            return show(tracker.cancel())
        show(tracker.process(touch))
        timer = loop.call_later(SILENCE, lambda: show(tracker.wait()))

    try:
        await follow(connection, receive, lost=lambda: receive(None))
    finally:
        receive(None)


async def follow(
    connection: jacquard.Connection, draw: Callable[[Touch], None], lost: Callable[[], None] = lambda: None
) -> None:
    """Sets touch mode while gear is attached, and gesture mode again at the end. lost: the link was lost, or the gear
    detached."""
    worn: jacquard.Component | None = None
    try:
        events: jacquard.Stream[Any] = connection.events(Gear, Touch, ConnectionState)
        async for event in events:
            if isinstance(event, Touch):
                draw(event)
                continue
            if isinstance(event, ConnectionState):
                if event.phase is not Phase.CONNECTED:
                    lost()
                continue
            worn = event.component
            if worn is None:
                lost()
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
