"""What a C header and its ctypes translation have in common: plain names for types."""

from __future__ import annotations

import ctypes
import dataclasses

SIZE = f"uint{8 * ctypes.sizeof(ctypes.c_size_t)}"


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
            if name not in ours or name not in theirs or not same(theirs[name], ours[name]):
                found.append(f"{name}: header {theirs.get(name)}, binding {ours.get(name)}")
    if sorted(header.handles) != sorted(binding.handles):
        found.append(f"handles: header {sorted(header.handles)}, binding {sorted(binding.handles)}")
    return found


def same(header: object, binding: object) -> bool:
    if isinstance(header, dict) and isinstance(binding, dict):
        return same_constants(header, binding)
    return without_size_t(header) == without_size_t(binding)


def same_constants(header: dict[str, int], binding: dict[str, int]) -> bool:
    """An enumeration of the binding leaves out what its constants' names have in common."""
    return list(header.values()) == list(binding.values()) and all(
        long.endswith(f"_{short}") for long, short in zip(header, binding)
    )


def without_size_t(declaration: object) -> object:
    """ctypes has no size_t of its own, only another name for the integer of its size."""
    if isinstance(declaration, Function):
        return declaration.result, [SIZE if type == "size" else type for type in declaration.parameters]
    if isinstance(declaration, Struct):
        fields = [(name, SIZE if type == "size" else type, offset) for name, type, offset in declaration.fields]
        return declaration.size, fields
    return declaration
