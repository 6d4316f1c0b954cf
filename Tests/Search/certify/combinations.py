#!/usr/bin/env python3
"""jacquardctl certify with many software tags: combinations.py [--singles] [--combinations N] [--faults N] [--seed N]

Each tag differs from the others in the assumptions of docs/protocol.md. No answer may be wrong. Without faults, each question must be
decided, unless the tag itself makes that impossible.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import search  # noqa: F401  # isort: skip  (it finds the following ones)
import fixtures  # noqa: E402, F401
from certifying import CONSENT, EVERYTHING, SCALE, USUAL, Ran, certify, wrong  # noqa: E402
from jacquard_certify.questions import BY_NAME  # noqa: E402

Profile = dict[str, str]
PAIRING = "pairing"
ATTEMPTS, STOOD_STILL = 3, "this computer stood still"
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
    # Begin is not repeated, so neither are the reports that follow it.
    if actual["second-hello"] == "refused" and not actual["greeting"].startswith("subscribed"):
        missing = [name for name in missing if name != "greeting"]
    return missing


def problem(folder: Path, profile: Profile, faults: list[str]) -> str:
    """What is wrong; "" if nothing. A session that says that this computer stood still is repeated."""
    # Slow experiments on short links need a clock that is not too fast.
    scale = 4 if "link-time" in profile and "latency" in profile else SCALE
    found, is_late = "", True
    for attempt in range(ATTEMPTS if not faults else 1):
        if is_late:
            found, is_late = once(folder / str(attempt), profile, faults, scale)
    return found


def once(folder: Path, profile: Profile, faults: list[str], scale: int) -> tuple[str, bool]:
    """What is wrong, and whether that is only a busy computer."""
    try:
        ran = certify(folder, *actions(profile), *faults, answers=f"{EVERYTHING}\n{CONSENT}", scale=scale)
    except subprocess.TimeoutExpired as late:
        return f"it did not end: {late.output!r}", False
    if ran.status != 0:
        return "" if faults and "Traceback" not in ran.said else f"status {ran.status}: {ran.said[-500:]}", False
    found = wrong(ran, {**USUAL, **profile}, scale)
    doubts = [] if faults else [f"{name} is not decided: {ran.answers[name]['doubt']}" for name in undecided(profile, ran)]
    is_late = not found and any(STOOD_STILL in doubt for doubt in doubts)
    return "; ".join([*found, *doubts]), is_late


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--singles", action="store_true")
    for name, default in (("combinations", 0), ("faults", 0), ("seed", 1), ("at-once", 6)):
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
    print(f"{len(cases)} tags, {failures} failed")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
