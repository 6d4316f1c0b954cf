"""jacquardctl disconnect"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from jacquard import Connection, Tag
from jacquard_apps.tags import several
from jacquard_apps.terminal import options


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "disconnect",
        parents=[options.with_tag()],
        help="ask a tag to drop its link",
        description="Returns when the link is down. Other programs that use the tag reconnect as after any lost link.",
    )
    parser.add_argument("--only-on-motion", action="store_true", help="the tag does not reconnect until it is moved")
    options.add_all(parser)
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    async def ask(connection: Connection, tag: Tag) -> None:
        await tag.request_disconnect(only_on_motion=arguments.only_on_motion)

    return await several.on_each(arguments, ask)
