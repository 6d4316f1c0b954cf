"""Values that programs store on a tag."""

from __future__ import annotations

from ctypes import sizeof
from typing import Any, Union

from ._core import arguments, convert
from ._native import structs
from .enums import ValueType

Value = Union[bool, int, float, str]

MEMBERS = {
    ValueType.BOOL: "number",
    ValueType.UINT32: "number",
    ValueType.UINT64: "number",
    ValueType.INT32: "integer",
    ValueType.INT64: "integer",
    ValueType.FLOAT: "real",
    ValueType.DOUBLE: "real",
    ValueType.STRING: "text",
}


def struct_of(value: Value, type: ValueType | None) -> structs.Value:
    type = fitting_type(value) if type is None else type
    struct = structs.Value(struct_size=sizeof(structs.Value), type=type)
    member = MEMBERS[type]
    if isinstance(value, str) != (member == "text") or isinstance(value, float) and member in ("number", "integer"):
        raise TypeError(f"{value!r} is not a {type.name}")
    if isinstance(value, str):
        struct.text = arguments.text(value)
    elif member == "real":
        struct.real = value
    else:
        lowest, highest = (0, (1 << 64) - 1) if member == "number" else (-(1 << 63), (1 << 63) - 1)
        setattr(struct, member, arguments.number("a stored value", int(value), lowest, highest))
    return struct


def fitting_type(value: Value) -> ValueType:
    """The smallest of the header's types that can represent a value exactly."""
    if isinstance(value, bool):
        return ValueType.BOOL
    if isinstance(value, str):
        return ValueType.STRING
    if isinstance(value, float):
        return ValueType.DOUBLE
    if value < 0:
        return ValueType.INT32 if value >= -(1 << 31) else ValueType.INT64
    return ValueType.UINT32 if value < 1 << 32 else ValueType.UINT64


def stored_value(pointer: Any) -> Value | None:
    """Returns None if nothing is stored."""
    if not pointer:
        return None
    struct = pointer.contents
    type = ValueType(struct.type)
    value: Any = getattr(struct, MEMBERS.get(type, "number"))
    if type is ValueType.STRING:
        return convert.text(value)
    return bool(value) if type is ValueType.BOOL else value
