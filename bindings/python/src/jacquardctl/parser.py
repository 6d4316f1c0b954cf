"""What jacquardctl takes."""

from __future__ import annotations

from argparse import ArgumentParser

import jacquard

from . import commands, exits

STATUSES = "exit status: " + ", ".join(f"{status} {meaning}" for status, meaning in exits.MEANINGS.items())


def parser() -> ArgumentParser:
    parser = ArgumentParser("jacquardctl", description="Find and use Jacquard tags.", epilog=STATUSES)
    parser.add_argument("--version", action="version", version=f"jacquardctl {jacquard.__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in commands.ALL:
        command.add(subparsers)
    return parser
