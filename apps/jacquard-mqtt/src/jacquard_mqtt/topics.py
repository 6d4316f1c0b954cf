"""The topics: BASE/v1/BRIDGE/… of the bridge, and BASE/v1/tags/TAG/… of each tag, whichever bridge has it."""

from __future__ import annotations

import dataclasses

VERSION = "v1"
# The word in place of the name of a bridge.
TAGS = "tags"
# Retained topics of a tag, below its own topic. Those of events and samples are named where they are published: tag.py.
RETAINED = ("availability", "state", "info", "battery", "gear", "name", "rssi", "light", "firmware")


@dataclasses.dataclass(frozen=True)
class Topics:
    base: str
    bridge: str

    @property
    def availability(self) -> str:
        return self.of_bridge(self.bridge, "availability")

    @property
    def status(self) -> str:
        return self.of_bridge(self.bridge, "status")

    def of_bridge(self, bridge: str, what: str) -> str:
        return f"{self.base}/{VERSION}/{bridge}/{what}"

    def tag(self, tag: str, what: str) -> str:
        return self.of_bridge(TAGS, f"{tag}/{what}")

    def parts(self, topic: str) -> tuple[str, str] | None:
        """The tag of a topic, and what follows it; None if it is not a topic of a tag."""
        start = self.tag("", "")[:-1]
        tag, slash, what = topic.removeprefix(start).partition("/")
        return (tag, what) if topic.startswith(start) and slash else None

    def bridge_parts(self, topic: str) -> tuple[str, str] | None:
        """The bridge of a topic, and what follows it; None if it is not a topic of a bridge."""
        start = self.of_bridge("", "")[:-1]
        bridge, slash, what = topic.removeprefix(start).partition("/")
        return (bridge, what) if topic.startswith(start) and slash and bridge != TAGS else None
