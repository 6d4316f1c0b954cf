"""Which bridge publishes to the topics of a tag, if several know it: the one whose `info` the broker has.

A bridge claims a tag when it connects to it, with an epoch that is greater than that of the claim before. The others
then publish nothing about the tag. A tag has one link, so the newest claim is right, even if the previous bridge has not
noticed the loss of its link. A claim outlasts the link and the bridge: the topics then say that the tag is away. Another
bridge claims the tag without a link to it if the bridge that has it does not list it in its `status` any more.

Programs of one machine share the link, so a bridge leaves a tag to another one of its host that publishes to its topics,
and waits if that one may be about to. Bridges that connect at the same time claim the tag with equal epochs. All receive
these claims in the broker's order, and the first is valid. So no gesture is published before the broker has returned the
claim, and each is published once.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import socket
from collections.abc import Callable
from typing import Any

from . import messages
from .context import Context
from .tag import TagBridge

# Seconds that gestures wait for a claim to come back (a broker may not permit it), or for another bridge on this host.
PATIENCE = 2.0


@dataclasses.dataclass(frozen=True)
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
        # Tags whose gestures wait until it is known which bridge publishes them, and the limit, which begins with the
        # connection to the broker.
        self._held: dict[TagBridge, asyncio.TimerHandle | None] = {}
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

    # The state of the broker

    def begin(self) -> None:
        """Called before a connection, on which the broker sends all that it has stored."""
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

    def take_availability(self, bridge: str, payload: bytes, retained: bool) -> None:
        """A bridge that was away earlier may have started again: it announces that last."""
        if payload == messages.ONLINE or not retained:
            self._online[bridge] = payload == messages.ONLINE
        self._leave_served()

    def take_tag_availability(self, name: str, payload: bytes) -> None:
        self._connected[name] = payload == messages.ONLINE
        self._leave_served()

    def take_info(self, name: str, stored: dict[str, Any], retained: bool) -> None:
        """A bridge announces its tags, and may publish gestures, before it announces that it is online: its claim shows
        that too."""
        self._take_claim(name, stored)
        if stored and not retained and stored["bridge"] != self._own:
            self._online[stored["bridge"]] = True
            self._leave_served()

    def _take_claim(self, name: str, stored: dict[str, Any]) -> None:
        before, tag = self._claims.get(name), self._tags.get(name)
        if not stored:
            if tag is None or not tag.owned:
                self._claims.pop(name, None)
            return
        claim = Claim(stored["epoch"], stored["bridge"])
        if tag is None or before is None or not (tag.owned or claim.bridge == self._own):
            self._claims[name] = claim
        elif claim.bridge == self._own:
            self._take_own(tag, before, claim)
        elif claim.epoch < before.epoch or (claim.epoch == before.epoch and tag not in self._held):
            self._changed(tag, True)  # the other bridge has not known this claim
        else:
            self._claims[name] = claim
            self._changed(tag, False)
            # Without a connection, this bridge is about to claim the tag again.
            if self._is_up():
                self._end_hold(tag)

    def _take_own(self, tag: TagBridge, before: Claim, claim: Claim) -> None:
        if not tag.owned or tag not in self._held:
            return
        if not self._is_up():
            # The claim may be from the previous run.
            self._claims[tag.selection.topic] = Claim(max(claim.epoch + 1, before.epoch), self._own)
        elif claim == before:
            self._end_hold(tag)

    # Gestures

    def _hold(self, tag: TagBridge) -> None:
        tag.hold()
        self._stop_timer(tag)
        self._held[tag] = asyncio.get_running_loop().call_later(PATIENCE, self._decide, tag) if self._is_up() else None

    def _decide(self, tag: TagBridge) -> None:
        """Called when no message has decided it in time."""
        if not self._is_up():
            self._held[tag] = None
        elif tag.owned or not tag.connected:
            self._end_hold(tag)
        else:
            self._take(tag)

    def _leave_served(self) -> None:
        for tag in [tag for tag in self._held if not tag.owned]:
            name = tag.selection.topic
            if name in self._claims and self._is_served(name, self._claims[name]):
                self._end_hold(tag)

    def _end_hold(self, tag: TagBridge) -> None:
        """Publishes its gestures, or leaves them to the other bridge."""
        if tag in self._held:
            self._stop_timer(tag)
            del self._held[tag]
            tag.end_hold()

    def _stop_timer(self, tag: TagBridge) -> None:
        timer = self._held.get(tag)
        if timer is not None:
            timer.cancel()

    # Claims of this bridge

    def claim(self, tag: TagBridge) -> None:
        """Called when the tag is connected."""
        name = tag.selection.topic
        if not self._is_up():
            self._unpublished.add(name)
        before = self._claims.get(name)
        if before is None or before.bridge == self._own:
            if not tag.owned:
                self._take(tag)
        elif self._is_up() and not self._may_share(before):
            self._take(tag)
        elif self._is_up() and self._is_served(name, before):
            self._end_hold(tag)
        elif tag not in self._held:
            self._hold(tag)

    def _take(self, tag: TagBridge) -> None:
        name = tag.selection.topic
        self._claims[name] = Claim(self._claims[name].epoch + 1 if name in self._claims else 1, self._own)
        self._hold(tag)
        self._changed(tag, True)

    def review(self) -> None:
        """Called when another bridge may have ended, or lost a tag."""
        for tag in [tag for tag, timer in self._held.items() if timer is None]:
            self._hold(tag)
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

    def _may_share(self, claim: Claim) -> bool:
        """Whether the other bridge is on this host, and is not known to have ended."""
        host = self._statuses.get(claim.bridge, {}).get("host")
        return host == socket.gethostname() and self._online.get(claim.bridge, True)

    def _is_served(self, name: str, claim: Claim) -> bool:
        return self._online.get(claim.bridge, False) and self._connected.get(name, False)
