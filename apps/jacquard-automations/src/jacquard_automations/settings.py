"""Settings of a file of rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

# How often a rule may run in one second.
RATE = 10


@dataclasses.dataclass(frozen=True)
class Settings:
    """The table [settings], and the raw table [mqtt], whose keys only its action knows."""

    # Commands that run at the same time.
    parallel: int = 8
    # How often each rule may run in one second.
    rate: int = RATE
    # Whether the desktop shows notifications.
    notify: bool = False
    mqtt: Mapping[str, Any] | None = None
    # The start of relative paths.
    directory: str = "."
