"""The retained messages of the bridge and its tags: their contents, their order, and the removal of obsolete ones."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable
from typing import Any

from . import discovery, messages, selection
from .context import Context
from .session import Received, Session
from .tag import TagBridge
from .topics import RETAINED

LOG = logging.getLogger("jacquard_mqtt")
# From the removal of entities in Home Assistant to the removal of their topics.
REMOVAL_DELAY = 2.0
# Retained messages at this position or later may wait for changes of others.
BULK = 3


class Announcements:
    def __init__(self, context: Context, tags: dict[str, TagBridge], status: Callable[[], bytes]) -> None:
        self._context = context
        self._publisher = context.publisher
        self._tags = tags
        self._status = status
        # Tags whose discovery messages the broker has kept since the last connection.
        self._kept: set[str] = set()
        self._removals: dict[object, tuple[asyncio.TimerHandle, Callable[[], None]]] = {}
        self._resend_timer: asyncio.TimerHandle | None = None

    def _wanted(self) -> dict[str, bytes]:
        """All retained messages. The bridge's availability is last, when all others are up to date."""
        topics = self._context.topics
        wanted: dict[str, bytes] = {}
        for tag in self._tags.values():
            wanted |= self._described(tag) | tag.retained()
        wanted |= encoded(discovery.of_bridge(self._context.settings))
        wanted[topics.status] = self._status()
        wanted[topics.availability] = messages.ONLINE
        return wanted

    def _described(self, tag: TagBridge) -> dict[str, bytes]:
        """The discovery messages of a tag, after its `info`, which lists them so that they can be removed later."""
        settings = self._context.settings
        announced = discovery.of_tag(tag, settings)
        info: dict[str, Any] = {"bridge": settings.bridge, "serial": tag.selection.serial}
        info |= tag.values.get("info", {})
        payloads = encoded(announced)
        info["announced"] = list(announced)
        if tag.synchronized:
            info["digest"] = hashlib.sha256(b"".join(payloads.values())).hexdigest()[:16]
        return {self._context.topics.tag(tag.selection.topic, "info"): messages.encoded(info), **payloads}

    def describe(self, tag: TagBridge) -> None:
        """Retains the description of a tag; discovery messages that change make it incomplete until all are sent."""
        described = self._described(tag)
        bulk = {topic for topic in described if self._order(topic) >= BULK}
        if any(self._publisher.wanted(topic) != described[topic] for topic in bulk):
            tag.synchronized = False
            described = self._described(tag)
        for topic, payload in described.items():
            self._publisher.retain(topic, payload, bulk=topic in bulk)

    def publish_all(self) -> None:
        wanted = self._wanted()
        # These must be first, because Home Assistant does not accept two entities with one ID.
        self.clear([topic for topic in self._publisher.topics() if topic not in wanted])
        for tag in self._tags.values():
            self.describe(tag)
        for topic, payload in self._wanted().items():
            self._publisher.retain(topic, payload, bulk=self._order(topic) >= BULK)

    # Connections

    def link_begins(self) -> None:
        self._kept.clear()

    def publish_to(self, session: Session) -> None:
        for tag in self._tags.values():
            tag.synchronized = tag.selection.topic in self._kept
            self.describe(tag)
        self._publisher.attach(session, self._order)

    def synchronized(self) -> None:
        """Called when everything has been acknowledged; `info` reports this to the next connection."""
        for tag in self._tags.values():
            if not tag.synchronized:
                tag.synchronized = True
                self.describe(tag)

    def _order(self, topic: str) -> int:
        """`info` is first, because the next run finds all other topics with it. States, the bridge's availability and
        discovery messages follow; the last are most of the data."""
        if topic.endswith("/info"):
            return -1
        if topic.startswith(self._context.discovery):
            return BULK
        return {self._context.topics.status: 1, self._context.topics.availability: 2}.get(topic, 0)

    @property
    def resends(self) -> bool:
        return self._resend_timer is not None

    def resend_all(self, delay: float) -> None:
        """After a delay, in which further calls have no effect. Home Assistant may have missed messages, if the broker
        does not store retained ones; another bridge may have replaced them."""

        def publish() -> None:
            self._resend_timer = None
            start = self._context.discovery
            self._publisher.resend(*sorted(self._publisher.topics(), key=lambda topic: not topic.startswith(start)))

        if self._resend_timer is None:
            self._resend_timer = asyncio.get_running_loop().call_later(delay, publish)

    # Removal

    def check_stored(self, name: str, message: Received, is_first: bool) -> None:
        """Reads the `info` of a tag that the broker has. Removes messages that an earlier run or another configuration
        of this bridge has published, but not this one. Discovery messages that the broker has kept since the last
        connection are not sent again; at a start they are, because the broker may have refused them."""
        settings = self._context.settings
        stored = selection.stored(message.payload)
        if name in self._tags and self._tags[name].describe(stored):
            self.describe(self._tags[name])
        if not is_first and "digest" in stored and message.payload == self._publisher.wanted(message.topic):
            self._kept.add(name)
            self._publisher.spare(stored.get("announced", []))
        announced = [topic for topic in stored.get("announced", []) if discovery.is_of_tag(topic, name, settings)]
        obsolete = [topic for topic in announced if not self._publisher.wanted(topic)]
        if name not in self._tags:
            obsolete += [self._context.topics.tag(name, what) for what in RETAINED]
            LOG.info("removing the topics of %r", name)
        self.clear(obsolete)

    def clear(self, topics: list[str]) -> None:
        """Removes retained messages: first those of discovery, because Home Assistant would not understand the empty
        messages of other topics; they follow when it has unsubscribed. `info` is the last, because the next run uses it
        to find the topics that this one could not remove."""
        first = [topic for topic in topics if topic.startswith(self._context.discovery)]
        for topic in first:
            self._publisher.retain(topic, b"")
        rest = sorted(set(topics) - set(first), key=lambda topic: (topic.endswith("/info"), topic))

        def clear() -> None:
            self._removals.pop(key, None)
            wanted = self._wanted()
            for topic in rest:
                if topic not in wanted:
                    self._publisher.retain(topic, b"")

        key = object()
        if rest:
            timer = asyncio.get_running_loop().call_later(REMOVAL_DELAY, clear)
            self._removals[key] = (timer, clear)

    def clear_now(self) -> None:
        for timer, clear in list(self._removals.values()):
            timer.cancel()
            clear()

    def close(self) -> None:
        if self._resend_timer is not None:
            self._resend_timer.cancel()


def encoded(found: dict[str, dict[str, Any]]) -> dict[str, bytes]:
    return {topic: messages.encoded(message) for topic, message in found.items()}
