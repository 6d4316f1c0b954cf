"""jacquardctl led"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from jacquard import Capability, Connection, Tag
from jacquard_apps.effects import led
from jacquard_apps.tags import gear, several
from jacquard_apps.terminal import options


def add(commands: Any) -> None:
    about = "play an LED pattern on a tag or its gear"
    parser = commands.add_parser("led", parents=[options.with_tag()], help=about, description=led.NAMES)
    led.add_pattern(parser)
    options.add_all(parser)
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    if arguments.tag is not None and led.is_color(arguments.tag):
        # TAG was omitted. A tag with the name of a colour can be selected by its serial number.
        arguments.colors.insert(0, led.color(arguments.tag))
        arguments.tag = None
    light = led.pattern(arguments)

    async def play(connection: Connection, tag: Tag) -> None:
        component = await gear.component(connection, Capability.LED) if arguments.gear else tag.component
        await component.led(light)

    return await several.on_each(arguments, play)
