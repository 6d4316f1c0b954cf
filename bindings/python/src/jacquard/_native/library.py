"""Finds libjacquard.so, checks that it is of the header's major version, and knows its functions' types."""

import ctypes
import functools
import os
import pathlib
from collections.abc import Iterator

from .prototypes import PROTOTYPES

MAJOR, MINOR = 0, 1
SONAME = f"libjacquard.so.{MAJOR}"
OVERRIDE = "JACQUARD_LIBRARY"


def candidates() -> Iterator[str]:
    """Where the library may be, best first. $JACQUARD_LIBRARY is the only one when it is set."""
    override = os.environ.get(OVERRIDE)
    if override:
        yield override
        return
    inside_the_package = pathlib.Path(__file__).resolve().parent.parent / SONAME
    if inside_the_package.exists():
        yield str(inside_the_package)
    yield SONAME


def path() -> str:
    """What is asked to be loaded; a name without folders is for the dynamic linker to find."""
    return next(candidates())


def loaded_from() -> str:
    """The file that the loaded library is in."""
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
    """The loaded library. CDLL lets go of the interpreter's lock for the length of every call."""
    chosen = path()
    try:
        loaded = ctypes.CDLL(chosen)
    except OSError as error:
        raise ImportError(f"libjacquard could not be loaded ({error}). Install it, or set ${OVERRIDE}.") from error
    try:
        declare(loaded)
    except AttributeError as error:
        raise ImportError(f"{chosen} is not the libjacquard that this package needs: {error}.") from error
    check_version(chosen, loaded.jacquard_version())
    return loaded


def declare(loaded: ctypes.CDLL) -> None:
    for name, (result, parameters) in PROTOTYPES.items():
        function = getattr(loaded, name)
        function.restype = result
        function.argtypes = parameters


def check_version(path: str, version: int) -> None:
    """0x00MMmmpp: of the same major version, and no older than what this package was written for."""
    major, minor, patch = version >> 16 & 0xFF, version >> 8 & 0xFF, version & 0xFF
    if major != MAJOR or minor < MINOR:
        found = f"{major}.{minor}.{patch}"
        raise ImportError(f"{path} is libjacquard {found}; this package needs {MAJOR}.{MINOR} or newer.")
