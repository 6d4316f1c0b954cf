"""jacquardctl haptic"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from jacquard import Capability, Connection, Tag
from jacquard.haptic import SYMBOLS
from jacquard_apps.effects import haptic
from jacquard_apps.tags import gear, several
from jacquard_apps.terminal import options


def add(commands: Any) -> None:
    parser = commands.add_parser("haptic", parents=[options.with_tag()], help="make a tag's gear vibrate")
    haptic.add_symbol(parser)
    options.add_all(parser)
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    if arguments.symbol is None and arguments.tag in SYMBOLS:
        # TAG was omitted. A tag with the name of a symbol can be selected by its serial number.
        arguments.tag, arguments.symbol = None, arguments.tag
    vibration = haptic.symbol(arguments)

    async def play(connection: Connection, tag: Tag) -> None:
        await (await gear.component(connection, Capability.HAPTIC)).haptic(vibration)

    return await several.on_each(arguments, play)
