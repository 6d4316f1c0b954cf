"""The results that one step passes to the next."""

from __future__ import annotations

import dataclasses
from argparse import Namespace
from pathlib import Path

import jacquard
from jacquard_apps.system.file_watch import state_file

from ..file import default_path
from . import simulated
from .dialogue import Dialogue

GESTURE = "brush-in"


@dataclasses.dataclass
class Context:
    dialogue: Dialogue
    manager: jacquard.Manager
    path: Path
    adapter: str | None
    # Seconds for each wait.
    timeout: float
    is_simulated: bool
    gesture: str = GESTURE
    # The line of the rule that was added, or that exists.
    line: int | None = None
    # Whether the unit runs the rules.
    is_started: bool = False

    @classmethod
    def of(cls, arguments: Namespace, manager: jacquard.Manager) -> Context:
        is_simulated = simulated.IS_HERE
        # The folder of a software tag is removed with it.
        path = state_file().with_name("automations.toml") if is_simulated else default_path()
        dialogue = Dialogue(arguments.json)
        return cls(dialogue, manager, path, arguments.adapter, arguments.timeout, is_simulated)
