"""Builds `layer` for libFuzzer and AddressSanitizer, which come with Swift's clang."""

import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
TARGET = "layer"
PROGRAM = ROOT / "build" / "fuzz" / "programs" / "layer"
# Without system calls there are no kernel resources to leak; the program itself checks for unreleased handles.
SETTINGS = {"ASAN_OPTIONS": "detect_leaks=0"}


def build() -> None:
    clang = Path(shutil.which("swiftc") or "").resolve().parent / "clang"
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    words: list[str | Path] = [clang, "-std=c99", "-g", "-O2", "-Wall", "-Werror", "-pthread", "-fuse-ld=lld", "-fsanitize=fuzzer,address"]
    words += [f"-I{ROOT / 'include'}", f"-I{ROOT / 'bindings' / 'c'}", HERE / "layer.c", "-o", PROGRAM]
    subprocess.run(words, check=True)
