"""The shared part of the searches with jacquardctl certify."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(path) for path in (*ROOT.glob("apps/*/src"), ROOT / "bindings/python/src", ROOT / "Tests/Interface/bindings")]


def failures(search: Callable[[Path, int], str], seeds: Iterable[int], at_once: int) -> int:
    """How many seeds fail; each is reported. search: gets a separate folder and returns what is wrong, or ""."""
    count = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(at_once) as pool:
        started = {seed: pool.submit(search, Path(folder, str(seed)), seed) for seed in seeds}
        for seed, ran in started.items():
            error = ran.exception()
            found = ran.result() if error is None else repr(error)
            count += bool(found)
            if found:
                print(f"{search.__name__} {seed}: {found}", flush=True)
    return count


def main(search: Callable[[Path, int], str], things: str, count: int) -> int:
    """count: how many are tried without an option. Returns the exit status."""
    parser = argparse.ArgumentParser()
    for option, default in ((things, count), ("seed", 1), ("at-once", 4)):
        parser.add_argument(f"--{option}", type=int, default=default)
    options = parser.parse_args()
    tried = getattr(options, things)
    first = options.seed * 100_000
    failed = failures(search, range(first, first + tried), options.at_once)
    print(f"{tried} {things}, {failed} failed")
    return failed != 0
