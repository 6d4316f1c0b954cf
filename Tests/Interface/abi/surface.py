"""The library's symbols: in the header, in the version script, and in the built library."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

from header import comments

NODE = re.compile(r"(\w+\.\w+)\s*\{(.*?)\}[^;]*;", re.DOTALL)


def declared(header: str) -> dict[str, str | None]:
    """Functions of the header, each with the release that added it (None: not stated)."""
    return {item.name: item.since or None for item in comments.read(header).items if item.kind == "function"}


def scripted(script: str) -> dict[str, list[str]]:
    """Symbols of the version script by node, in order."""
    nodes = {}
    for node, body in NODE.findall(re.sub(r"/\*.*?\*/|#.*", "", script, flags=re.DOTALL)):
        exports = re.search(r"global:(.*?)(local:|$)", body, re.DOTALL)
        nodes[node] = re.findall(r"[^\s;]+", exports[1]) if exports else []
    return nodes


def exported(library: Path) -> dict[str, str | None]:
    """Symbols that the built library defines for others, each with its version node (None: unversioned)."""
    output = subprocess.run(
        ["nm", "-D", "--defined-only", "--with-symbol-versions", library], capture_output=True, text=True, check=True
    ).stdout
    symbols = {}
    for line in output.splitlines():
        *_, kind, symbol = line.split()
        name, _, version = symbol.partition("@")
        # Lower case means local, except for these. "A" is a version node itself.
        if (kind.isupper() or kind in "uvwi") and kind != "A":
            symbols[name] = version.lstrip("@") or None
    return symbols


def differences(
    functions: dict[str, str | None], nodes: dict[str, list[str]], symbols: dict[str, str | None]
) -> list[str]:
    """The differences between header, script and library: one sentence each."""
    listed = {name: node for node, names in nodes.items() for name in names}
    problems = []
    for name, since in functions.items():
        if since is None:
            problems.append(f"{name} does not say since when it is there")
        if name not in listed:
            problems.append(f"{name} is in the header and not in the version script")
        elif since and listed[name] != f"JACQUARD_1_{since}":
            problems.append(f"{name} is there since {since} and stands under {listed[name]}")
        if name not in symbols:
            problems.append(f"{name} is in the header and not in the library")
    for name in listed:
        if name not in functions:
            problems.append(f"{name} is in the version script and not in the header")
    for name, version in symbols.items():
        if name not in functions:
            problems.append(f"{name} is in the library and not in the header")
        if version is None or version != listed.get(name, version):
            problems.append(f"{name} has version {version} in the library")
    for node, names in nodes.items():
        if names != sorted(set(names)):
            problems.append(f"{node} is not in alphabetical order")
    return problems


# Libraries that every Debian has, and libdbus. The dynamic loader's name differs by architecture.
NEEDED = re.compile(r"(lib(c|m)\.so\.6|libgcc_s\.so\.1|libstdc\+\+\.so\.6|libdbus-1\.so\.3|ld-linux[\w-]*\.so\.\d)")


# The glibc of Debian 12, which packed relocations also require. A build on a newer system may need that system's glibc.
GLIBC = max((2, 36), tuple(int(part) for part in platform.libc_ver()[1].split(".")))


def dependencies(library: Path, glibc: tuple[int, ...] = GLIBC) -> list[str]:
    """Errors in the library's name and dependencies: one sentence each."""
    dynamic = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True, check=True).stdout
    problems = []
    if re.findall(r"\(SONAME\).*\[(.*)\]", dynamic) != ["libjacquard.so.1"]:
        problems.append("its SONAME is not libjacquard.so.1")
    for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
        if not NEEDED.fullmatch(name):
            problems.append(f"it needs {name}")
    if "BIND_NOW" not in dynamic:
        problems.append("it is bound lazily, so its function pointers stay writable")
    versions = subprocess.run(["readelf", "-VW", library], capture_output=True, text=True, check=True).stdout
    for version in sorted(set(re.findall(r"Name: GLIBC_([\d.]+)", versions))):
        if tuple(int(part) for part in version.split(".")) > glibc:
            problems.append(f"it needs glibc {version}")
    if "PATH)" in dynamic:
        problems.append("it has its own search path")
    missing = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    problems += [line.strip() for line in missing.splitlines() if "not found" in line]
    return problems
