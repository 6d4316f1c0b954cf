"""The command line parser."""

from __future__ import annotations

import contextlib
from argparse import Action, ArgumentParser, HelpFormatter, Namespace
from typing import Any, NoReturn

import jacquard
from jacquard_apps.tags import target
from jacquard_apps.terminal import exits, options

from . import commands

STATUSES = "exit status: " + ", ".join(f"{status} {meaning}" for status, meaning in exits.MEANINGS.items())


# The position of TAG in `config read TAG`, which has the most words before its TAG.
LATEST_TAG = 2


class Refused(Exception):
    def __init__(self, parser: ArgumentParser, message: str) -> None:
        super().__init__(message)
        self.parser = parser


class Formatter(HelpFormatter):
    """argparse regards TAG as required."""

    def _format_args(self, action: Action, default_metavar: str) -> str:
        usage = super()._format_args(action, default_metavar)
        return f"[{usage}]" if action.dest == options.TAG else usage


class Parser(ArgumentParser):
    def __init__(self, *arguments: Any, **settings: Any) -> None:
        settings.setdefault("formatter_class", Formatter)
        super().__init__(*arguments, **settings)

    def error(self, message: str) -> NoReturn:
        raise Refused(self, message)


def parsed(words: list[str]) -> Namespace:
    """Parses the words. `tag` is None if TAG was omitted; the other words determine its position."""
    command = next(iter(words), None)
    if command == "watch":
        from .commands import watch

        words = watch.with_commands(words)
    try:
        return parser(command).parse_args(words)
    except Refused as refused:
        for place in range(1, min(LATEST_TAG, len(words)) + 1):
            with contextlib.suppress(Refused):
                arguments = parser(command).parse_args([*words[:place], options.LEFT_OUT, *words[place:]])
                if getattr(arguments, options.TAG, "") in (None, [None]):
                    needs_tag = not (getattr(arguments, "all_tags", False) or getattr(arguments, "recording", None))
                    arguments.stand_in = stand_in(refused.parser, arguments) if needs_tag else None
                    return arguments
        # TAG is missing only if no tag or several are bound.
        ArgumentParser.error(refused.parser, str(refused).replace("required: TAG, ", "required: "))


def stand_in(parser: ArgumentParser, arguments: Namespace) -> target.StandIn | None:
    """The word after an omitted TAG."""
    _, *others = [action for action in parser._actions if not action.option_strings]
    if not others or not others[-1].required:
        return None
    value = getattr(arguments, others[0].dest)
    first = value[0] if isinstance(value, list) else value
    return target.StandIn(str(first), str(others[0].metavar), str(others[-1].metavar))


def parser(command: str | None = None) -> ArgumentParser:
    """The parser for this command only, if there is one of that name."""
    parser = Parser("jacquardctl", description="Find and use Jacquard tags.", epilog=STATUSES)
    parser.add_argument("--version", action="version", version=f"jacquardctl {jacquard.__version__}")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in commands.modules(command):
        module.add(subparsers)
    return parser
