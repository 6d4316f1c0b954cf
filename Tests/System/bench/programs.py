"""Builds the C programs of the benchmarks into build/bench."""

import shlex
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
LIBRARY = ROOT / "build" / "lib" / "libjacquard.so.0"
PROGRAMS = ROOT / "build" / "bench"
ON_LIBDBUS = ["bare", "bare-command", "bare-scan", "socket"]
ON_LIBJACQUARD = ["library", "command", "load", "scan"]


def build() -> None:
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    dbus = shlex.split(subprocess.check_output(["pkg-config", "--cflags", "--libs", "dbus-1"], text=True))
    jacquard = [f"-I{ROOT / 'include'}", f"-L{LIBRARY.parent}", "-ljacquard", f"-Wl,-rpath,{LIBRARY.parent}", "-ldl"]
    sources = {HERE / f"{name}.c": dbus for name in ON_LIBDBUS} | {HERE / f"{name}.c": jacquard for name in ON_LIBJACQUARD}
    sources[ROOT / "Tests" / "System" / "load" / "idle.c"] = [f"-I{ROOT / 'Tests' / 'Interface' / 'abi'}", *jacquard]
    for source, flags in sources.items():
        command: list[str | Path] = ["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", source, "-o", PROGRAMS / source.stem, *flags]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    build()
