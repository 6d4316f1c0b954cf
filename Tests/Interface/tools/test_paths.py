"""Every option with a path, of every program, for everything that can be at a path: nothing is lost, and nothing hangs.

The options are those of the programs' help, so a new one is covered without a change here.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import itertools
import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ctl
import jacquard.service
import jacquard_mqtt.cli
import places
import pytest
from jacquard_apps.terminal import exits
from jacquardctl.parser import parser
from simulator import SERIAL, Simulator
from test_dataset import GOOD

# Seconds, and bytes of address space for programs that read /dev/full, which never ends.
LIMIT, MEMORY = 20, 1 << 32
AT_ONCE = 4
CONTENT = b"precious\n" * 10
PATH = "<path>"
# No one can create a file there, not even root.
READ_ONLY = "/sys/jacquard"

NAMES_A_PATH = re.compile(r"\b(files?|paths?|folder|director(y|ies))\b", re.IGNORECASE)
# Their help names the file that they are written to.
PARTS_OF_RULES = ("EVENT", "ACTION", "LINE")
SUFFIX = re.compile(r"(?:^FILE|ending with )(\.[a-z]+)")
# Lines of the help of programs in C and Swift.
OPTION = re.compile(r"^ +(?:-\w, )?(--[a-z-]+) <?([^\s>]+)>?", re.MULTILINE)
SUBCOMMAND = re.compile(r"^  ([a-z]+) {2,}\S", re.MULTILINE)

# The required arguments of commands, by their names or by command and name.
VALUES = {
    "TAG": [SERIAL],
    # It would take minutes with a tag that is there.
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
# Options with which a command that would go on ends by itself, and what they need.
ENDING = {"--for": ["1"], "--yes": [], "--no-browser": [], "certify --timeout": ["1"], "run --check": [], " --check": []}
LABEL = ("--label", "tap", "--hand", "left", "--garment", "coat", "--consent")


@dataclasses.dataclass(frozen=True)
class Case:
    """A command line with a path."""

    name: str
    words: tuple[str, ...]
    suffix: str = ""
    # Where it is in the folder of the case.
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


def test_known_options_are_among_them() -> None:
    known = {
        "jacquardctl play --midi",
        "jacquardctl play --midi --force",
        "jacquardctl play --map",
        "jacquardctl record FILE",
        "jacquardctl motion convert TARGET",
        "jacquardctl motion download --directory",
        "jacquardctl dataset merge FILE",
        "jacquard-mqtt --config",
        "jacquard.service --socket",
        "jacquardd --socket",
        "jacquard-sim run --state",
        "jacquard-sim run --scenario",
        "jacquard-sim serve --control",
        "jacquard-sim peer --socket",
    }
    assert known <= CASES.keys(), CASES.keys()
    assert len(CASES) > 40


@dataclasses.dataclass(frozen=True)
class World:
    """A simulator with a bound tag, and files that commands read."""

    simulator: Simulator
    inputs: dict[str, bytes]
    # The name of a file that motion download writes.
    downloaded: str
    cache: Path


@pytest.fixture(scope="module")
def world(simulator_for_module: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("inputs")
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    simulator = simulator_for_module
    simulator.tell("gear attach levis-trucker")
    simulator.tell("session a samples 20")
    assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
    assert ctl.run(simulator, "motion", "download", SERIAL, cwd=folder).returncode == exits.OK
    (downloaded,) = folder.glob("*.bin")
    strokes = subprocess.run([places.SIMULATOR, "strokes", "tap", "--count", "3"], capture_output=True, check=True).stdout
    labelled = "".join(f"{line}\n" for line in GOOD)
    inputs = {"motion.bin": downloaded.read_bytes(), "strokes.jsonl": strokes, "labelled.jsonl": labelled.encode()}
    yield World(simulator, {**inputs, "image": bytes(8)}, downloaded.name, folder / "cache")
    monkeypatch.undo()


@contextlib.contextmanager
def open_folder(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


@contextlib.contextmanager
def something(kind: str, path: Path) -> Iterator[None]:
    """At the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind in ("link", "dangling link"):
        path.symlink_to(path.with_name("target"))
    if kind in ("file", "link"):
        path.write_bytes(CONTENT)
    elif kind == "directory":
        path.mkdir()
        (path / "inner").write_bytes(CONTENT)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "full":
        path.symlink_to("/dev/full")
    if kind != "socket":
        yield
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener, open_folder(path.parent) as folder:
        listener.bind(f"/proc/self/fd/{folder}/{path.name}")  # the path itself may be too long
        listener.listen()
        yield


Found = dict[str, tuple[int, int, bytes]]


def found(folder: Path) -> Found:
    """Each file: which it is, its mode, and its contents or target."""

    def content(path: Path, mode: int) -> bytes:
        return path.read_bytes() if stat.S_ISREG(mode) else os.fsencode(os.readlink(path)) if stat.S_ISLNK(mode) else b""

    each = ((path, path.lstat()) for path in folder.rglob("*"))
    return {str(path.relative_to(folder)): (one.st_ino, one.st_mode, content(path, one.st_mode)) for path, one in each}


def outcome(world: World, case: Case, kind: str, folder: Path) -> str:
    """What is wrong; "" if nothing."""
    for name, data in world.inputs.items():
        (folder / name).write_bytes(data)
    place = folder / f"{case.at.replace('DOWNLOADED', world.downloaded)}{case.suffix}"
    path = READ_ONLY + case.suffix if kind == "read-only place" else str(place)
    with something(kind, place):
        before = found(folder)
        environment = {
            **ctl.environment(world.simulator.bus_address),
            "HOME": str(folder / "home"),
            "PYTHONPATH": f"{places.PYTHONPATH}:{places.MQTT_SOURCE}",
            # Many short programs start, which would otherwise compile their modules again.
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(world.cache),
        }
        command = ["prlimit", f"--as={MEMORY}", "--", *case.command(path)]
        try:
            ran = subprocess.run(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT
            )
        except subprocess.TimeoutExpired as hanging:
            return f"it hangs: {hanging.stderr!r}"
        after = found(folder)
    lost = [name for name, one in before.items() if after.get(name) != one]
    new = [name for name in after if name not in before and name != "home"]
    succeeds = kind in SUCCEEDS.get(case.name, ())
    problems = {
        "traceback": "Traceback" in ran.stderr or "Error(" in ran.stderr,
        f"lost: {lost}": lost and not (succeeds and case.name.endswith(" --force")),
        f"left: {new}": new and ran.returncode != 0,
        f"status {ran.returncode}": (ran.returncode == 0) != succeeds or ran.returncode < 0,
        "no sentence": ran.returncode != 0 and not re.search(r"\w+ \w+", ran.stderr),
        "an errno": "Errno" in ran.stderr,
    }
    wrong = [problem for problem, exists in problems.items() if exists]
    return "; ".join([*wrong, ran.stdout[-300:], ran.stderr[-600:]]) if wrong else ""


# Everything else is refused. Nothing is played, so nothing is written.
SUCCEEDS = {
    "jacquardctl play --midi --force": ("file", "link", "dangling link", "full"),
    "jacquardctl record FILE --force": ("file", "link", "dangling link"),
    "jacquardctl firmware manifest FILE": ("file", "link"),
    "jacquardctl motion download --directory": ("directory",),
    # The configuration may be linked to a file in another place.
    "jacquardctl run FILE --add": ("dangling link",),
    "jacquardctl run --add": ("dangling link",),
    "jacquardctl gesture teach: file": ("dangling link",),
    # An empty configuration means the defaults.
    "jacquard-mqtt --config": ("fifo",),
    "jacquard-mqtt: default file": ("dangling link", "fifo"),
    "jacquard-sim run --state": ("directory",),
}


@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_whatever_is_at_the_path_stays(world: World, tmp_path: Path, case: Case) -> None:
    kinds = [kind for kind in KINDS if PATH in case.words or kind != "read-only place"]
    folders = [tmp_path / kind.split()[0] for kind in kinds]
    for folder in folders:
        folder.mkdir()
    uses_tag = SERIAL in case.words or case.name == "motion-record"
    with ThreadPoolExecutor(1 if uses_tag else AT_ONCE) as pool:
        outcomes = pool.map(lambda kind, folder: outcome(world, case, kind, folder), kinds, folders)
        wrong = [f"{kind}: {problem}" for kind, problem in zip(kinds, outcomes) if problem]
    assert not wrong, "\n".join(wrong)
