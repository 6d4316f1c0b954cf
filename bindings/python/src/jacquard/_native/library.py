"""Finds libjacquard.so, checks its major version, and declares the types of its functions."""

import ctypes
import functools
import os
from collections.abc import Iterator

from .prototypes import PROTOTYPES

MAJOR, MINOR = 0, 1
SONAME = f"libjacquard.so.{MAJOR}"
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
    try:
        declare(loaded)
    except AttributeError as error:
        raise ImportError(f"{chosen} is not a libjacquard that this package can use: {error}.") from error
    check_version(chosen, loaded.jacquard_version())
    return loaded


def declare(loaded: ctypes.CDLL) -> None:
    for name, (result, parameters) in PROTOTYPES.items():
        function = getattr(loaded, name)
        function.restype = result
        function.argtypes = parameters


def check_version(path: str, version: int) -> None:
    """version is 0x00MMmmpp: it must have the same major version and not be older than this package."""
    major, minor, patch = version >> 16 & 0xFF, version >> 8 & 0xFF, version & 0xFF
    if major != MAJOR or minor < MINOR:
        found = f"{major}.{minor}.{patch}"
        raise ImportError(f"{path} is libjacquard {found}; this package requires {MAJOR}.{MINOR} or newer.")
