"""jacquardctl: what it takes, and how it ends."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys

import jacquard

from . import exits


def parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="one JSON object per line")
    shared.add_argument("--adapter", metavar="ADDRESS", help="the Bluetooth adapter to use (the first powered one)")
    shared.add_argument("--debug", action="store_true", help="the library's log, on standard error")

    parser = argparse.ArgumentParser("jacquardctl", description="Find and use Jacquard tags.", epilog=exits.HELP)
    parser.add_argument("--version", action="version", version=f"jacquardctl {jacquard.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    scan = commands.add_parser("scan", parents=[shared], help="list the tags in range")
    scan.add_argument("--timeout", type=seconds, default=10, metavar="SECONDS", help="how long to look (10)")
    scan.add_argument("--serial", help="only the tag with this serial number")

    battery = commands.add_parser("battery", parents=[shared], help="read a tag's battery")
    watch = commands.add_parser("watch", parents=[shared], help="stay connected and show what happens, until Ctrl-C")
    for command in (battery, watch):
        command.add_argument("tag", help="its serial number or identifier")
        command.add_argument("--timeout", type=seconds, default=60, metavar="SECONDS", help="to connect in (60)")

    watch.add_argument(
        "--on",
        nargs=2,
        action="append",
        default=[],
        metavar=("GESTURE", "COMMAND"),
        help="run a shell command at each gesture of this name or number, such as brush-in; may be repeated",
    )

    doctor = commands.add_parser("doctor", parents=[shared], help="say what works here and what does not")
    doctor.add_argument("--timeout", type=seconds, default=5, metavar="SECONDS", help="how long to look for tags (5)")
    return parser


def seconds(text: str) -> float:
    value = float(text)
    if not 0 < value <= 86400:
        raise argparse.ArgumentTypeError("more than 0 and at most 86400")
    return value


def main(words: list[str] | None = None) -> int:
    arguments = parser().parse_args(words)
    if arguments.debug:
        logging.basicConfig(level=logging.DEBUG, format="%(name)s: %(message)s")
        logging.getLogger("asyncio").setLevel(logging.WARNING)
    try:
        return asyncio.run(run(arguments))
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except jacquard.JacquardError as error:
        complain(str(error))
        return exits.status_of(error)
    except ImportError as error:
        complain(str(error))
        return exits.NO_BLUETOOTH
    except BrokenPipeError:
        # Whoever read along has gone; nothing is left to say, nor at exit.
        sys.stdout = None
        return exits.OK


async def run(arguments: argparse.Namespace) -> int:
    from .battery import battery
    from .doctor import doctor
    from .scan import scan
    from .watch import watch

    command = {"battery": battery, "doctor": doctor, "scan": scan, "watch": watch}[arguments.command]
    async with jacquard.Manager(adapter=arguments.adapter) as manager:
        return await command(manager, arguments)


def complain(text: str) -> None:
    print(f"jacquardctl: {text}", file=sys.stderr)
