"""Kinds of actions. Each module has the keys that select it (KEYS), and reads the action from its table."""

from __future__ import annotations

from typing import Callable

from ..action import Action
from ..table import Table
from . import command, dbus, effect, keys, media, mqtt, music, volume

MODULES = (command, effect, media, volume, keys, dbus, mqtt, music)
READERS: dict[str, Callable[[Table, str], Action]] = {key: module.read for module in MODULES for key in module.KEYS}
