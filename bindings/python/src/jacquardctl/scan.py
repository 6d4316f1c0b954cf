"""jacquardctl scan"""

import argparse
import contextlib

import jacquard
from rich.live import Live
from rich.table import Table

from . import exits, output


async def scan(manager: jacquard.Manager, arguments: argparse.Namespace) -> int:
    found: dict[str, jacquard.Advertisement] = {}
    console = output.console()
    live = console.is_terminal and not arguments.json
    with Live(console=console, auto_refresh=False) if live else contextlib.nullcontext() as display:
        async with manager.scan(timeout=arguments.timeout, serial=arguments.serial, every_report=live) as scan:
            async for advertisement in scan:
                found[advertisement.identifier] = advertisement
                if arguments.json:
                    output.say_json(**output.members_of(advertisement))
                elif display is not None:
                    display.update(table(found), refresh=True)
    if found and not live and not arguments.json:
        console.print(table(found))
    return exits.OK if found else exits.NOT_FOUND


def table(found: dict[str, jacquard.Advertisement]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("SERIAL", "NAME", "RSSI", "IDENTIFIER", ""):
        table.add_column(column, no_wrap=True)
    for tag in sorted(found.values(), key=lambda tag: (tag.serial, tag.identifier)):
        rssi = "" if tag.rssi is None else str(tag.rssi)
        notes = [note for note, applies in (("bonded", tag.bonded), ("connected", tag.connected)) if applies]
        table.add_row(output.printable(tag.serial), output.printable(tag.name), rssi, tag.identifier, ", ".join(notes))
    return table
