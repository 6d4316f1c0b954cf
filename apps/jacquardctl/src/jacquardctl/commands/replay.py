"""jacquardctl replay"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from typing import Any, NoReturn

from jacquard_apps.recording import reader
from jacquard_apps.system.simulator import OVERRIDE, SIMULATOR, program
from jacquard_apps.terminal import exits, options, output

from ..recording.scenario import DEFAULT_SERIAL, scenario

# Time for jacquardctl's own program to receive the last events.
AFTERWARDS = 3


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "replay",
        parents=[options.shared()],
        help="play a recording through the software tag",
        description="Runs a program with a software tag that replaces the recorded one and sends the same data at the "
        "same times after each connection. The default program is jacquardctl watch. "
        f"Needs {SIMULATOR}, in PATH or ${OVERRIDE}.",
    )
    parser.add_argument("file", metavar="FILE", type=options.word, help="a file written by jacquardctl record; - for standard input")
    parser.add_argument("--speed", type=options.factor, metavar="FACTOR", help="speed relative to the recording (1)")
    parser.add_argument("--scenario", action="store_true", help="only print the scenario")
    parser.add_argument("program", metavar="PROGRAM", nargs="*", default=[], type=options.word, help="the program and its arguments, after --")
    parser.set_defaults(run=run)


async def run(arguments: Namespace) -> int:
    if arguments.scenario and (arguments.program or arguments.speed is not None):
        raise exits.Failure("--scenario only prints: use neither PROGRAM nor --speed with it.", exits.USAGE)
    arguments.speed = arguments.speed or 1
    recording = reader.read_file(arguments.file)
    if recording.is_labelled:
        text = "a labelled recording contains touches and no packets, so it cannot be replayed; jacquardctl board shows it."
        raise exits.Failure(f"{arguments.file}: {text}", exits.USAGE)
    lines = scenario(recording)
    if arguments.scenario:
        for line in lines:
            output.say(line)
        return exits.OK
    play(lines, arguments.speed, command(arguments, recording))


def command(arguments: Namespace, recording: reader.Recording) -> list[str]:
    if arguments.program:
        return list(arguments.program)
    watch = [sys.executable, "-m", "jacquardctl", "watch"]
    duration = recording.duration / arguments.speed + AFTERWARDS
    options = ["--for", f"{duration:.3f}", *(["--json"] if arguments.json else [])]
    # A serial number may begin with a dash.
    return [*watch, *options, "--", recording.serial or DEFAULT_SERIAL]


def play(lines: list[str], speed: float, command: list[str]) -> NoReturn:
    """Replaces this process with the simulator, so that signals and the exit status are passed on."""
    simulator = program()
    script = os.memfd_create("scenario", 0)
    with open(script, "w", encoding="utf-8", closefd=False) as file:
        file.write("\n".join(lines) + "\n")
    os.set_inheritable(script, True)
    sys.stdout.flush()
    options = ["run", "--scenario", f"/proc/self/fd/{script}", "--time-scale", f"{speed:g}", "--"]
    os.execv(simulator, [SIMULATOR, *options, *command])
