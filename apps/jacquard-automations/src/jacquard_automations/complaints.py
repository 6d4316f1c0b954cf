"""Reports each failure once, until it has worked again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Callable

# Owners of failures that affect several rules.
RESOURCE, MISSING = "resource", "missing"


class Complaints:
    """owner, part: what the failure is about, such as a rule and one of its actions."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        # The reported complaints, with their causes.
        self._reported: dict[tuple[Hashable, Hashable], str | None] = {}

    def report(self, owner: Hashable, part: Hashable, text: str, cause: str | None = None) -> None:
        """cause: the part of the text that is not said again if it is known to affect several rules."""
        if (owner, part) not in self._reported:
            is_known = bool(self._shared(cause))
            self._reported[owner, part] = cause
            if not is_known:
                self._say(text)

    def works(self, owner: Hashable, part: Hashable) -> None:
        for about in self._shared(self._reported.pop((owner, part), None)):
            del self._reported[about]

    def forget(self, owner: Hashable) -> None:
        self._reported = {about: cause for about, cause in self._reported.items() if about[0] != owner}

    def _shared(self, cause: str | None) -> list[tuple[Hashable, Hashable]]:
        reported = self._reported.items()
        return [about for about, one in reported if one == cause and cause is not None and about[0] in (RESOURCE, MISSING)]
