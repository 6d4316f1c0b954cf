"""One thing that was looked at."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class Finding:
    """cause: a word for programs, "" when there is nothing to blame. details: what else was seen."""

    about: str
    good: bool
    text: str
    advice: str = ""
    cause: str = ""
    details: dict[str, Any] = dataclasses.field(default_factory=dict)
