"""The command line parser."""

from __future__ import annotations

import contextlib
from argparse import ArgumentParser, Namespace
from typing import NoReturn

import jacquard

from . import commands, exits, options
from .commands import watch

STATUSES = "exit status: " + ", ".join(f"{status} {meaning}" for status, meaning in exits.MEANINGS.items())


# For `config read TAG`, which has the most words before its TAG.
LATEST_TAG = 2


class Refused(Exception):
    def __init__(self, parser: ArgumentParser, message: str) -> None:
        super().__init__(message)
        self.parser = parser


class Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refused(self, message)


def parsed(words: list[str]) -> Namespace:
    """Parses the words. `tag` is None if TAG was omitted; the other words determine its position."""
    words = watch.with_commands(words)
    try:
        return parser().parse_args(words)
    except Refused as refused:
        for place in range(1, min(LATEST_TAG, len(words)) + 1):
            with contextlib.suppress(Refused):
                arguments = parser().parse_args([*words[:place], options.LEFT_OUT, *words[place:]])
                if getattr(arguments, "tag", "") is None:
                    return arguments
        ArgumentParser.error(refused.parser, str(refused))


def parser() -> ArgumentParser:
    parser = Parser("jacquardctl", description="Find and use Jacquard tags.", epilog=STATUSES)
    parser.add_argument("--version", action="version", version=f"jacquardctl {jacquard.__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands.ALL:
        command.add(subparsers)
    return parser
