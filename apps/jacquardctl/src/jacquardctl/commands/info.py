"""jacquardctl info"""

from __future__ import annotations

import asyncio
import contextlib
from argparse import Namespace
from typing import Any

import jacquard
from jacquard_apps.system.together import within
from jacquard_apps.tags import gear, target
from jacquard_apps.terminal import exits, options, output

# A tag reports attached gear immediately after connecting.
TIMEOUT = 0.5
FAULTY = " (faulty: the vendor's programs replaced this version before they connected)"


def add(commands: Any) -> None:
    parser = commands.add_parser("info", parents=[options.with_tag()], help="show information about a tag")
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    async with target.connected(arguments) as (connection, tag):
        battery = await tag.battery()
        worn = await attached(connection)
        known = None if worn is None else await worn.read_info()
        rssi = connection.rssi
    if arguments.json:
        output.say_json(tag=tag.info, battery=battery, rssi=rssi, gear=known)
    else:
        output.show_members(described(tag.info, battery, rssi, known))
    return exits.OK


async def attached(connection: jacquard.Connection) -> jacquard.Component | None:
    async with connection.events(jacquard.Gear) as events:
        with contextlib.suppress(asyncio.TimeoutError):
            return await within(TIMEOUT, gear.first(events))
    return None


def described(
    tag: jacquard.TagInfo, battery: jacquard.Battery, rssi: int | None, worn: jacquard.ComponentInfo | None
) -> dict[str, str]:
    members = {
        "name": tag.name,
        "serial": tag.serial,
        "identifier": tag.identifier,
        "address": tag.address,
        "id": tag.uuid,
        "vendor": tag.vendor,
        "model": f"{tag.model}, revision {tag.revision}",
        "firmware": version(tag.firmware) + (FAULTY if tag.faulty_firmware else ""),
        "bootloader": version(tag.bootloader),
        "battery": str(battery),
        "signal": "unknown" if rssi is None else f"{rssi} dBm",
        "gear": "none" if worn is None else gear.name(worn),
    }
    if worn is not None:
        members["gear firmware"] = version(worn.firmware)
        members["gear abilities"] = ", ".join(output.plain(worn.capabilities))
    return members


def version(parts: tuple[int, int, int]) -> str:
    return ".".join(str(part) for part in parts)
