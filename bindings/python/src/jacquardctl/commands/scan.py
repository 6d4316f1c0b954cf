"""jacquardctl scan"""

from __future__ import annotations

import contextlib
from argparse import Namespace
from typing import Any

import jacquard

from .. import exits, options, output, target

HEADINGS = ("SERIAL", "NAME", "RSSI", "IDENTIFIER", "")


def add(commands: Any) -> None:
    parser = commands.add_parser("scan", parents=[options.shared()], help="list the tags in range")
    parser.add_argument("--timeout", type=options.seconds, default=10, metavar="SECONDS", help="how long to look (10)")
    parser.add_argument("--serial", help="only the tag with this serial number")
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    found: dict[str, jacquard.Advertisement] = {}
    console = None if arguments.json else output.terminal()
    async with target.manager(arguments) as manager:
        scan = manager.scan(timeout=arguments.timeout, serial=arguments.serial, every_report=console is not None)
        with live(console) as display:
            async for advertisement in scan:
                found[advertisement.identifier] = advertisement
                if arguments.json:
                    output.say_json(**output.members_of(advertisement))
                elif display is not None:
                    display.update(output.rich_table(HEADINGS, rows(found)), refresh=True)
    if found and console is None and not arguments.json:
        output.show_table(HEADINGS, rows(found))
    return exits.OK if found else exits.NOT_FOUND


def live(console: Any) -> Any:
    if console is None:
        return contextlib.nullcontext()
    from rich.live import Live

    return Live(console=console, auto_refresh=False)


def rows(found: dict[str, jacquard.Advertisement]) -> list[tuple[str, ...]]:
    tags = sorted(found.values(), key=lambda tag: (tag.serial, tag.identifier))
    return [(tag.serial, tag.name, strength(tag), tag.identifier, notes(tag)) for tag in tags]


def strength(tag: jacquard.Advertisement) -> str:
    return "" if tag.rssi is None else str(tag.rssi)


def notes(tag: jacquard.Advertisement) -> str:
    return ", ".join(note for note, applies in (("bonded", tag.bonded), ("connected", tag.connected)) if applies)
