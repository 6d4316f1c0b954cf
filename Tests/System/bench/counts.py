"""Counts the instructions of one notification, command or advertisement with callgrind, and the system calls of a notification
with strace: those of a program that uses the library, and those of programs without it. The counts do not depend on the
machine's load."""

import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import programs

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
SIMULATOR = ROOT / "build" / "bin" / "jacquard-sim"
PROGRAMS = ROOT / "build" / "bench"
PROMPT = "connect takes 0ms\nresolve takes 0ms\nlatency 0ms\nquirk silent-connected off\nquirk resolved-first off\n"
PROFILES = 40
SECONDS = PROFILES * 0.15
# Domain, opcode, component; touch data with a sequence number, proximity and twelve lines.
TOUCH = "c0 1c 08 08 10 07 18 65 aa 39 13 12 11 20 05 3a 0d 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d"
# Lines that cause a notification. The scenario causes the first one, and the program each further one when it has
# received the last one.
LINES = {"battery": "battery 80", "touch": f"send notification {TOUCH}"}
# The scenario, and the programs, each with the function that it calls every time. Commands follow each other;
# advertisements come every 150 ms, so that they come one by one even under valgrind.
MEASURED: dict[str, tuple[str, dict[str, tuple[list[Any], str]]]] = {
    **{name: (f"after subscribed 1s {line}", {
        "library": (["library", 1, name], f"on_{name}"),
        **{floor: ([floor, 1], "look") for floor in ("bare", "direct", *programs.ON_SD_BUS)},
    }) for name, line in LINES.items()},
    "command": ("", {"library": (["command", 1.5], "on_charge"), "bare": (["bare-command", 1.5], "await_response")}),
    "advertisement": ("advertise every 150ms", {
        "library": (["scan", SECONDS], "on_advertisement"), "bare": (["bare-scan", SECONDS], "look")}),
}


def receive(library: str, function: str, profile: str, program: str, *arguments: str) -> None:
    """Runs inside the simulated world. callgrind writes a profile whenever the function begins."""
    valgrind = ["valgrind", "--tool=callgrind", "--demangle=no", "--dump-instr=yes", "--compress-pos=no", f"--dump-before={function}"]
    # Asking for the next notification does not count.
    valgrind += ["--toggle-collect=measure_latency", "--collect-atstart=yes"]
    command: list[str | Path] = [*valgrind, f"--callgrind-out-file={profile}", PROGRAMS / program, *arguments]
    preloaded = {"LD_PRELOAD": library} if Path(PROGRAMS / program).name in programs.ON_LIBJACQUARD else {}
    subprocess.run(command, env=os.environ | preloaded, stderr=subprocess.DEVNULL, check=True)


def cost(path: Path) -> tuple[int, int, int, int]:
    """The instructions of a profile, those of the library, and the lines and pages of the library's code that contain
    them."""
    objects: dict[str, str] = {}
    inside, is_call = None, False
    everything, own = 0, 0
    lines: set[int] = set()
    pages: set[int] = set()
    for line in path.read_text().splitlines():
        if match := re.match(r"c?ob=\((\d+)\)(?: (.*))?", line):
            if match[2]:
                objects[match[1]] = match[2]
            if not line.startswith("c"):
                inside = objects[match[1]]
        elif line.startswith("calls="):
            is_call = True
        elif match := re.match(r"0x([0-9a-f]+) \S+ (\d+)$", line):
            if not is_call:
                everything += int(match[2])
                if inside and "libjacquard" in inside:
                    own += int(match[2])
                    lines.add(int(match[1], 16) >> 6)
                    pages.add(int(match[1], 16) >> 12)
            is_call = False
    return everything, own, len(lines), len(pages)


def run(folder: str, name: str, service: str, command: Iterable[object], delay: str = "") -> None:
    """Runs a program in a simulated world that causes notifications, or whatever is measured."""
    Path(folder, "scenario").write_text(PROMPT + MEASURED[name][0] + "\n")
    world: list[object] = [SIMULATOR, "run", service, "--scenario", f"{folder}/scenario"]
    environment = dict(os.environ)
    if name in LINES:
        world += ["--control", f"{folder}/control"]
        environment |= {"BENCH_CONTROL": f"{folder}/control", "BENCH_LINE": delay + LINES[name], "BENCH_SAMPLES": str(PROFILES)}
    words = [*map(str, [*world, "--", *command])]
    subprocess.run(words, env=environment, check=True, capture_output=True, timeout=120)


def system_calls(program: str, service: str = "--no-service") -> list[tuple[str, ...]]:
    """For each notification of touch, the calls from the line that causes it until its delivery. The program waits again before
    it comes."""
    (name, *arguments), _ = MEASURED["touch"][1][program]
    with tempfile.TemporaryDirectory() as folder:
        run(folder, "touch", service, ["strace", "-s", 200, "-o", f"{folder}/trace", PROGRAMS / name, *arguments], "at 20ms ")
        lines = Path(folder, "trace").read_text().splitlines()
    found: list[list[str]] = []
    is_counting = False
    for line in lines:
        call = line.partition("(")[0]
        if call == "write" and LINES["touch"] in line:
            found.append([])
            is_counting = True
        elif call == "clock_nanosleep":  # latency.h prepares the next notification
            is_counting = False
        elif is_counting:
            found[-1].append(call)
    return [tuple(calls) for calls in found]


def measure(library: str, name: str, service: str = "--no-service", program: str = "library") -> list[int]:
    command, function = MEASURED[name][1][program]
    with tempfile.TemporaryDirectory() as folder:
        run(folder, name, service, [sys.executable, __file__, library, function, f"{folder}/profile", *command])
        profiles = sorted(Path(folder).glob("profile.*"), key=lambda path: int(path.suffix[1:]))
        costs = [cost(path) for path in profiles[-PROFILES // 2 : -1]]
    return [round(statistics.median(column)) for column in zip(*costs)]


if __name__ == "__main__":
    receive(*sys.argv[1:])
