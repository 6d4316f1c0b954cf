"""Locates the program of the software tag."""

from __future__ import annotations

import os
import shutil

from ..terminal import exits

OVERRIDE = "JACQUARD_SIM"
SIMULATOR = "jacquard-sim"


def program() -> str:
    found = os.environ.get(OVERRIDE) or shutil.which(SIMULATOR)
    if found is None:
        raise exits.Failure(f"{SIMULATOR} is not installed. It is part of the package jacquard-tools.")
    return found
