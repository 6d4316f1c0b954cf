"""debian/libjacquard1.symbols: the symbols of the version script, each with the first release whose programs need it."""

import re
from pathlib import Path

from conftest import ROOT
from contract import soname
from header import whole
from surface import scripted

SCRIPT = ROOT / "Sources" / "JacquardABI" / "exports"


def place() -> Path:
    return ROOT / "debian" / f"{package()}.symbols"


def package() -> str:
    return soname().replace(".so.", "")


def grown(header: str) -> tuple[int, ...]:
    """The last release that has added a field to a struct, as the fields' comments say. A program that reads this field
    looks like any other program that uses the library, so all symbols need that release."""
    comments = re.findall(r"/\*\*<(.*?)\*/", header, re.DOTALL)
    releases = [release for comment in comments for release in re.findall(r"@since ([\d.]+\d)", comment)]
    return max([tuple(int(part) for part in release.split(".")) for release in releases], default=())


def written() -> str:
    lines, least = [], grown(whole())
    for node, names in scripted(SCRIPT.read_text()).items():
        added = tuple(int(part) for part in node.rpartition("_")[2].split("."))
        release = ".".join(map(str, max(added, least))) + ".0"
        lines += [f" {name}@{node} {release}" for name in names]
    heading = [f"{soname()} {package()} #MINVER#", "* Build-Depends-Package: libjacquard-dev"]
    return "\n".join([*heading, *sorted(lines), ""])
