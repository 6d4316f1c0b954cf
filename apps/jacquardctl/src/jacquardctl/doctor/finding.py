"""The result of one check."""

from __future__ import annotations

import dataclasses
from typing import Any


@dataclasses.dataclass(frozen=True)
class Finding:
    """cause: a word for programs, "" if nothing is wrong. details: additional observations. caveat: whether it is neither
    a success nor a problem."""

    about: str
    good: bool
    text: str
    advice: str = ""
    cause: str = ""
    details: dict[str, Any] = dataclasses.field(default_factory=dict)
    caveat: bool = False
