"""Regenerates the package's ctypes, enum and blocking modules: python3 bindings/python/generator"""

from pathlib import Path

from emit import modules
from header import read_header

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "bindings" / "python" / "src" / "jacquard"

for path, text in modules(read_header(ROOT / "include" / "jacquard.h"), PACKAGE).items():
    (PACKAGE / path).write_text(text)
