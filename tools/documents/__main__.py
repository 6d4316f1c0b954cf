"""Generates the manual pages and the completions of the programs: python3 tools/documents FOLDER JACQUARD-SIM...

jacquard-sim may be preceded by an emulator. It generates its own completions.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bindings" / "python" / "src"), *map(str, (ROOT / "apps").glob("*/src"))]

import documents  # noqa: E402

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
for name, text in documents.all(sys.argv[2:]).items():
    (folder / name).write_text(text, encoding="utf-8")
