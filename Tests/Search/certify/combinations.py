#!/usr/bin/env python3
"""jacquardctl certify with many software tags: combinations.py [--singles] [--combinations N] [--interruptions N] [--seed N]

Each tag differs from the others in what docs/protocol.md assumes. No answer may be wrong. Without faults, each question must be
decided, unless the tag itself makes that impossible. A program that is killed at any moment leaves nothing that the next run
does not restore.
"""

from __future__ import annotations

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import search  # noqa: F401  # isort: skip  (it finds the following ones)
import fixtures  # noqa: E402, F401
from certifying import CONSENT, EVERYTHING, NOTHING, SCALE, USUAL, Ran, certify, started, state, wrong  # noqa: E402
from jacquard_certify.questions import BY_NAME  # noqa: E402
from simulator import Simulator  # noqa: E402

Profile = dict[str, str]
PAIRING = "pairing"
VARIED = [*USUAL, PAIRING]
FAULTS = (
    "on request any 3 times: drop",
    "on request any 5 times: status 10",
    "on request any 2 times: garbage",
    "after ready every 7s drop link",
    "after ready once 3s bluetoothd hang for 4s",
    "after ready once 2s bluetoothd restart after 1s",
    "corrupt notification header",
    "load-report never",
    "motion erase-report never",
    "motion erase-report 7",
    "air-time 20ms",
)


def singles() -> Iterator[Profile]:
    for name in VARIED:
        for value in BY_NAME[name].values:
            yield {name: value}


def combination(chance: random.Random) -> Profile:
    return {name: chance.choice(BY_NAME[name].values) for name in VARIED}


def actions(profile: Profile) -> list[str]:
    return [f"pairing asks {value}" if name == PAIRING else f"{name} {value}" for name, value in profile.items()]


def undecided(profile: Profile, ran: Ran) -> list[str]:
    """The questions without an answer, although the tag lets them be decided."""
    actual = {**USUAL, **profile}
    missing = [name for name in VARIED if name in actual and ran.values[name] is None]
    # Begin is not repeated, so neither is what follows it.
    if actual["second-hello"] == "refused" and not actual["greeting"].startswith("subscribed"):
        missing = [name for name in missing if name != "greeting"]
    return missing


def problem(folder: Path, profile: Profile, faults: list[str]) -> str:
    """What is wrong; "" if nothing."""
    # Slow experiments on short links need a clock that is not too fast.
    scale = 4 if "link-time" in profile and "latency" in profile else SCALE
    try:
        ran = certify(folder, *actions(profile), *faults, answers=f"{EVERYTHING}\n{CONSENT}", scale=scale)
    except subprocess.TimeoutExpired as late:
        return f"it did not end: {late.output!r}"
    if ran.status != 0:
        return "" if faults and "Traceback" not in ran.said else f"status {ran.status}: {ran.said[-500:]}"
    found = wrong(ran, {**USUAL, **profile}, scale)
    if not faults:
        found += [f"{name} is not decided: {ran.answers[name]['doubt']}" for name in undecided(profile, ran)]
    return "; ".join(found)


def interrupted(folder: Path, seed: int) -> str:
    chance = random.Random(seed)
    folder.mkdir()
    with Simulator("--time-scale", str(SCALE)) as simulator:
        simulator.tell("session theirs samples 20")
        for action in actions({name: value for name, value in combination(chance).items() if name != "latency"}):
            simulator.tell(action)
        before = state(simulator)
        process = started(simulator, folder, f"{EVERYTHING}\nlisten: no")
        time.sleep(chance.uniform(0.3, 6))
        process.send_signal(chance.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM]))
        process.communicate()
        finishing = started(simulator, folder, NOTHING)
        said, _ = finishing.communicate()
        after, requests = state(simulator), simulator.tell("journal requests")
    if finishing.returncode != 0:
        return f"it could not be finished: {said[-300:]}"
    different = [name for name in before if before[name] != after[name]]
    return f"{different} differ" if different else "an update was begun" if "dfu-" in requests else ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--singles", action="store_true")
    for name, default in (("combinations", 0), ("faults", 0), ("interruptions", 0), ("seed", 1), ("at-once", 6)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    cases: list[tuple[Profile, list[str]]] = [(profile, []) for profile in singles()] if options.singles else []
    cases += [(combination(chance), []) for _ in range(options.combinations)]
    cases += [(combination(chance), chance.sample(FAULTS, 2)) for _ in range(options.faults)]
    failures = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.at_once) as pool:
        places = [Path(folder, str(number)) for number in range(len(cases))]
        profiles, faults = [profile for profile, _ in cases], [fault for _, fault in cases]
        for case, found in zip(cases, pool.map(problem, places, profiles, faults)):
            failures += bool(found)
            if found:
                print(f"{case}: {found}", flush=True)
        # One after the other: each is timed, and they share the environment of this process.
        for number in range(options.interruptions):
            seed = options.seed * 100_000 + number
            found = interrupted(Path(folder, f"interrupted-{number}"), seed)
            failures += bool(found)
            if found:
                print(f"interruption {seed}: {found}", flush=True)
    print(f"{len(cases)} tags and {options.interruptions} interruptions, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
