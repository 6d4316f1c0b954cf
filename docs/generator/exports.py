"""Sources/JacquardABI/exports, the linker's version script: every function of the header in the node of the
interface 1 and of its release."""

from __future__ import annotations

from header.comments import Header


def exports(header: Header) -> str:
    releases: dict[tuple[int, ...], list[str]] = {}
    for item in header.items:
        if item.kind == "function":
            releases.setdefault(tuple(map(int, item.since.split("."))), []).append(item.name)
    text, previous = "", ""
    for release, functions in sorted(releases.items()):
        node = "JACQUARD_1_" + ".".join(map(str, release))
        listed = "".join(f"    {name};\n" for name in sorted(functions))
        local = "" if previous else "  local:\n    *;\n"
        text += f"{node} {{\n  global:\n{listed}{local}}}{previous};\n"
        previous = f" {node}"
    return text
