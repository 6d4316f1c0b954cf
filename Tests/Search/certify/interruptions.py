#!/usr/bin/env python3
"""jacquardctl certify that is interrupted: interruptions.py [--sessions N] [--seed N]

A program that is killed at any moment leaves nothing that the next run does not restore: the tag's stored data is as before, and
no update was begun. The last line says how many sessions were interrupted while they ran, and what they had to restore then.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import search  # isort: skip  (it finds the following ones)
import fixtures  # noqa: E402, F401
from certifying import EVERYTHING, NOTHING, SCALE, USUAL, begun_updates, promised, started, state  # noqa: E402
from jacquard_certify.questions import BY_NAME  # noqa: E402
from simulator import SERVICE, Simulator  # noqa: E402
from waiting import until  # noqa: E402

ANSWERS = (f"{EVERYTHING}\nlisten: no", f"{EVERYTHING}\nlisten: no", EVERYTHING)
# A session without the last stage sends about 130 requests.
MOST_REQUESTS, MOST_SECONDS = 130, 0.3
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM)
# A tag complains about a program that was killed during a download. The last line only counts.
COMPLAINTS = ("data not acknowledged", "violation of the protocol", "violations of the protocol")
INTERRUPTED, TO_RESTORE = "interrupted while they ran", "of them with something to restore"
counts: Counter[str] = Counter()


def session(folder: Path, seed: int) -> str:
    """What is wrong; "" if nothing."""
    chance = random.Random(seed)
    folder.mkdir()
    # A slow tag would only prolong the comparison.
    profile = {name: chance.choice(BY_NAME[name].values) for name in USUAL if name != "latency"}
    simulator = Simulator("--no-service", "--time-scale", str(SCALE))
    try:
        for action in ("session theirs samples 20", "gear attach levis-trucker", "name Anna"):
            simulator.tell(action)
        for name, value in profile.items():
            simulator.tell(f"{name} {value}")
        found = problems(simulator, folder, chance)
    finally:
        complaints = simulator.stop().splitlines()
    found += [line for line in complaints if not any(usual in line for usual in COMPLAINTS)]
    return f"{profile}: {'; '.join(found)}" if found else ""


def problems(simulator: Simulator, folder: Path, chance: random.Random) -> list[str]:
    before = state(simulator)
    for _ in range(chance.choice([1, 1, 2])):
        interrupt(simulator, folder, chance)
    finishing = started(simulator, folder, NOTHING)
    said, _ = finishing.communicate()
    if finishing.returncode != 0:
        return [f"it could not be finished: {said[-300:]}"]
    left, after = promised(folder), state(simulator)
    different = [f"{name}: {before[name]} and then {after[name]}" for name in before if before[name] != after[name]]
    return [*different, *([f"still to restore: {left}"] if left else []), *begun_updates(simulator)]


def interrupt(simulator: Simulator, folder: Path, chance: random.Random) -> None:
    """Starts a session, and ends it after a random number of requests, and a moment."""
    sent = requests(simulator)
    most, pause = sent + chance.randint(1, MOST_REQUESTS), chance.uniform(0, MOST_SECONDS)
    process = started(simulator, folder, chance.choice(ANSWERS))
    until(lambda: requests(simulator) >= most or process.poll() is not None, 120, period=0.005)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(pause)
    if process.poll() is None:
        # Anything that it writes between these two lines is not counted.
        kinds = promised(folder)
        process.send_signal(chance.choice(SIGNALS))
        counts.update([INTERRUPTED, *kinds, *([TO_RESTORE] if kinds else [])])
    process.communicate()


def requests(simulator: Simulator) -> int:
    return len(simulator.tell("journal requests").split("; "))


def main() -> int:
    # All these sessions share the environment of this process, so it must not change.
    os.environ[SERVICE] = "off"
    status = search.main(session, "sessions", 200)
    print(", ".join(f"{count} {what}" for what, count in counts.most_common()))
    # A search that interrupts nothing finds nothing.
    return status or counts[TO_RESTORE] == 0


if __name__ == "__main__":
    sys.exit(main())
