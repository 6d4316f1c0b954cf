"""The commands. A short one spends most of its time on loading modules, so only its own module is loaded."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from . import absent

# The modules, in the order of the help.
MODULES = (
    *("setup", "scan", "bonds", "info", "watch", "run", "status", "board", "battery", "led", "haptic", "touch", "gesture", "play", "config"),
    *("rename", "disconnect", "module", "firmware", "motion", "doctor", "certify", "record", "replay", "dataset"),
)
# The module of each command; most have its name.
BY_COMMAND = {name: name for name in MODULES if name != "bonds"} | dict.fromkeys(("list", "bind", "unbind"), "bonds")
# The modules of commands whose packages are installed separately.
APART = {
    "board": "jacquard_board.command",
    "certify": "jacquard_certify.command",
    **{name: f"jacquard_automations.commands.{name}" for name in ("setup", "run", "status", "gesture", "play")},
}


def modules(command: str | None) -> list[Any]:
    """The module of this command; all modules if there is no such command."""
    return [loaded(name) for name in ([BY_COMMAND[command]] if command in BY_COMMAND else MODULES)]


def loaded(name: str) -> Any:
    module = APART.get(name, f"{__name__}.{name}")
    package = module.partition(".")[0]
    return import_module(module) if find_spec(package) else absent.Command(name, package.replace("_", "-"))
