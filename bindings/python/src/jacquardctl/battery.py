"""jacquardctl battery"""

import argparse

import jacquard

from . import exits, output, target


async def battery(manager: jacquard.Manager, arguments: argparse.Namespace) -> int:
    async with target.connection(manager, arguments.tag, arguments.timeout) as connection:
        battery = await (await connection.tag()).battery()
    if arguments.json:
        output.say_json(**output.members_of(battery))
    else:
        output.console().print(str(battery))
    return exits.OK
