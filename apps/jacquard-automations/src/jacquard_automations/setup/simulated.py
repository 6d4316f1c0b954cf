"""Runs jacquardctl on the bus of the software tag: python3 -m jacquard_automations.setup.simulated, with its arguments."""

from __future__ import annotations

import os
import runpy
import sys
from importlib import import_module

# Whether this program uses the bus of the software tag.
IS_HERE = False



def environment() -> dict[str, str]:
    """An environment for programs that import the same modules, even outside the folders that Python searches."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


if __name__ == "__main__":
    # This file is a second module here.
    import_module("jacquard_automations.setup.simulated").__dict__["IS_HERE"] = True
    runpy.run_module("jacquardctl", run_name="__main__", alter_sys=True)
