"""What a C header and its ctypes translation are compared in: plain names for types."""

import dataclasses


@dataclasses.dataclass
class Function:
    result: str
    parameters: list[str]


@dataclasses.dataclass
class Struct:
    size: int
    fields: list[tuple[str, str, int]]  # name, type, offset


@dataclasses.dataclass
class Declarations:
    functions: dict[str, Function]
    callbacks: dict[str, Function]
    structs: dict[str, Struct]
    enums: dict[str, dict[str, int]]
    handles: list[str]


def differences(header: Declarations, binding: Declarations) -> list[str]:
    """One line for each thing that one side has otherwise, or not at all."""
    found: list[str] = []
    for kind in ("functions", "callbacks", "structs", "enums"):
        ours, theirs = getattr(binding, kind), getattr(header, kind)
        for name in sorted(ours.keys() | theirs.keys()):
            if ours.get(name) != theirs.get(name):
                found.append(f"{name}: header {theirs.get(name)}, binding {ours.get(name)}")
    if sorted(header.handles) != sorted(binding.handles):
        found.append(f"handles: header {sorted(header.handles)}, binding {sorted(binding.handles)}")
    return found
