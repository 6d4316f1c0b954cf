"""Callback types that receive the address of a struct.

ctypes takes longer to create a pointer than to read a struct, and a tag may send events 60 times per second.
"""

from ctypes import CFUNCTYPE, c_void_p
from typing import Any

EventCallback: Any = CFUNCTYPE(None, c_void_p, c_void_p)


def event_callback(struct: Any) -> Any:
    """A separate type for each struct, so that ctypes refuses a callback for another one."""
    definition = {name: getattr(EventCallback, name) for name in ("_argtypes_", "_flags_", "_restype_")}
    return type(f"{struct.__name__}Callback", (EventCallback,), {**definition, "struct": struct})
