"""Kinds of events. Each module has the keys of a rule that select it (KEYS), and reads the rule's trigger."""

from __future__ import annotations

from typing import Callable

from ..table import Table
from ..triggers import Trigger
from . import battery, fader, gear, gesture, link, touch, trained

MODULES = (gesture, touch, trained, gear, battery, link, fader)
READERS: dict[str, Callable[[Table, str], Trigger]] = {key: module.read for module in MODULES for key in module.KEYS}
