"""Regenerates the package's generated modules: python3 bindings/python/generator"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tools"))

from emit import modules  # noqa: E402
from header import comments, whole  # noqa: E402
from header.declarations import read_header  # noqa: E402

PACKAGE = ROOT / "bindings" / "python" / "src" / "jacquard"

for path, text in modules(read_header(whole()), comments.read(whole()), PACKAGE).items():
    (PACKAGE / path).write_text(text)
