#!/usr/bin/env python3
"""Software tags that behave like the one of a file: likeness.py [--pairs N] [--seed N]

First there is a session with a random tag, then one with a software tag that knows only the file of the first session. Both must give
the same answers, from the same packets in the same order.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import search  # isort: skip  (it finds the following ones)
import fixtures  # noqa: E402, F401
from certifying import EVERYTHING, SCALE, USUAL, Ran, certify, is_right  # noqa: E402
from jacquard_certify import wire  # noqa: E402
from jacquard_certify.questions import BY_NAME  # noqa: E402

# Permitted differences of two medians: a part, and seconds on the clock of this machine.
PART, NOISE = 0.2, 0.005


def pair(folder: Path, seed: int) -> str:
    chance = random.Random(seed)
    profile = {name: chance.choice(BY_NAME[name].values) for name in USUAL}
    # On a fast clock, links of 45 s are too short for a slow tag.
    scale = 4 if profile["link-time"] == "45s" and profile["latency"] != "0s" else SCALE
    first = certify(folder / "first", *(f"{name} {value}" for name, value in profile.items()), answers=EVERYTHING, scale=scale)
    if first.status != 0:
        return f"{profile}: status {first.status}: {first.said[-300:]}"
    second = certify(folder / "second", answers=EVERYTHING, scale=scale, like=first.path)
    if second.status != 0:
        return f"{profile}: status {second.status} with the file: {second.said[-300:]}"
    found = "; ".join(difference for name in USUAL for difference in differences(name, first, second, scale))
    return f"{profile}: {found}" if found else ""


def differences(name: str, first: Ran, second: Ran, scale: int) -> list[str]:
    one, other = first.answers[name], second.answers[name]
    found = []
    is_same = one["value"] == other["value"]
    if BY_NAME[name].is_time and one["value"] and other["value"]:
        is_same = is_right(other["value"], one["value"], scale)
    if not is_same:
        found.append(f"{name}: {one['value']}, and {other['value']} ({other['doubt']})")
    elif [kind(line) for line in one["evidence"]] != [kind(line) for line in other["evidence"]]:
        found.append(f"{name}: other packets, {one['evidence']} and {other['evidence']}")
    if name == "latency" and is_same and one["value"]:
        median, again = one["measured"]["median"], other["measured"]["median"]
        if abs(median - again) > max(PART * median, NOISE * scale):
            found.append(f"latency: {median} s and {again} s")
    return found


def kind(line: str) -> tuple[Any, ...]:
    """The data that is the same in each session: the status of a response, and the fields that each packet has."""
    _, channel, data = line.split()
    if channel == wire.RAW:
        return (channel,)
    fields = list(wire.fields(bytes.fromhex(data)))
    status = next((content for number, content in fields if number == 2), None)
    return (channel, status if channel == wire.RESPONSE else None, *(number for number, _ in fields))


if __name__ == "__main__":
    sys.exit(search.main(pair, "pairs", 50))
