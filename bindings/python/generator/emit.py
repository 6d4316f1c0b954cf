"""The generated modules of the package: ctypes, enumerations and exceptions from the header, the blocking classes."""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterable
from pathlib import Path

from blocking import blocking
from exceptions import exceptions
from filled import LINE_LENGTH, filled
from header.comments import Header
from header.declarations import Declarations, Function, Struct

NOTICE = "Generated from jacquard.h by bindings/python/generator; do not edit."
PLAIN = {
    "uint8": "c_uint8",
    "int16": "c_int16",
    "int32": "c_int32",
    "uint32": "c_uint32",
    "int64": "c_int64",
    "uint64": "c_uint64",
    "size": "c_size_t",
    "float": "c_float",
    "double": "c_double",
    "char*": "c_char_p",
    "void*": "c_void_p",
}
# Sets: their constants can be combined.
FLAGS = {"jacquard_capability", "jacquard_configuration_field"}
# Names that a library function writes with hyphens.
NAMES = {"jacquard_gesture_type", "jacquard_touch_gesture_type"}


def modules(header: Declarations, described: Header, package: Path) -> dict[str, str]:
    """Source text by path relative to the package."""
    types = Types(header)
    return {
        "_native/handles.py": handles(header),
        "_native/structs.py": structs(header, types),
        "_native/callbacks.py": callbacks(header, types),
        "_native/prototypes.py": prototypes(header, types),
        "enums.py": enums(header),
        "errors.py": exceptions(described, NOTICE),
        "blocking.py": blocking(package),
    }


def class_name(name: str) -> str:
    return "".join(word.capitalize() for word in name.removeprefix("jacquard_").split("_"))


class Types:
    """Types of the header as ctypes expressions."""

    def __init__(self, header: Declarations) -> None:
        self._classes = {
            **{name + "*": f"handles.{class_name(name)}" for name in header.handles},
            **{name: f"structs.{class_name(name)}" for name in header.structs},
            **{name: f"callbacks.{class_name(name)}" for name in header.callbacks},
        }

    def expression(self, type: str) -> str:
        known = PLAIN.get(type) or self._classes.get(type)
        if known:
            return known
        if type.endswith("]"):
            element, length = type[:-1].split("[")
            return f"{self.expression(element)} * {length}"
        if type.endswith("*"):
            return f"POINTER({self.expression(type[:-1])})"
        return {"void": "None"}[type]


def imports(body: str, *modules: str) -> str:
    """The import lines that a module body needs."""
    names = {"CFUNCTYPE", "POINTER", "Structure", "c_int", *PLAIN.values()}
    used = sorted(names & set(re.findall(r"\w+", body)), key=natural)
    line = f"from ctypes import {', '.join(used)}"
    if len(line) > LINE_LENGTH:
        line = "from ctypes import (\n" + "".join(f"    {name},\n" for name in used) + ")"
    lines = [line]
    local = [module for module in modules if f"{module}." in body]
    if local:
        lines += ["", f"from . import {', '.join(local)}"]
    return "\n".join(lines)


def natural(name: str) -> list[str]:
    """A key for sorting: c_uint8 before c_uint32."""
    return [part.zfill(3) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def handles(header: Declarations) -> str:
    classes = "\n\n\n".join(f'class {class_name(name)}(c_void_p):\n    """{name} *"""' for name in header.handles)
    about = "The header's handle types, as separate classes, so that ctypes does not return plain numbers for them."
    return f'"""{about}\n\n{NOTICE}\n"""\n\nfrom ctypes import c_void_p\n\n\n{classes}\n'


def structs(header: Declarations, types: Types) -> str:
    def one(name: str, struct: Struct) -> str:
        typed = [(field, types.expression(type).replace("structs.", "")) for field, type, _ in struct.fields]
        fields = filled((f'("{field}", {type})' for field, type in typed), 8)
        return f'class {class_name(name)}(Structure):\n    """{name}"""\n    _fields_ = [\n{fields}    ]'

    body = "\n\n\n".join(one(name, struct) for name, struct in header.structs.items())
    return f'"""The header\'s structs.\n\n{NOTICE}\n"""\n\n{imports(body, "callbacks", "handles")}\n\n\n{body}\n'


def call(function: str, parts: list[str]) -> str:
    line = f"{function}({', '.join(parts)})"
    if len(line) <= LINE_LENGTH:
        return line
    return f"{function}(\n{filled(parts, 4)})"


def arguments(function: Function, types: Types) -> list[str]:
    return [types.expression(parameter) for parameter in function.parameters]


def callbacks(header: Declarations, types: Types) -> str:
    events = set(event_callbacks(header))

    def one(name: str, function: Function) -> str:
        if name in events:
            return f"{class_name(name)} = event_callback({types.expression(function.parameters[0].removesuffix('*'))})"
        parts = [types.expression(function.result), *arguments(function, types)]
        return call(f"{class_name(name)} = CFUNCTYPE", parts)

    body = "\n".join(one(name, function) for name, function in header.callbacks.items())
    needed = f"{imports(body, 'handles', 'structs')}\nfrom .event_callback import event_callback"
    return f'"""The header\'s callback types.\n\n{NOTICE}\n"""\n\n{needed}\n\n{body}\n'


def event_callbacks(header: Declarations) -> Iterable[str]:
    """The callbacks that a connection calls with a struct for each event."""
    for name, function in header.functions.items():
        if name.startswith("jacquard_connection_on_"):
            for parameter in function.parameters:
                if parameter in header.callbacks and len(header.callbacks[parameter].parameters) == 2:
                    yield parameter


def prototypes(header: Declarations, types: Types) -> str:
    def one(name: str, function: Function) -> str:
        parameters = arguments(function, types)
        listed = f"({parameters[0]},)" if len(parameters) == 1 else f"({', '.join(parameters)})"
        line = f'    "{name}": ({types.expression(function.result)}, {listed}),\n'
        if len(line) <= LINE_LENGTH:
            return line
        return f'    "{name}": ({types.expression(function.result)}, (\n{filled(parameters, 8)}    )),\n'

    lines = "".join(one(name, function) for name, function in header.functions.items())
    body = f"PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {{\n{lines}}}\n"
    ctypes, local = imports(body, "callbacks", "handles", "structs").split("\n\n")
    return (
        f'"""The header\'s functions: name, result, parameters.\n\n{NOTICE}\n"""\n\n'
        f"{ctypes}\nfrom typing import Any\n\n{local}\n\n{body}"
    )


def enums(header: Declarations) -> str:
    def one(name: str, constants: dict[str, int]) -> str:
        if name == "jacquard_status":
            prefix = "JACQUARD_ERROR_"
        else:
            prefix = os.path.commonprefix(list(constants)).rpartition("_")[0] + "_"
        members = "".join(
            f"    {constant.removeprefix(prefix).removeprefix('JACQUARD_')} = {value}\n"
            for constant, value in constants.items()
        )
        base = "OpenFlag" if name in FLAGS else "OpenName" if name in NAMES else "OpenEnum"
        return f'class {class_name(name)}({base}):\n    """{name}"""\n\n{members}'

    body = "\n\n".join(one(name, constants) for name, constants in header.enums.items())
    return (
        f'"""The header\'s enumerations.\n\n{NOTICE}\n"""\n\n'
        f"from ._enumerations import OpenEnum, OpenFlag, OpenName\n\n\n{body}"
    )
