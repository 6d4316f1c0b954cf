"""jacquardctl setup"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Awaitable
from importlib import resources
from typing import Any, Callable

from jacquard_apps.system import simulator
from jacquard_apps.tags import target
from jacquard_apps.terminal import exits, options, output

STEPS = ("machine", "tag", "gesture", "rule", "unit", "try")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "setup",
        parents=[options.shared()],
        help="set up a new tag, up to a rule that has run, and explain what is missing",
        description="Checks the machine, binds the tag, waits for a gesture, adds a rule for it, turns on the user unit, and waits "
        "until the rule has run. Rules and units that exist stay. Without a terminal it only says what it would do.",
    )
    parser.add_argument("steps", metavar="STEP", nargs="*", type=step, help=f"only these: {', '.join(STEPS)} (all)")
    parser.add_argument("--skip", metavar="STEP", action="append", type=step, default=[], help="all but this; may be repeated")
    parser.add_argument("--simulate", action="store_true", help="with a software tag, which makes gestures by itself")
    about_time = "time limit for each wait (60)"
    parser.add_argument("--timeout", type=options.seconds, default=options.DEFAULT_TIMEOUT, metavar="SECONDS", help=about_time)
    parser.set_defaults(run=run)


def step(text: str) -> str:
    from argparse import ArgumentTypeError

    if text not in STEPS:
        raise ArgumentTypeError(f"{text!r} is not one of {', '.join(STEPS)}")
    return text


async def run(arguments: Namespace) -> int:
    from ..setup import simulated
    from ..setup.context import Context

    if arguments.simulate and not simulated.IS_HERE:
        simulate(arguments)
    status = exits.OK
    async with target.manager(arguments) as manager:
        context = Context.of(arguments, manager)
        for name in [name for name in arguments.steps or STEPS if name not in arguments.skip]:
            if not await performers()[name](context):
                status = exits.FAILED
                if name == "machine":
                    context.dialogue.hint("Then run this command again.")
                    return exits.NO_BLUETOOTH
    if not arguments.json:
        output.say("Each step can be repeated: jacquardctl setup STEP. The state of all rules: jacquardctl status")
    return status


def performers() -> dict[str, Callable[[Any], Awaitable[bool]]]:
    from ..setup import machine, rule, tag, trial

    found = (machine.step, tag.bind, tag.gesture, rule.add, rule.start, trial.step)
    return dict(zip(STEPS, found))


def simulate(arguments: Namespace) -> None:
    """Replaces this process by the software tag, which runs this command on its own bus, with its own folder."""
    from ..setup import simulated

    program = simulator.program()
    scenario = str(resources.files("jacquard_automations") / "setup" / "brushing.scenario")
    words = [*arguments.steps, *(word for name in arguments.skip for word in ("--skip", name))]
    words += ["--timeout", f"{arguments.timeout:g}", *(["--json"] if arguments.json else [])]
    again = [sys.executable, "-m", "jacquard_automations.setup.simulated", "setup", "--simulate", *words]
    sys.stdout.flush()
    os.execvpe(program, [program, "run", "--scenario", scenario, "--", *again], simulated.environment())
