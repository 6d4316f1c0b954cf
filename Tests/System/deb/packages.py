"""The packages in build/deb, as built by `make deb`, or those of the architecture in ARCH."""

import os
import re
from pathlib import Path

from conftest import ROOT, run

MACHINE = run(["dpkg", "--print-architecture"]).stdout.strip()
ARCHITECTURE = os.environ.get("ARCH") or MACHINE
FOREIGN = ARCHITECTURE != MACHINE
FOLDER = ROOT / "build" / ARCHITECTURE / "deb" if FOREIGN else ROOT / "build" / "deb"
NAMES = [
    "libjacquard1",
    "jacquardd",
    "libjacquard-dev",
    "libjacquard-swift-dev",
    "python3-jacquard",
    "python3-jacquard-apps",
    "jacquard-tools",
    "jacquard-automations",
    "jacquard-board",
    "jacquard-certify",
    "jacquard-mqtt",
    "jacquard-uinput",
]


def package(name: str) -> Path:
    (path,) = FOLDER.glob(f"{name}_*.deb")
    return path


def field(name: str, which: str) -> str:
    return run(["dpkg-deb", "--field", package(name), which]).stdout.strip()


def contents(name: str) -> dict[str, tuple[str, str, str]]:
    """Paths of files and links, each with its mode and owner, and links with their targets."""
    found = {}
    for line in run(["dpkg-deb", "--contents", package(name)]).stdout.splitlines():
        mode, owner, _, _, _, path = line.split(maxsplit=5)
        path, _, target = path.partition(" -> ")
        if not mode.startswith("d"):
            found[path.removeprefix(".")] = (mode, owner, target)
    return found


def multiarch() -> str:
    return run(["dpkg-architecture", "--host-arch", ARCHITECTURE, "-q", "DEB_HOST_MULTIARCH"]).stdout.strip()


def version() -> str:
    """The version of the library, from the newest entry of debian/changelog."""
    return str(re.findall(r"\Alibjacquard \((.*)-\d+\)", (ROOT / "debian" / "changelog").read_text())[0])
