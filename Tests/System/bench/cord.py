#!/usr/bin/env python3
"""How well gestures are recognised on a braided cord with four capacitive lines: cord.py FOLDER

FOLDER is raw_mini of github.com/fabricComputing/braidedElectronicCord (Nature Communications 2022, 13, 34918): eight
commands with fifty recordings each. Neither these nor a licence for them are part of this repository. Examples are
drawn at random, all other recordings are tested, and nothing is rejected.
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

sys.path[:0] = map(str, Path(__file__).resolve().parents[3].glob("apps/*/src"))
from jacquard_automations.trained.episodes import TOUCHED, Episode, Sample  # noqa: E402
from jacquard_automations.trained.recogniser import Recogniser, Taught  # noqa: E402

LINES = 4
# Column of the capacitance of the first line; that of each further line is two columns later.
FIRST = 1
# A line rests at its second percentile: some recordings begin during a touch.
REST = 0.02
# Counts for 1 % more capacitance, so that a pinch reads about 100, like a finger on a sleeve.
COUNTS = 4000
DRAWS = 10
# Recognised share, with this number of examples.
LIMITS = {5: 0.77, 25: 0.89}


def episode(path: Path) -> Episode:
    """The samples of a recording, from the first touched one to the last."""
    rows = [row for row in list(csv.reader(path.open(encoding="utf-8-sig")))[2:] if len(row) > FIRST + 2 * LINES]
    readings = [[float(row[FIRST + 2 * line]) for line in range(LINES)] for row in rows]
    rests = [sorted(line)[int(REST * len(rows))] for line in zip(*readings)]
    samples = [
        Sample(float(row[0]), tuple(max(0, round((now / rest - 1) * COUNTS)) for now, rest in zip(reading, rests)))
        for row, reading in zip(rows, readings)
    ]
    touched = [number for number, sample in enumerate(samples) if max(sample.levels) >= TOUCHED]
    return Episode(tuple(samples[touched[0] : touched[-1] + 1]))


def recognised(commands: dict[str, list[Episode]], count: int, dice: random.Random) -> float:
    """The share, with this number of examples of each command."""
    taught, rest = [], []
    for name, all_episodes in commands.items():
        shuffled = dice.sample(all_episodes, len(all_episodes))
        taught.append(Taught(name, shuffled[:count]))
        rest += [(name, each) for each in shuffled[count:]]
    recogniser = Recogniser(taught)
    decisions = [(name, recogniser.decide(each)) for name, each in rest]
    return sum(decision is not None and decision.nearest == name for name, decision in decisions) / len(rest)


def main(folder: Path) -> None:
    commands = {each.name: [episode(path) for path in sorted(each.glob("*.csv"))] for each in sorted(folder.iterdir())}
    dice = random.Random(1)
    missed = []
    for count, limit in LIMITS.items():
        shares = [recognised(commands, count, dice) for _ in range(DRAWS)]
        share = sum(shares) / DRAWS
        print(
            f"{count:2} examples: {share:.1%} ({min(shares):.1%} to {max(shares):.1%}), limit {limit:.0%}", flush=True
        )
        missed += [count] if share < limit else []
    sys.exit(f"The limit was missed with {missed} examples." if missed else 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
