"""jacquardctl scan"""

from __future__ import annotations

import contextlib
from argparse import Namespace
from typing import Any

import jacquard
from jacquard_apps.tags import target
from jacquard_apps.terminal import drawing, exits, options, output

HEADINGS = ("SERIAL", "NAME", "RSSI", "IDENTIFIER", "")


def add(commands: Any) -> None:
    parser = commands.add_parser("scan", parents=[options.shared()], help="list the tags in range")
    parser.add_argument("--timeout", type=options.seconds, default=10, metavar="SECONDS", help="how long to scan (10)")
    parser.add_argument("--serial", type=options.word, help="only the tag with this serial number")
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    found: dict[str, jacquard.Advertisement] = {}
    console = None if arguments.json else output.live_terminal()
    async with target.manager(arguments) as manager:
        bound = {tag.identifier for tag in await target.known_if_readable(manager)}
        scan = manager.scan(timeout=arguments.timeout, serial=arguments.serial, every_report=console is not None)
        with live(console) as display:
            try:
                async for advertisement in scan:
                    found[advertisement.identifier] = advertisement
                    if arguments.json:
                        output.say_json(**output.members_of(advertisement), bound=advertisement.identifier in bound)
                    elif display is not None:
                        display.update(output.rich_table(HEADINGS, drawn(found, bound)), refresh=True)
            finally:
                if found and console is None and not arguments.json:
                    output.show_table(HEADINGS, rows(found, bound))
    if not found:
        wake = "Move one, or hold its button for three seconds until its light pulses."
        raise exits.Failure(f"No tag was found in {arguments.timeout:g} s. {wake}", exits.NOT_FOUND)
    return exits.OK


def live(console: Any) -> Any:
    if console is None:
        return contextlib.nullcontext()
    from rich.live import Live

    return Live(console=console, auto_refresh=False)


def rows(found: dict[str, jacquard.Advertisement], bound: set[str]) -> list[tuple[str, ...]]:
    tags = sorted(found.values(), key=lambda tag: (tag.serial, tag.identifier))
    return [(tag.serial, tag.name, strength(tag), tag.identifier, notes(tag, tag.identifier in bound)) for tag in tags]


def drawn(found: dict[str, jacquard.Advertisement], bound: set[str]) -> list[tuple[Any, ...]]:
    """Like `rows`, with bars for the signal strength."""
    return [
        (serial, name, drawing.signal(int(rssi) if rssi else None), identifier, said)
        for serial, name, rssi, identifier, said in rows(found, bound)
    ]


def strength(tag: jacquard.Advertisement) -> str:
    return "" if tag.rssi is None else str(tag.rssi)


def notes(tag: jacquard.Advertisement, bound: bool) -> str:
    """A bond in BlueZ that this user did not create may belong to another program."""
    said = {"bound to you": bound, "bonded": tag.bonded and not bound, "connected": tag.connected}
    return ", ".join(note for note, applies in said.items() if applies)
