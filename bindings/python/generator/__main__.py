"""Writes the package's ctypes and enum modules anew: python3 bindings/python/generator"""

from pathlib import Path

from emit import modules
from header import read_header

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "bindings" / "python" / "src" / "jacquard"

for path, text in modules(read_header(ROOT / "include" / "jacquard.h")).items():
    (PACKAGE / path).write_text(text)
