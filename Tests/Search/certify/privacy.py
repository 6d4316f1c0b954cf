#!/usr/bin/env python3
"""jacquardctl certify with random tags of random owners: privacy.py [--sessions N] [--seed N]

Nothing that identifies them, the computer or its user is in the file, in any encoding.
"""

from __future__ import annotations

import sys

import search  # isort: skip  (it finds the following ones)
import fixtures  # noqa: E402, F401
import owners  # noqa: E402

if __name__ == "__main__":
    sys.exit(search.main(owners.session, "sessions", 200))
