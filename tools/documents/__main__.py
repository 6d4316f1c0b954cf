"""Generates the manual pages and the completions of the Python programs: python3 tools/documents [JACQUARD-SIM]. make
generate runs it.

The page of jacquard-sim is generated only if its path is given; jacquard-sim generates its own completions.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bindings" / "python" / "src"), *map(str, (ROOT / "apps").glob("*/src"))]

import documents  # noqa: E402

simulator = sys.argv[1] if len(sys.argv) > 1 else None
for path, text in documents.all(simulator).items():
    (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
    (ROOT / path).write_text(text)
