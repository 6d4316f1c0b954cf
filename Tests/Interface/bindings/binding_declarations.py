"""The declarations of the Python binding's ctypes layer in the header's own names, compared with the header's."""

import ctypes
import re
from types import ModuleType
from typing import Any

from header.declarations import Declarations, Function, Struct
from jacquard import enums
from jacquard._native import callbacks, handles, prototypes, structs
from jacquard._native.event_callback import EventCallback

PLAIN = {
    None: "void",
    ctypes.c_uint8: "uint8",
    ctypes.c_int16: "int16",
    ctypes.c_int32: "int32",
    ctypes.c_uint32: "uint32",
    ctypes.c_int64: "int64",
    ctypes.c_uint64: "uint64",
    ctypes.c_float: "float",
    ctypes.c_double: "double",
    ctypes.c_char_p: "char*",
    ctypes.c_void_p: "void*",
}


SIZE = f"uint{8 * ctypes.sizeof(ctypes.c_size_t)}"


def read_binding() -> Declarations:
    return Declarations(
        functions={name: Function(type_name(r), [type_name(p) for p in ps]) for name, (r, ps) in functions().items()},
        callbacks={c_name(name): signature(type) for name, type in classes_of(callbacks).items()},
        structs={c_name(name): layout(type) for name, type in classes_of(structs).items()},
        enums={c_name(name): constants(enum) for name, enum in enumerations().items()},
        handles=[c_name(name) for name in classes_of(handles)],
    )


def functions() -> dict[str, Any]:
    return prototypes.PROTOTYPES


def enumerations() -> dict[str, Any]:
    return {name: value for name, value in classes_of(enums).items() if value.__members__}


def classes_of(module: ModuleType) -> dict[str, Any]:
    """The definitions of a module, without imports and ctypes' own classes."""
    return {name: value for name, value in vars(module).items() if isinstance(value, type) and not is_plain(value)}


def is_plain(type: Any) -> bool:
    return type in PLAIN or type in (ctypes.Structure,)


def type_name(type: Any) -> str:
    if type in PLAIN:
        return PLAIN[type]
    if issubclass(type, ctypes.c_void_p):
        return c_name(type.__name__) + "*"
    if issubclass(type, ctypes.Array):
        return f"{type_name(type._type_)}[{type._length_}]"
    if issubclass(type, ctypes._Pointer):
        return type_name(type._type_) + "*"
    if issubclass(type, ctypes.Structure):
        return c_name(type.__name__)
    return next(c_name(name) for name, callback in classes_of(callbacks).items() if callback is type)


def signature(callback: Any) -> Function:
    if issubclass(callback, EventCallback):
        return Function("void", [type_name(callback.struct) + "*", "void*"])
    return Function(type_name(callback._restype_), [type_name(parameter) for parameter in callback._argtypes_])


def layout(struct: Any) -> Struct:
    fields = [(name, type_name(type), getattr(struct, name).offset) for name, type in struct._fields_]
    return Struct(ctypes.sizeof(struct), fields)


def constants(enum: Any) -> dict[str, int]:
    """Constants by the end of their names, because the prefix only distinguishes the header's enumerations."""
    return {name: member.value for name, member in enum.__members__.items()}


def c_name(name: str) -> str:
    return "jacquard" + re.sub("[A-Z]", lambda capital: "_" + capital.group().lower(), name)


def differences(header: Declarations, binding: Declarations) -> list[str]:
    """One line for each declaration that differs or is missing on one side."""
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
    """An enumeration of the binding omits the common prefix of its constants' names."""
    return list(header.values()) == list(binding.values()) and all(
        long.endswith(f"_{short}") for long, short in zip(header, binding)
    )


def sized(type: str) -> str:
    return SIZE + type[len("size") :] if type.rstrip("*") == "size" else type


def without_size_t(declaration: object) -> object:
    """ctypes has no separate size_t, only an alias of the integer with its size."""
    if isinstance(declaration, Function):
        return declaration.result, [sized(type) for type in declaration.parameters]
    if isinstance(declaration, Struct):
        fields = [(name, sized(type), offset) for name, type, offset in declaration.fields]
        return declaration.size, fields
    return declaration
