#!/usr/bin/env python3
"""Hostile files for jacquardctl certify --show and jacquard-sim --like: files.py [--files N] [--started N] [--seed N]

Each file is that of a session, truncated, with other bytes or with other values. It is read or refused with a sentence, and
words that the program does not know are neither shown nor obeyed. The software tag is started with some of the files.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import search  # noqa: F401  # isort: skip  (it finds the following ones)
import fixtures  # noqa: E402, F401
import places  # noqa: E402
from certifying import certify  # noqa: E402
from jacquard_certify import report  # noqa: E402
from jacquard_certify.questions import QUESTIONS  # noqa: E402

WORDS = ("begun\nquit", "$(reboot)", "`reboot`", "../../etc/passwd", "<script>", "\x1b[2J", "\ud800", "\0", "", "0ms", "9" * 400 + "ms", "-1ms")
NUMBERS = (0, -1, True, False, None, 1e308, float("nan"), float("inf"), 10**400, 2**63)
LONGEST_REFUSAL = 200


def value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randrange(4 if depth < 3 else 2)
    if kind == 0:
        return chance.choice(WORDS)
    if kind == 1:
        return chance.choice(NUMBERS)
    inner = [value(chance, depth + 1) for _ in range(chance.randrange(3))]
    return inner if kind == 2 else {chance.choice(WORDS) or "value": one for one in inner}


def places_in(node: Any) -> list[tuple[Any, Any]]:
    """Each value in it: what contains it, and where."""
    keys = list(node) if isinstance(node, dict) else list(range(len(node))) if isinstance(node, list) else []
    return [(node, key) for key in keys] + [found for key in keys for found in places_in(node[key])]


def changed_values(text: str, chance: random.Random) -> bytes:
    found = json.loads(text)
    for _ in range(chance.randint(1, 3)):
        all_places = places_in(found)
        # Most values are those of the recording, which only the library reads.
        node, key = chance.choice(all_places if chance.random() < 0.3 else places_in(found["answers"]) or all_places)
        if chance.random() < 0.2:
            del node[key]
        elif isinstance(node, dict) and chance.random() < 0.2:
            node[chance.choice(WORDS)] = node.pop(key)
        else:
            node[key] = value(chance)
    return json.dumps(found).encode()


def changed_bytes(text: str, chance: random.Random) -> bytes:
    data = bytearray(text.encode())
    if chance.random() < 0.5:
        del data[chance.randrange(len(data)) :]
    for _ in range(chance.randrange(6)):
        if data:
            data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


def hostile(text: str, chance: random.Random) -> bytes:
    return chance.choice([changed_values, changed_values, changed_bytes])(text, chance)


def problem(data: bytes) -> str:
    """What is wrong with how it is read; "" if nothing."""
    try:
        found = report.checked(data)
    except report.BadFile as refused:
        return "" if 0 < len(str(refused)) <= LONGEST_REFUSAL and str(refused).isprintable() else f"refused with {refused!r}"
    except Exception as error:
        return f"checked: {error!r}"
    try:
        lines = report.summary(found)
    except Exception as error:
        return f"summary: {error!r}"
    for name, answer in found["answers"].items():
        for one in [answer["value"], *answer.get("candidates", [])]:
            if one is not None and not report.is_value(name, one):
                return f"the answer {one!r} to {name}"
    known = [question.text for question in QUESTIONS]
    strange = [line for line in lines if line.startswith(" ") and not any(one in line for one in known)]
    return f"the summary has {strange}" if strange else ""


def started(data: bytes, path: Path) -> str:
    path.write_bytes(data)
    command = [str(places.SIMULATOR), "run", "--no-service", "--like", str(path), "--", "true"]
    ran = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60)
    if ran.returncode not in (0, 2):
        return f"the software tag ended with {ran.returncode}: {ran.stderr[-300:]}"
    refused = ran.stderr.startswith(f"Error: {path}: it")
    return "" if ran.returncode == 0 or refused else f"the software tag refused it with {ran.stderr!r}"


def look(folder: Path, seed: int, text: str, is_started: bool) -> str:
    data = hostile(text, random.Random(seed))
    return problem(data) or (started(data, folder / "hostile") if is_started else "")


def main() -> int:
    parser = argparse.ArgumentParser()
    for option, default in (("files", 10_000), ("started", 500), ("seed", 1)):
        parser.add_argument(f"--{option}", type=int, default=default)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = certify(folder, answers="use: yes\nmotion: no\nlisten: no").path.read_text()
        for number in range(options.files):
            seed = options.seed * 1_000_000 + number
            found = look(folder, seed, text, number < options.started)
            failed += bool(found)
            if found:
                print(f"file {seed}: {found}", flush=True)
    print(f"{options.files} files, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
