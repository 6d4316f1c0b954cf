"""Every option with a path of every program, found in the programs' help, and a command for each."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import ctl
import jacquard.service
import jacquard_mqtt.cli
import places
from jacquardctl.parser import parser
from simulator import SERIAL

PATH = "<path>"
NAMES_A_PATH = re.compile(r"\b(files?|paths?|folder|director(y|ies))\b", re.IGNORECASE)
# Arguments whose help names the file that they are written to.
PARTS_OF_RULES = ("EVENT", "ACTION", "LINE")
SUFFIX = re.compile(r"(?:^FILE|ending with )(\.[a-z]+)")
# Lines of the help of programs in C and Swift.
OPTION = re.compile(r"^ +(?:-\w, )?(--[a-z-]+) <?([^\s>]+)>?", re.MULTILINE)
SUBCOMMAND = re.compile(r"^  ([a-z]+) {2,}\S", re.MULTILINE)

# The required arguments of commands, by their names or by command and name.
VALUES = {
    "TAG": [SERIAL],
    # With a tag in range it would take minutes.
    "certify TAG": ["T999"],
    "NAME": ["name"],
    "ID": ["00-00-00-01"],
    "VERSION": ["1.0.0"],
    "motion convert FILE": ["motion.bin"],
    "motion convert TARGET": ["new.csv"],
    "dataset merge FILE": ["labelled.jsonl"],
    "dataset merge TARGET": ["new.jsonl"],
    "dataset export FILE": ["labelled.jsonl"],
    "dataset export TARGET": ["new.csv"],
}
# Options with which a command that would continue ends by itself, and their arguments.
ENDING = {"--for": ["1"], "--yes": [], "--no-browser": [], "certify --timeout": ["1"], "run --check": [], " --check": []}
LABEL = ("--label", "tap", "--hand", "left", "--garment", "coat", "--consent")


@dataclasses.dataclass(frozen=True)
class Case:
    """A command line with a path."""

    name: str
    words: tuple[str, ...]
    suffix: str = ""
    # The place of the path in the folder of the case.
    at: str = "it"

    def __str__(self) -> str:
        return self.name

    def command(self, path: str) -> list[str]:
        return [path if word == PATH else word for word in self.words]


def commands(of: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    below = [action for action in of._actions if isinstance(action, argparse._SubParsersAction)]
    if not below:
        yield of
    for command in itertools.chain(*(action.choices.values() for action in below)):
        yield from commands(command)


def is_path(action: argparse.Action) -> bool:
    if action.nargs == 0 or action.choices is not None or action.metavar in PARTS_OF_RULES:
        return False
    about = f"{action.metavar} {action.dest} {action.help}"
    return action.type is Path or NAMES_A_PATH.search(about) is not None


def cases_of(program: list[str], help: argparse.ArgumentParser) -> Iterator[Case]:
    for command in commands(help):
        name = " ".join(command.prog.split()[1:])
        for action in filter(is_path, command._actions):
            words = [*program, *name.split()]
            for other in command._actions:
                value = VALUES.get(f"{name} {other.metavar}") or VALUES.get(str(other.metavar), [])
                given = [PATH] if other is action else value if other.required else None
                if given is None:
                    keys = (key for option in other.option_strings for key in (option, f"{name} {option}"))
                    given = next((ENDING[key] for key in keys if key in ENDING), None)
                if given is not None:
                    words += [*other.option_strings[:1], *given]
            found = SUFFIX.search(f"{action.metavar} {action.help}")
            suffix = found[1] if found else ""
            label = f"{command.prog} {[*action.option_strings, str(action.metavar)][0]}"
            yield Case(label, tuple(words), suffix)
            if any("--force" in other.option_strings for other in command._actions):
                yield Case(f"{label} --force", (*words, "--force"), suffix)


def help_of(*words: str | Path) -> str:
    return subprocess.run([*map(str, words), "--help"], capture_output=True, text=True, check=True).stdout


def cases_of_binary(program: Path, *words: str, ending: tuple[str, ...] = ()) -> Iterator[Case]:
    for option, value in OPTION.findall(help_of(program, *words)):
        if NAMES_A_PATH.search(value):
            name = " ".join([program.name, *words, option])
            socket = ("--socket", "radio") if words == ("peer",) and option != "--socket" else ()
            yield Case(name, (str(program), *words, *socket, option, PATH, *ending))


def cases() -> list[Case]:
    daemon, recorder = places.BUILD / "bin" / "jacquardd", places.BUILD / "examples" / "motion-record"
    simulator = places.SIMULATOR
    record = (*ctl.program("record", SERIAL, PATH), "--for", "1", *LABEL)
    rule = ("--add", 'gesture = "cover"', "--do", 'media = "next"')
    manifest = ("--vendor", "00-00-00-01", "--product", "00-00-00-02", "--version", "1.0.0")
    teach = ctl.program("gesture", "teach", "stroke", "--from", "strokes.jsonl", "--examples", "3")
    subcommands = [word for word in SUBCOMMAND.findall(help_of(simulator).split("SUBCOMMANDS:")[1])]
    return [
        *cases_of(ctl.program(), parser()),
        *cases_of([sys.executable, "-m", "jacquard_mqtt"], jacquard_mqtt.cli.parser()),
        *cases_of([sys.executable, "-m", "jacquard.service"], jacquard.service.parser()),
        *cases_of_binary(daemon),
        *(
            case
            for word in subcommands
            for case in cases_of_binary(simulator, word, ending=("--", "true") if word == "run" else ())
        ),
        Case("motion-record", (str(recorder), "1", PATH)),
        # Other ways to write to the same path, and paths that follow from others.
        Case("jacquardctl record FILE --label", record),
        Case("jacquardctl record FILE --label --force", (*record, "--force")),
        Case("jacquardctl run FILE --add", tuple(ctl.program("run", PATH, *rule))),
        Case("jacquardctl run --add", tuple(ctl.program("run", *rule)), at="home/.config/jacquard/automations.toml"),
        Case("jacquardctl firmware manifest: FILE.json", tuple(ctl.program("firmware", "manifest", "image", *manifest)), at="image.json"),
        Case("jacquardctl motion download: file", tuple(ctl.program("motion", "download", SERIAL, "a", "--timeout", "20")), at="DOWNLOADED"),
        Case("jacquardctl gesture teach: file", tuple(teach), at="home/.config/jacquard/gestures.toml"),
        Case("jacquard-mqtt: default file", (sys.executable, "-m", "jacquard_mqtt", "--check"), at="home/.config/jacquard-mqtt.toml"),
    ]


CASES = {case.name: case for case in cases()}
KINDS = ("file", "link", "dangling link", "directory", "fifo", "socket", "full", "read-only place")
