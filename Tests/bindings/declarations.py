"""What a C header and its ctypes translation are compared in: plain names for types."""

import dataclasses
from typing import Dict, List, Tuple


@dataclasses.dataclass
class Function:
    result: str
    parameters: List[str]


@dataclasses.dataclass
class Struct:
    size: int
    fields: List[Tuple[str, str, int]]  # name, type, offset


@dataclasses.dataclass
class Declarations:
    functions: Dict[str, Function]
    callbacks: Dict[str, Function]
    structs: Dict[str, Struct]
    enums: Dict[str, Dict[str, int]]
    handles: List[str]


def differences(header: Declarations, binding: Declarations) -> List[str]:
    """One line for each thing that one side has otherwise, or not at all."""
    found: List[str] = []
    for kind in ("functions", "callbacks", "structs", "enums"):
        ours, theirs = getattr(binding, kind), getattr(header, kind)
        for name in sorted(ours.keys() | theirs.keys()):
            if ours.get(name) != theirs.get(name):
                found.append(f"{name}: header {theirs.get(name)}, binding {ours.get(name)}")
    if sorted(header.handles) != sorted(binding.handles):
        found.append(f"handles: header {sorted(header.handles)}, binding {sorted(binding.handles)}")
    return found
