"""Finds libjacquard.so, checks its interface and version, and declares the types of its functions."""

import ctypes
import functools
import os
from collections.abc import Iterator

from .prototypes import PROTOTYPES

SONAME = "libjacquard.so.1"
# The version of the first symbols with that SONAME.
NODE = b"JACQUARD_1_0.1"
NEEDED = (0, 1)
OVERRIDE = "JACQUARD_LIBRARY"


def candidates() -> Iterator[str]:
    """The paths of the library in order of preference. If $JACQUARD_LIBRARY is set, it is the only one."""
    override = os.environ.get(OVERRIDE)
    if override:
        yield override
        return
    inside_the_package = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), SONAME)
    if os.path.exists(inside_the_package):
        yield inside_the_package
    yield SONAME


def path() -> str:
    """The library to load; the dynamic linker searches for a name without directories."""
    return next(candidates())


def loaded_from() -> str:
    """The path of the loaded library."""
    address = ctypes.cast(library().jacquard_version, ctypes.c_void_p).value or 0
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            addresses, _, _, _, _, *file = line.split(maxsplit=5)
            first, last = (int(part, 16) for part in addresses.split("-"))
            if first <= address < last and file:
                return file[0].rstrip("\n")
    return path()


@functools.cache
def library() -> ctypes.CDLL:
    """The loaded library. CDLL releases the GIL during every call."""
    chosen = path()
    try:
        loaded = ctypes.CDLL(chosen)
    except OSError as error:
        raise ImportError(f"libjacquard cannot be loaded ({error}). Install it, or set ${OVERRIDE}.") from error
    check(chosen, loaded)
    declare(loaded)
    return loaded


def declare(loaded: ctypes.CDLL) -> None:
    for name, (result, parameters) in PROTOTYPES.items():
        function = getattr(loaded, name)
        function.restype = result
        function.argtypes = parameters


def check(path: str, loaded: ctypes.CDLL) -> None:
    """Its symbols must have the version of this interface, and it must not be older than this package."""
    versioned = ctypes.CDLL(None).dlvsym
    versioned.restype = ctypes.c_void_p
    if not versioned(ctypes.c_void_p(loaded._handle), b"jacquard_version", NODE):
        raise ImportError(f"{path} does not have the interface of {SONAME}, which this package requires.")
    version = loaded.jacquard_version()
    found = version >> 16 & 0xFF, version >> 8 & 0xFF, version & 0xFF
    if found < NEEDED:
        raise ImportError("{} is libjacquard {}.{}.{}; this package requires {}.{} or newer.".format(path, *found, *NEEDED))
