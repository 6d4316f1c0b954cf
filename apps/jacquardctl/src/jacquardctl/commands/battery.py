"""jacquardctl battery"""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from jacquard_apps.tags import target
from jacquard_apps.terminal import exits, options, output


def add(commands: Any) -> None:
    parser = commands.add_parser("battery", parents=[options.with_tag()], help="read a tag's battery")
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    async with target.connected(arguments) as (_, tag):
        battery = await tag.battery()
    if arguments.json:
        output.say_json(**output.members_of(battery))
    else:
        output.say(str(battery))
    return exits.OK
