"""Lists in as few lines as possible."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

LINE_LENGTH = 120


def filled(parts: Iterable[str], indent: int) -> str:
    """The parts, each with a comma and none broken, in lines with this indent."""
    kept = " ".join(part.replace(" ", "\0") + "," for part in parts)
    text = textwrap.fill(kept, LINE_LENGTH, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False)
    return text.replace("\0", " ") + "\n"
