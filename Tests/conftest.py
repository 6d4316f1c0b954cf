"""Shared by the tests of the built library: its path, compilers, and a software tag for the programs under test."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "include" / "jacquard.h"
LIBRARY_FOLDER = ROOT / "build" / "lib"
LIBRARY = LIBRARY_FOLDER / "libjacquard.so.1"
SIMULATOR = ROOT / "build" / "bin" / "jacquard-sim"
# The tests must not use the known tags of the user who runs them.
_state = tempfile.TemporaryDirectory(prefix="jacquard-state-")
os.environ["XDG_STATE_HOME"] = _state.name
# They meet each other in this directory, and not the programs of that user.
_runtime = tempfile.TemporaryDirectory(prefix="jacquard-runtime-")
os.environ["XDG_RUNTIME_DIR"] = _runtime.name
# Programs of packages with services are unpacked here, not installed: see Tests/Support/install-dependencies.
UNPACKED = ROOT / "build" / "packages"
os.environ["PATH"] += f":/usr/sbin:{UNPACKED}/usr/bin:{UNPACKED}/usr/sbin"
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]


def toolchain() -> Path:
    """The folder of Swift, with bin and lib."""
    return Path(shutil.which("swiftc") or "").resolve().parents[1]


def compiler(name: str) -> str:
    """gcc and g++ come from Debian; clang and clang++ come with Swift, next to its compiler."""
    beside = toolchain() / "bin" / name
    found = shutil.which(name) or (beside.exists() and str(beside))
    assert found, f"no {name}"
    return found


def run(command: Iterable[object], **options: Any) -> subprocess.CompletedProcess[str]:
    """The finished process; its output is text unless asked otherwise."""
    of_make = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS"}
    environment = {name: value for name, value in os.environ.items() if name not in of_make}
    environment.update(options.pop("env", {}))
    options = {"capture_output": True, "text": True, "timeout": 60, "stdin": subprocess.DEVNULL} | options
    return subprocess.run([str(word) for word in command], env=environment, **options)


def build(source: object, program: Path, *flags: object) -> Path:
    """Compiles a program in strict C against the built library. The program finds the library in any working
    directory."""
    strictly = ["-std=c99", *STRICT, "-Wno-unused-parameter", "-g", f"-I{HEADER.parent}"]
    library = [f"-L{LIBRARY_FOLDER}", "-ljacquard", f"-Wl,-rpath,{LIBRARY_FOLDER}"]
    made = run([compiler("gcc"), *strictly, source, "-o", program, *flags, *library])
    assert made.returncode == 0, made.stderr
    return program
