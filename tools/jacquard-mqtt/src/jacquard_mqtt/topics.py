"""The topics: BASE/v1/BRIDGE/… of the bridge, and BASE/v1/BRIDGE/tags/TAG/… of each tag."""

from __future__ import annotations

import dataclasses

VERSION = "v1"
# Retained topics of a tag, below its own topic.
RETAINED = ("availability", "state", "info", "battery", "gear", "name", "rssi", "light", "firmware")


@dataclasses.dataclass(frozen=True)
class Topics:
    base: str
    bridge: str

    @property
    def root(self) -> str:
        return f"{self.base}/{VERSION}/{self.bridge}"

    @property
    def availability(self) -> str:
        return f"{self.root}/availability"

    @property
    def status(self) -> str:
        return f"{self.root}/status"

    def tag(self, tag: str, what: str) -> str:
        return f"{self.root}/tags/{tag}/{what}"

    def parts(self, topic: str) -> tuple[str, str] | None:
        """The tag of a topic, and what follows it; None if it is not a topic of a tag of this bridge."""
        start = f"{self.root}/tags/"
        tag, slash, what = topic.removeprefix(start).partition("/")
        return (tag, what) if topic.startswith(start) and slash else None
