"""A command whose package is not installed."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from jacquard_apps.terminal import exits


class Command:
    def __init__(self, name: str, package: str) -> None:
        self.name = name
        self.package = package

    def add(self, commands: Any) -> None:
        # No argument begins with this prefix, so all of them are accepted as words, also options of the command.
        about = f"in the package {self.package}, which is not installed"
        parser = commands.add_parser(self.name, add_help=False, prefix_chars="\0", help=about)
        parser.add_argument("words", nargs="*")
        parser.set_defaults(run=self.run, json=False, debug=False, adapter=None)

    async def run(self, arguments: Namespace) -> int:
        arguments.json = "--json" in arguments.words
        advice = f"Install the package {self.package} as you installed jacquardctl, with apt or pip."
        raise exits.Failure(f"jacquardctl {self.name} is not installed. {advice}")
