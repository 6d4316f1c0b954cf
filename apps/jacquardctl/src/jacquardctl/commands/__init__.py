"""The commands. Most of the time that a short one takes is for loading modules, so only its own one is loaded."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from . import absent

# In the order of the help.
MODULES = (
    *("scan", "bonds", "info", "watch", "run", "board", "battery", "led", "haptic", "touch", "gesture", "play", "config"),
    *("rename", "disconnect", "module", "firmware", "motion", "doctor", "record", "replay", "dataset"),
)
# The module of each command; most have its name.
BY_COMMAND = {name: name for name in MODULES if name != "bonds"} | dict.fromkeys(("list", "bind", "unbind"), "bonds")
# Commands of packages that are installed separately.
APART = {"board": "jacquard_board"}


def modules(command: str | None) -> list[Any]:
    """The module of this command; all modules if there is no such command."""
    return [loaded(name) for name in ([BY_COMMAND[command]] if command in BY_COMMAND else MODULES)]


def loaded(name: str) -> Any:
    package = APART.get(name)
    if package is None:
        return import_module(f".{name}", __name__)
    return import_module(f"{package}.command") if find_spec(package) else absent.Command(name, package.replace("_", "-"))
