"""Detects another running bridge with the same name.

Two bridges with one client ID take the connection from each other; with different IDs they overwrite each other's
topics. Each publishes its `status`, retained, and reads the other's. The bridge that was started first stays; the other
one pauses.

Any client that may write to the topic can publish such a message, and a broker can deliver one of an earlier run, so
one message proves nothing:

* A retained one does if its count of connections has grown since this bridge last subscribed. That instance has
  connected in the meantime.
* A live one is answered with this bridge's status, which makes another bridge publish its status again. The second
  message is the proof.
"""

from __future__ import annotations

import dataclasses
import json
import re

BOOT = re.compile("[0-9a-f]{16}")
# As in the schema; times in this format can be compared as text.
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", re.ASCII)


@dataclasses.dataclass(frozen=True)
class Rival:
    host: str
    started: str
    # Whether it was started first.
    is_first: bool
    # False: its message has to be answered.
    proven: bool


class Rivals:
    def __init__(self, boot: str, started: str) -> None:
        self._own = (started, boot)
        self._connections: dict[str, int] = {}
        # The instance whose message was answered.
        self._answered: str | None = None

    def judge(self, payload: bytes, retained: bool) -> Rival | None:
        """The rival that a status message is from, if any."""
        try:
            status = json.loads(payload)
            started, boot, host, connections = (status[name] for name in ("started", "boot", "host", "connections"))
            valid = isinstance(host, str) and isinstance(connections, int)
            if not valid or not TIME.fullmatch(started) or not BOOT.fullmatch(boot) or boot == self._own[1]:
                return None
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        seen = self._connections.get(boot)
        self._connections = {boot: connections}
        if retained and (seen is None or connections <= seen):
            return None
        proven = retained or self._answered == boot
        self._answered = None if proven else boot
        return Rival(host[:64], started, (started, boot) < self._own, proven)
