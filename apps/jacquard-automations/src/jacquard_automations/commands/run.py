"""jacquardctl run"""

from __future__ import annotations

import shlex
from argparse import Namespace
from importlib import resources
from pathlib import Path
from typing import Any

from jacquard_apps.tags import target
from jacquard_apps.terminal import exits, options, output

from ..unit import UNIT, enable, systemctl

EXAMPLES = ("media", "slides", "calls", "lights", "fader")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "run",
        parents=[options.shared()],
        help="run the rules of a file, from events of tags to actions, until Ctrl-C",
        description="The rules select bound tags, and connect to them. A changed file is read again; if it is invalid, the "
        "previous rules stay in effect.",
    )
    about_file = "the file with the rules (~/.config/jacquard/automations.toml)"
    parser.add_argument("file", metavar="FILE", nargs="?", type=options.path, help=about_file)
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--check", action="store_true", help="check the file, and whether its rules can run here")
    modes.add_argument("--dry-run", action="store_true", help="only print what would run")
    about_example = "print a file that works, with comments"
    modes.add_argument("--example", choices=EXAMPLES, help=about_example)
    about_enable = f"run the rules of the default file from now on and from each login on, with {UNIT}"
    modes.add_argument("--enable", action="store_true", help=about_enable)
    modes.add_argument("--disable", action="store_true", help="undo --enable")
    parser.add_argument("--once", action="store_true", help="end when a rule has run, and its commands have ended")
    about_add = "add a rule to the file: its event and conditions, such as 'gesture = \"brush-in\", locked = false'"
    parser.add_argument("--add", metavar="EVENT", type=options.word, help=about_add)
    about_do = "an action of the rule of --add, such as 'media = \"next\"'; may be repeated"
    parser.add_argument("--do", metavar="ACTION", type=options.word, action="append", default=[], help=about_do)
    about_remove = "remove the rule that begins in this line of the file; the rule of --add takes its place"
    parser.add_argument("--remove", metavar="LINE", type=int, help=about_remove)
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    from .. import file, toml_file

    if arguments.example:
        output.say(example(arguments.example).rstrip("\n"))
        return exits.OK
    if arguments.file is not None and (arguments.enable or arguments.disable):
        raise exits.Failure(f"{UNIT} uses the default file: leave FILE out.", exits.USAGE)
    if arguments.disable:
        await systemctl("disable", "--now", UNIT)
        output.say(f"{UNIT} is stopped, and not started at login any more.")
        return exits.OK
    path: Path = arguments.file or file.default_path()
    if arguments.add is not None or arguments.do or arguments.remove is not None:
        return edit(path, arguments)
    try:
        automations = file.read(path)
    except toml_file.Invalid as error:
        return refused(path, error.problems, arguments.json)
    if arguments.check or arguments.enable:
        missing = automations.missing()
        if missing and not automations.runs_something():
            return refused(path, missing, arguments.json)
        report(path, missing, arguments.json)
    if arguments.check:
        await check(path, automations, arguments)
        return exits.OK
    if arguments.enable:
        return await enable(path)
    return await serve(path, automations, arguments)


async def check(path: Path, automations: Any, arguments: Namespace) -> None:
    """Reports obstacles. Rules without one run; the others run once the tag is bound, the service is reached, or the
    user logs in in another way."""
    from ..tags import identity

    async with target.manager(arguments) as manager:
        known = [identity(tag) for tag in await manager.known()]
    obstacles = [*automations.obstacles(), *automations.unbound(known), *await automations.unreachable()]
    report(path, obstacles, arguments.json)
    count = len(automations.rules)
    if arguments.json:
        output.say_json(file=str(path), valid=True, rules=count)
    else:
        output.say(f"{path}: valid, {count} {'rule' if count == 1 else 'rules'}")


def edit(path: Path, arguments: Namespace) -> int:
    from .. import edit, toml_file
    from ..table import Problem

    if (arguments.add is None) != (not arguments.do):
        raise exits.Failure("--add EVENT needs --do ACTION, and --do needs --add.", exits.USAGE)
    if arguments.check or arguments.dry_run or arguments.enable or arguments.once:
        raise exits.Failure("--add and --remove only change the file: leave the other options out.", exits.USAGE)
    try:
        rule = None if arguments.add is None else edit.rule_of(arguments.add, arguments.do)
    except Problem as problem:
        raise exits.Failure(f"This is not a rule: {problem.text}", exits.USAGE) from None
    try:
        line = edit.edit(path, arguments.remove, rule)
    except toml_file.Invalid as error:
        return refused(path, error.problems, arguments.json)
    except Problem as problem:
        return refused(path, [problem], arguments.json)
    done = "removed" if rule is None else "added" if arguments.remove is None else "replaced"
    output.say(f"{path}:{line}: {done}")
    return exits.OK


def example(name: str) -> str:
    return (resources.files("jacquard_automations") / "examples" / f"{name}.toml").read_text(encoding="utf-8")


def report(path: Path, problems: list[Any], as_json: bool) -> None:
    for problem in problems:
        if as_json:
            output.report_json(message=problem.text, file=str(path), line=problem.line, place=problem.place)
        else:
            output.complain(f"{path}:{problem.line}: {problem}")


def refused(path: Path, problems: list[Any], as_json: bool) -> int:
    report(path, problems, as_json)
    if not path.exists() and not as_json:
        folder = "" if path.parent.is_dir() else f"mkdir -p {shlex.quote(str(path.parent))} && "
        output.complain(f"To begin with an example: {folder}jacquardctl run --example media > {shlex.quote(str(path))}")
    return exits.USAGE


async def serve(path: Path, automations: Any, arguments: Namespace) -> int:
    from ..program import Program
    from ..status.report import Report

    async with target.manager(arguments) as manager:
        with Report(arguments.json) as report:
            program = Program(
                path,
                automations,
                report.say,
                report.complain,
                report.ran,
                report.link_changed,
                noted=report.noted,
                is_dry=arguments.dry_run,
            )
            await program.run(manager, arguments.once)
    return exits.OK
