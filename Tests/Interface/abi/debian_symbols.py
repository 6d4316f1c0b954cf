"""debian/libjacquard0.symbols: the symbols of the version script, each with the release that added it."""

from pathlib import Path

from conftest import ROOT
from contract import soname
from surface import scripted

SCRIPT = ROOT / "Sources" / "JacquardABI" / "exports"


def place() -> Path:
    return ROOT / "debian" / f"{package()}.symbols"


def package() -> str:
    return soname().replace(".so.", "")


def written() -> str:
    lines = []
    for node, names in scripted(SCRIPT.read_text()).items():
        release = node.removeprefix("JACQUARD_") + ".0"
        lines += [f" {name}@{node} {release}" for name in names]
    heading = [f"{soname()} {package()} #MINVER#", "* Build-Depends-Package: libjacquard-dev"]
    return "\n".join([*heading, *sorted(lines), ""])
