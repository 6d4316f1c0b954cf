#!/usr/bin/env python3
"""jacquardctl certify with random tags of random owners: privacy.py [--sessions N] [--seed N]

Nothing that identifies them, the computer or its user is in the file, in any encoding.
"""

from __future__ import annotations

import argparse
import sys

import search  # isort: skip  (it finds the following ones)
import fixtures  # noqa: E402, F401
import owners  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser()
    for option, default in (("sessions", 200), ("seed", 1), ("at-once", 4)):
        parser.add_argument(f"--{option}", type=int, default=default)
    options = parser.parse_args()
    seeds = range(options.seed * 100_000, options.seed * 100_000 + options.sessions)
    failed = search.failures(owners.session, seeds, options.at_once)
    print(f"{options.sessions} sessions, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
