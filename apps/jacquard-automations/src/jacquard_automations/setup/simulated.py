"""Runs jacquardctl on the bus of the software tag: python3 -m jacquard_automations.setup.simulated, with its arguments."""

from __future__ import annotations

import runpy
from importlib import import_module

# Whether this program uses the bus of the software tag.
IS_HERE = False

if __name__ == "__main__":
    # This file is a second module here.
    import_module("jacquard_automations.setup.simulated").__dict__["IS_HERE"] = True
    runpy.run_module("jacquardctl", run_name="__main__", alter_sys=True)
