"""Builds the C programs of the benchmarks into build/bench."""

import shlex
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
LIBRARY = ROOT / "build" / "lib" / "libjacquard.so.1"
PROGRAMS = ROOT / "build" / "bench"
ON_LIBDBUS = ["bare", "bare-command", "bare-scan", "direct", "socket"]
ON_SD_BUS = ["sd-bus"]
ON_LIBJACQUARD = ["library", "command", "load", "scan"]
OF_LOAD_TESTS = ["dispatch", "idle"]


def missing() -> list[str]:
    """The programs that cannot be built here, because libsystemd-dev is not installed."""
    return [] if subprocess.run(["pkg-config", "--exists", "libsystemd"]).returncode == 0 else ON_SD_BUS


def flags(*packages: str) -> list[str]:
    return shlex.split(subprocess.check_output(["pkg-config", "--cflags", "--libs", *packages], text=True))


def build() -> None:
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    jacquard = [f"-I{ROOT / 'include'}", f"-L{LIBRARY.parent}", "-ljacquard", f"-Wl,-rpath,{LIBRARY.parent}", "-ldl"]
    load = ROOT / "Tests" / "System" / "load"
    sources = {HERE / f"{name}.c": flags("dbus-1") for name in ON_LIBDBUS}
    sources |= {HERE / f"{name}.c": flags("dbus-1", "libsystemd") for name in ON_SD_BUS if name not in missing()}
    sources |= {HERE / f"{name}.c": jacquard for name in ON_LIBJACQUARD}
    sources |= {load / f"{name}.c": [f"-I{ROOT / 'Tests' / 'Interface' / 'abi'}", *jacquard] for name in OF_LOAD_TESTS}
    for source, used in sources.items():
        command: list[str | Path] = ["cc", "-std=gnu11", "-O2", "-Wall", "-Wextra", source, "-o", PROGRAMS / source.stem, *used]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    build()
