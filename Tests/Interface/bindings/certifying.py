"""Runs jacquardctl certify with software tags."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ctl
import jacquard
import places
from jacquard_certify import wire
from jacquard_certify.experiments import functions
from simulator import SERIAL, Simulator

SCALE = 10
CONSENT = "bind: the tag may forget its phone"
NOTHING = "use: no\nmotion: no\nlisten: no"
EVERYTHING = "use: yes\nmotion: yes\nlisten: yes"
LONGEST = 240
# The behaviour of the simulator without any action.
USUAL = {
    "greeting": "subscribed",
    "motion erase-response": "start",
    "motion erase-time": "500ms",
    "second-hello": "accepted",
    "link-time": "unlimited",
    "latency": "0s",
    "packet-numbers": "continue",
    "load-report": "after",
    "address": "identity",
}
# The tolerance of a measured time: a part of it, and seconds, because the machine is busy.
TOLERANCE, NOISE = 0.2, 0.4


@dataclasses.dataclass
class Ran:
    status: int
    said: str
    path: Path

    @property
    def file(self) -> dict[str, Any]:
        assert self.status == 0, self.said
        found: dict[str, Any] = json.loads(self.path.read_text())
        return found

    @property
    def answers(self) -> dict[str, Any]:
        found: dict[str, Any] = self.file["answers"]
        return found

    @property
    def values(self) -> dict[str, Any]:
        return {name: answer["value"] for name, answer in self.answers.items()}


def certify(folder: Path, *actions: str, answers: str = "", tag: str = SERIAL, scale: int = SCALE, like: Path | None = None) -> Ran:
    """A session with a software tag of its own, under these actions of a scenario."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scenario").write_text("".join(f"{action}\n" for action in actions))
    (folder / "answers").write_text(answers or EVERYTHING)
    simulated = ["--no-service", "--time-scale", str(scale), "--scenario", str(folder / "scenario")]
    simulated += [] if like is None else ["--like", str(like)]
    command = [str(places.SIMULATOR), "run", *simulated, "--", *words(folder, tag, scale)]
    # All software tags have the same serial number, and sessions at the same time must not share the state to restore.
    environment = ctl.environment("unix:path=/none", XDG_RUNTIME_DIR=str(folder), XDG_STATE_HOME=str(folder))
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LONGEST * SCALE / scale)
    return Ran(ran.returncode, ran.stdout + ran.stderr, folder / "file")


def words(folder: Path, tag: str = SERIAL, scale: int = SCALE) -> list[str]:
    options = ["--answers", str(folder / "answers"), "--time-scale", str(scale), "--output", str(folder / "file"), "--force"]
    return ctl.program("certify", tag, *options)


def started(simulator: Simulator, folder: Path, answers: str = "") -> subprocess.Popen[str]:
    """A session that runs, with the tag of this simulator."""
    (folder / "answers").write_text(answers or EVERYTHING)
    environment = ctl.environment(simulator.bus_address, XDG_STATE_HOME=str(folder))
    return subprocess.Popen(
        words(folder), env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def promised(folder: Path) -> list[str]:
    """The kinds of state that sessions with this folder have changed and not restored yet."""
    found: list[str] = []
    for path in folder.glob("jacquard/certify/undo-*.json"):
        # A session may have kept its last promise meanwhile.
        with contextlib.suppress(FileNotFoundError):
            found += json.loads(path.read_text())["open"]
    return found


def begun_updates(simulator: Simulator) -> set[str]:
    """The requests of firmware updates that a tag has received; to ask for the status of one is harmless."""
    return {"dfu-prepare", "dfu-write", "dfu-execute"} & set(simulator.tell("journal requests").split("; "))


def is_right(value: str, actual: str, scale: int = SCALE) -> bool:
    """Whether an answer is that of the simulator; a time that is measured is not exact."""
    if value == actual:
        return True
    found, wanted = seconds(value), seconds(actual)
    return found is not None and wanted is not None and abs(found - wanted) <= TOLERANCE * wanted + NOISE * scale


def seconds(text: str) -> float | None:
    found = re.fullmatch(r"(\d+)(ms|s)", text)
    return None if found is None else int(found[1]) / (1000 if found[2] == "ms" else 1)


def wrong(ran: Ran, actual: dict[str, str], scale: int = SCALE) -> list[str]:
    """The answers that are not those of the tag. A missing answer is not wrong, but its candidates may be."""
    problems = []
    for name, answer in ran.answers.items():
        if name not in actual:
            continue
        if answer["value"] is not None and not is_right(answer["value"], actual[name], scale):
            problems.append(f"{name}: {answer['value']} instead of {actual[name]}")
        if answer["candidates"] and actual[name] not in answer["candidates"]:
            problems.append(f"{name}: {answer['candidates']} without {actual[name]}")
    return problems


@contextlib.contextmanager
def without_service() -> Iterator[None]:
    before = os.environ.get("JACQUARD_SERVICE")
    os.environ["JACQUARD_SERVICE"] = "off"
    try:
        yield
    finally:
        if before is None:
            del os.environ["JACQUARD_SERVICE"]
        else:
            os.environ["JACQUARD_SERVICE"] = before


def state(simulator: Simulator) -> dict[str, Any]:
    """The stored state of the tag, read with the library and with requests of this test."""

    async def read() -> dict[str, Any]:
        async with jacquard.Manager(bus_address=simulator.bus_address) as manager:
            async with manager.connect(serial=SERIAL) as connection:
                tag = await connection.tag()
                wanted = (1100, wire.encoded((1, 1), (2, 1), (3, 1)))
                response = await tag.send_request(wire.request(0, 10, wanted))
                modules = await tag.modules()
                firmware = await functions.firmware_status(tag)
                await tag.prepare_motion()
                sessions = await tag.sessions()
                status = await tag.motion_status()
                if not modules[0].enabled:
                    await tag.release_motion()
                return {
                    "name": tag.info.name,
                    "configuration": wire.within(response, 1101),
                    "modules": modules,
                    "sessions": sessions,
                    "motion": status.activity,
                    "value": await tag.read_value("theirs"),
                    "firmware": firmware,
                    "bonds": await manager.known(),
                }

    with without_service():
        for _ in range(9):
            # Some tags end links soon.
            with contextlib.suppress(jacquard.LinkError):
                return asyncio.run(read())
        return asyncio.run(read())
