"""jacquardctl status"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from jacquard_apps.tags import target
from jacquard_apps.terminal import exits, options, output


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "status",
        parents=[options.shared()],
        help="show the rules, when each ran last, and why one did not or cannot run",
        description="Asks each jacquardctl run of this user, whether a unit or a shell has started it. The exit status is 1 if "
        "none runs the rules of the file.",
    )
    about_file = "only the rules of this file (the files that are in use, or ~/.config/jacquard/automations.toml)"
    parser.add_argument("file", metavar="FILE", nargs="?", type=options.path, help=about_file)
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    from ..status import place, shown

    found = [status for status in await place.statuses() if concerns(status, arguments.file)]
    is_running = any("rules" in status for status in found)
    if not found:
        found = [await absent(arguments)]
    for status in found:
        if arguments.json:
            output.say_json(**status)
        else:
            for line in shown.lines(status):
                output.say(output.printable(line))
    return exits.OK if is_running else exits.FAILED


def concerns(status: dict[str, Any], path: Path | None) -> bool:
    return path is None or "file" not in status or Path(status["file"]) == path.absolute()


async def absent(arguments: Namespace) -> dict[str, Any]:
    """The status of a file that no jacquardctl run uses. Raises exits.Failure if it cannot be read."""
    from .. import file, toml_file
    from ..status import snapshot
    from ..tags import identity
    from ..unit import UNIT, output_of_systemctl

    path: Path = arguments.file or file.default_path()
    if not path.exists():
        raise exits.Failure(f"There are no rules: {path} does not exist. Run: jacquardctl setup")
    try:
        automations = file.read(path)
    except toml_file.Invalid as error:
        text = "\n".join(f"{path}:{problem.line}: {problem}" for problem in error.problems)
        raise exits.Failure(text, exits.USAGE) from None
    async with target.manager(arguments) as manager:
        known = [identity(tag) for tag in await target.known_if_readable(manager)]
    unit = await output_of_systemctl("is-active", UNIT) if path.absolute() == file.default_path().absolute() else ""
    return await snapshot.absent(path, automations, known, unit)
