"""Reports each failure once, until it has worked again."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Callable


class Complaints:
    """owner, part: what the failure is about, such as a rule and one of its actions."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._reported: set[tuple[Hashable, Hashable]] = set()

    def report(self, owner: Hashable, part: Hashable, text: str) -> None:
        if (owner, part) not in self._reported:
            self._reported.add((owner, part))
            self._say(text)

    def works(self, owner: Hashable, part: Hashable) -> None:
        self._reported.discard((owner, part))

    def forget(self, owner: Hashable) -> None:
        self._reported = {about for about in self._reported if about[0] != owner}
