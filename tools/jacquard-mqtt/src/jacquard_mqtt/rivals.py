"""Detects another running bridge with the same name.

Two bridges with one client ID take the connection from each other; with different IDs they overwrite each other's
topics. Each publishes its `status`, retained, and reads the other's. A live message of another instance proves that it
runs. A retained one does not: it may be from the previous run, or an old one that the broker has restored from disk.
But if its count of connections has grown since it was last seen, that instance is running. The bridge that was started
first stays.
"""

from __future__ import annotations

import dataclasses
import json


@dataclasses.dataclass(frozen=True)
class Rival:
    host: str
    started: str
    # Whether this bridge must end.
    yields: bool


class Rivals:
    def __init__(self, boot: str, started: str) -> None:
        self._own = (started, boot)
        # Whether the broker has this bridge's status.
        self.published = False
        self._connections: dict[str, int] = {}

    def judge(self, payload: bytes, retained: bool) -> Rival | None:
        """The running rival that a status message proves, if any."""
        try:
            status = json.loads(payload)
            started, boot = str(status["started"]), str(status["boot"])
            connections, host = int(status["connections"]), str(status["host"])
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        if boot == self._own[1]:
            return None
        seen = self._connections.get(boot)
        self._connections = {boot: connections}
        if retained and (seen is None or connections <= seen):
            return None
        return Rival(host[:64], started[:40], (started, boot) < self._own)
