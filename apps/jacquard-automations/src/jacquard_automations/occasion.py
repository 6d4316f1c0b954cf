"""An event that may run a rule, and its tag."""

from __future__ import annotations

import dataclasses
import time

import jacquard

from .triggers import Details, Trigger


@dataclasses.dataclass(frozen=True)
class TagIdentity:
    identifier: str
    serial: str = ""
    name: str = ""
    profile: tuple[tuple[str, str], ...] = ()

    @property
    def label(self) -> str:
        """The tag's name in messages."""
        return self.serial or self.identifier


@dataclasses.dataclass
class Link:
    """The link to a tag. The members that actions use are None while the link is down."""

    identity: TagIdentity
    tag: jacquard.Tag | None = None
    gear: jacquard.Component | None = None
    # The last reported values.
    battery: jacquard.Battery | None = None
    touch_mode: jacquard.TouchModeReport | None = None
    # Why there is no link, or why touches cannot be read; "" if that is not known.
    problem: str = ""
    # When the link was established or lost, by the wall clock.
    since: float = dataclasses.field(default_factory=time.time)


@dataclasses.dataclass(frozen=True)
class Occasion:
    """An event for which a rule runs. arrived: in CLOCK_BOOTTIME."""

    link: Link
    trigger: Trigger
    details: Details
    arrived: float
    # Whether it was too old before the rule could begin.
    is_late: bool = False

    @property
    def event(self) -> str:
        """The event as it is shown. A gesture is the one that was made, also if the rule is for any."""
        if "gesture" in self.details:
            return str(self.details["gesture"] or f"gesture {self.details['gesture_number']}")
        return str(self.trigger)

    def described(self) -> Details:
        """The event for JSON, and for the environment of commands."""
        tag = self.link.identity
        return {**self.details, "tag": tag.identifier, "serial": tag.serial, "name": tag.name}
