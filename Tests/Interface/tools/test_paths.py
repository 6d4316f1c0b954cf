"""Every option with a path, of every program, for everything that can be at a path: nothing is lost, and nothing hangs.

The options are those of the programs' help, so a new one is covered without a change here.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import socket
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ctl
import places
import pytest
from jacquard_apps.terminal import exits
from path_options import CASES, KINDS, PATH, Case
from simulator import SERIAL, Simulator
from test_dataset import GOOD

# Seconds, and bytes of address space for programs that read /dev/full, which never ends.
LIMIT, MEMORY = 20, 1 << 32
AT_ONCE = 4
CONTENT = b"precious\n" * 10
# No one can create a file there, not even root.
READ_ONLY = "/sys/jacquard"


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
    """Creates an object of this kind at the path."""
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
    """Each file: its inode, its mode, and its contents or target."""

    def content(path: Path, mode: int) -> bytes:
        return path.read_bytes() if stat.S_ISREG(mode) else os.fsencode(os.readlink(path)) if stat.S_ISLNK(mode) else b""

    each = ((path, path.lstat()) for path in folder.rglob("*"))
    return {str(path.relative_to(folder)): (one.st_ino, one.st_mode, content(path, one.st_mode)) for path, one in each}


def outcome(world: World, case: Case, kind: str, folder: Path) -> str:
    """The problem; "" if there is none."""
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
