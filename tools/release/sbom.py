#!/usr/bin/env python3
"""sbom.py VERSION REPOSITORY: prints the bill of materials of the binaries in build, as CycloneDX JSON.

It lists the linked parts, according to this machine: static archives whose symbols the binaries contain, shared libraries that
they need, and the versions of Swift, Package.resolved and dpkg. Without a time or a random number, it is reproducible.
"""

import functools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
PINS = ROOT / "Package.resolved"
ARCHIVES = ["libstdc++.a", "libgcc.a", "libgcc_eh.a", "libc_nonshared.a"]


def output(*command: object) -> str:
    return subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


@functools.cache
def symbols(path: Path, *options: str) -> set[str]:
    """The functions and variables that it defines, except copies of generic ones, which every program that uses them has."""
    listed = subprocess.run(["nm", "--defined-only", *options, path], capture_output=True, text=True).stdout.splitlines()
    found = {words[2] for words in map(str.split, listed) if len(words) == 3 and words[1] in "TtDdRrBb"}
    return {name for name in found if not re.search(r"T[gG]\w*\d$", name)}


def part(name: str, version: str, purl: str, linkage: str, licences: list[str]) -> dict[str, Any]:
    spdx: list[Any] = [{"expression": each} if " WITH " in each else {"license": {"name": each}} for each in licences]
    found = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl, "licenses": spdx}
    return {**found, "properties": [{"name": "linkage", "value": linkage}]}


def of_swift(name: str, version: str, place: str, text: Path) -> dict[str, Any]:
    if "Apache License" not in text.read_text() or "Runtime Library Exception" not in text.read_text():
        sys.exit(f"sbom: {text} is not the licence of Swift that this script knows. Read it, and change the script.")
    return part(name, version, f"pkg:github/{place}", "static", ["Apache-2.0 WITH Swift-exception"])


def of_debian(path: str, linkage: str) -> dict[str, Any]:
    """The package with this file. Its licence is the one of its first files, or all that its copyright file refers to."""
    package = output("dpkg-query", "--search", path).split(": ")[0]
    name, version, machine = output("dpkg-query", "-Wf${Package} ${Version} ${Architecture}", package).split()
    text = Path("/usr/share/doc", name, "copyright").read_text()
    licences = re.findall(r"^License: *(\S.*)", text, re.MULTILINE)[:1]
    if not licences and "GCC RUNTIME LIBRARY EXCEPTION" in text.upper():
        licences = ["GPL-3.0-or-later WITH GCC-exception-3.1"]
    licences = licences or sorted(set(re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", text)))
    system = re.findall(r"^ID=(\w+)", Path("/etc/os-release").read_text(), re.MULTILINE)[0]
    return part(name, version, f"pkg:deb/{system}/{quote(name)}@{quote(version, safe='')}?arch={machine}", linkage, licences)


def parts(binary: Path) -> list[dict[str, Any]]:
    swift = Path(shutil.which("swiftc") or sys.exit("sbom: there is no 'swiftc' in PATH")).resolve().parents[1]
    version = re.findall(r"\((swift-\S+)\)", output("swift", "--version"))[0]
    archives = sorted((swift / "lib/swift_static/linux").glob("*.a"))
    archives += [Path(output("cc", f"-print-file-name={name}")).resolve() for name in ARCHIVES]
    found = []
    for archive in (each for each in archives if symbols(binary) & symbols(each, "--extern-only")):
        if swift in archive.parents:
            name = archive.stem.removeprefix("lib")
            found.append(of_swift(name, version, f"swiftlang/swift@{version}#{name}", swift / "share/swift/LICENSE.txt"))
        else:
            found.append(of_debian(str(archive), "static"))
    needed = re.findall(r"\(NEEDED\).*\[((?!libjacquard).*)\]", output("readelf", "--dynamic", binary))
    found += [of_debian(f"*/{output('cc', '-print-multiarch')}/{name}", "dynamic") for name in needed]
    if binary.name == "jacquard-sim":
        for pin in json.loads(PINS.read_text())["pins"]:
            name, version, place = pin["identity"], pin["state"]["version"], pin["location"].removeprefix("https://github.com/")
            found.append(of_swift(name, version, f"{place}@{version}", ROOT / ".build/checkouts" / name / "LICENSE.txt"))
    return found


def main() -> None:
    version, repository = sys.argv[1:]
    binaries = [BUILD / f"symbols/libjacquard.so.1.{version}", BUILD / "symbols/jacquard-sim", BUILD / "bin/jacquardd"]
    if missing := [str(path) for path in [*binaries, PINS] if not path.exists()]:
        sys.exit(f"sbom: {', '.join(missing)}: no such file. `make` builds it.")
    contents = {path.name: parts(path) for path in binaries}
    others = {each["bom-ref"]: each for found in contents.values() for each in found}
    licences = [{"license": {"id": "Apache-2.0"}}]
    own = [{"type": "file", "bom-ref": name, "name": name, "version": version, "licenses": licences} for name in contents]
    source = [{"type": "vcs", "url": repository}]
    whole = {**own[0], "type": "library", "bom-ref": "libjacquard", "name": "libjacquard", "externalReferences": source}
    links = [{"ref": name, "dependsOn": sorted({each["bom-ref"] for each in found})} for name, found in contents.items()]
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": whole}}
    bill["components"] = [*own, *(others[name] for name in sorted(others))]
    bill["dependencies"] = [{"ref": "libjacquard", "dependsOn": sorted(contents)}, *links]
    print(json.dumps(bill, indent=2))


main()
