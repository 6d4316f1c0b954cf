"""The libjacquard that this package uses."""

from __future__ import annotations

from ._dataclass import dataclass
from ._native.library import library, loaded_from


@dataclass(frozen=True)
class LoadedLibrary:
    """The version of libjacquard, and the file from which it was loaded."""

    version: str
    path: str


def loaded_library() -> LoadedLibrary:
    """Describes the loaded libjacquard. Loads it first, if nothing has used it yet."""
    return LoadedLibrary(library().jacquard_version_string().decode(), loaded_from())
