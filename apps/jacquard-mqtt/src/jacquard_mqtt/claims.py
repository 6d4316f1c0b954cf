"""Which bridge publishes to the topics of a tag, if several know it: the one whose `info` the broker has.

A bridge claims a tag when it connects to it, with an epoch that is greater than that of the claim before; of equal
epochs, the greater name is valid. The others then publish nothing about the tag. A tag has one link, so the newest claim
is right, even if the previous bridge has not noticed the loss of its link. A claim outlasts the link and the bridge: the
topics then say that the tag is away. Another bridge claims the tag without a link to it if the bridge that has it does
not list it in its `status` any more, and with one (programs of one machine share a link) if that bridge is away. Bridges
of one machine that connect at the same time may both publish until each has received the claim of the other.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from . import messages
from .context import Context
from .tag import TagBridge


@dataclasses.dataclass(frozen=True, order=True)
class Claim:
    epoch: int
    bridge: str


class Claims:
    def __init__(
        self,
        context: Context,
        tags: dict[str, TagBridge],
        changed: Callable[[TagBridge, bool], None],
        is_up: Callable[[], bool],
    ) -> None:
        """changed: called when this bridge has claimed a tag (True), or another bridge has (False). is_up: whether there
        is a connection to the broker."""
        self._context = context
        self._tags = tags
        self._changed = changed
        self._is_up = is_up
        self._claims: dict[str, Claim] = {}
        # Tags that were connected without a connection to the broker.
        self._unpublished: set[str] = set()
        # The statuses of the other bridges.
        self._statuses: dict[str, dict[str, Any]] = {}
        # The availability of bridges and of tags at the broker.
        self._online: dict[str, bool] = {}
        self._connected: dict[str, bool] = {}

    def epoch(self, name: str) -> int:
        return self._claims[name].epoch if name in self._claims else 1

    def known_to_others(self) -> set[str]:
        return {name for status in self._statuses.values() for name in status["tags"] if isinstance(name, str)}

    def belongs_to_another(self, name: str) -> bool:
        return name in self._claims and self._claims[name].bridge != self._own

    def rename(self, before: str) -> None:
        """The bridge had this name."""
        for name, claim in self._claims.items():
            if claim.bridge == before:
                self._claims[name] = Claim(claim.epoch + 1, self._own)

    def former_names(self, installation: str) -> list[str]:
        """The former names of this bridge."""
        return [name for name, status in self._statuses.items() if status["installation"] == installation]

    @property
    def _own(self) -> str:
        return self._context.settings.bridge

    # What the broker has

    def begin(self) -> None:
        """Called before a connection, on which the broker sends what it has."""
        self._statuses.clear()
        self._online.clear()
        self._connected.clear()

    def take_status(self, bridge: str, payload: bytes) -> None:
        try:
            status = json.loads(payload)
            valid = isinstance(status["tags"], list) and isinstance(status.setdefault("installation", ""), str)
        except (ValueError, KeyError, TypeError, RecursionError, AttributeError):
            valid = False
        if valid:
            self._statuses[bridge] = status
        else:
            self._statuses.pop(bridge, None)

    def take_availability(self, bridge: str, payload: bytes) -> None:
        self._online[bridge] = payload == messages.ONLINE

    def take_tag_availability(self, name: str, payload: bytes) -> None:
        self._connected[name] = payload == messages.ONLINE

    def take_info(self, name: str, stored: dict[str, Any]) -> None:
        before, tag = self._claims.get(name), self._tags.get(name)
        if not stored:
            if tag is None or not tag.owned:
                self._claims.pop(name, None)
            return
        claim = Claim(stored["epoch"], stored["bridge"])
        if tag is not None and before is not None and claim.bridge == self._own:
            return
        if tag is not None and tag.owned and before is not None and claim < before:
            self._changed(tag, True)  # the other bridge has not known this claim
            return
        self._claims[name] = claim
        if tag is not None and tag.owned and claim.bridge != self._own:
            self._changed(tag, False)

    # Claims of this bridge

    def claim(self, tag: TagBridge) -> None:
        """Called when the tag is connected."""
        name = tag.selection.topic
        if not self._is_up():
            self._unpublished.add(name)
        before = self._claims.get(name)
        is_own = before is not None and before.bridge == self._own
        if not (is_own and tag.owned):
            epoch = 0 if before is None else before.epoch
            self._claims[name] = Claim(epoch if is_own else epoch + 1, self._own)
            self._changed(tag, True)

    def review(self) -> None:
        """Called when another bridge may have ended, or lost a tag."""
        unpublished, self._unpublished = self._unpublished, set()
        for name, tag in self._tags.items():
            claim = self._claims.get(name)
            if tag.connected and name in unpublished:
                self.claim(tag)
            elif claim is None or claim.bridge == self._own:
                if not tag.owned:
                    self.claim(tag)
            elif self._is_abandoned(name, claim) or (tag.connected and not self._is_served(name, claim)):
                self.claim(tag)

    def _is_abandoned(self, name: str, claim: Claim) -> bool:
        return name not in self._statuses.get(claim.bridge, {"tags": ()})["tags"]

    def _is_served(self, name: str, claim: Claim) -> bool:
        return self._online.get(claim.bridge, False) and self._connected.get(name, False)
