"""jacquardctl rename"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from jacquard_apps.tags import target
from jacquard_apps.terminal import exits, options, output


def add(commands: Any) -> None:
    parser = commands.add_parser("rename", parents=[options.with_tag()], help="rename a tag")
    parser.add_argument("name", metavar="NAME", type=options.word, help="1 to 21 bytes of UTF-8")
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    async with target.connected(arguments) as (_, tag):
        before = tag.info.name
        await tag.rename(arguments.name)
    if arguments.json:
        output.say_json(before=before, name=arguments.name)
    return exits.OK
