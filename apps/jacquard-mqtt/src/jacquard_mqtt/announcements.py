"""The retained messages of the bridge and its tags: their contents, their order, and the removal of obsolete ones."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Callable, Container
from typing import Any

from . import discovery, messages, selection
from .claims import Claims
from .context import Context
from .session import Received, Session
from .tag import TagBridge
from .topics import RETAINED

LOG = logging.getLogger("jacquard_mqtt")
# Seconds from the removal of entities in Home Assistant to the removal of their topics.
REMOVAL_DELAY = 2.0
# Retained messages at this position or later may wait for changes of others.
BULK = 3


class Announcements:
    def __init__(
        self, context: Context, tags: dict[str, TagBridge], claims: Claims, status: Callable[[], bytes]
    ) -> None:
        self._context = context
        self._publisher = context.publisher
        self._tags = tags
        self._claims = claims
        self._status = status
        # Whether nothing is to be retained any more.
        self.removes = False
        # The `info` of tags that the broker has sent on this connection, until all have arrived.
        self._stored: dict[str, Received] = {}
        # The topics that the claim of each tag announces.
        self._announced: dict[str, list[str]] = {}
        # Tags whose discovery messages the broker has kept since the last connection.
        self._kept: set[str] = set()
        self._removals: dict[object, tuple[asyncio.TimerHandle, Callable[[], None]]] = {}
        self._resend_timer: asyncio.TimerHandle | None = None

    def _wanted(self) -> dict[str, bytes]:
        """All retained messages. The bridge's availability is last, when all others are up to date."""
        topics = self._context.topics
        wanted: dict[str, bytes] = {}
        if self.removes:
            return wanted
        for tag in self._tags.values():
            if tag.owned:
                wanted |= self._described(tag) | tag.retained()
        wanted |= encoded(discovery.of_bridge(self._context.settings))
        wanted[topics.status] = self._status()
        wanted[topics.availability] = messages.ONLINE
        return wanted

    def _described(self, tag: TagBridge) -> dict[str, bytes]:
        """The discovery messages of a tag, after its `info`, which lists them so that they can be removed later."""
        settings = self._context.settings
        announced = discovery.of_tag(tag, settings)
        epoch = self._claims.epoch(tag.selection.topic)
        info: dict[str, Any] = {"bridge": settings.bridge, "epoch": epoch, "serial": tag.selection.serial}
        info |= tag.values.get("info", {})
        payloads = encoded(announced)
        info["announced"] = list(announced)
        if tag.synchronized:
            info["digest"] = hashlib.sha256(b"".join(payloads.values())).hexdigest()[:16]
        return {self._context.topics.tag(tag.selection.topic, "info"): messages.encoded(info), **payloads}

    def describe(self, tag: TagBridge) -> None:
        """Retains the description of a tag; discovery messages that change make it incomplete until all are sent."""
        if not tag.owned:
            return
        described = self._described(tag)
        bulk = {topic for topic in described if self._order(topic) >= BULK}
        if any(self._publisher.wanted(topic) != described[topic] for topic in bulk):
            tag.synchronized = False
            described = self._described(tag)
        for topic, payload in described.items():
            self._publisher.retain(topic, payload, bulk=topic in bulk)

    def publish_all(self) -> None:
        wanted = self._wanted()
        # Before the tags, so that other bridges know which of them this one has.
        self._publisher.retain(self._context.topics.status, wanted[self._context.topics.status])
        # These must be first, because Home Assistant does not accept two entities with one ID.
        self.clear(self.leave_shared([topic for topic in self._publisher.topics() if topic not in wanted]))
        for tag in self._tags.values():
            self.describe(tag)
        for topic, payload in self._wanted().items():
            self._publisher.retain(topic, payload, bulk=self._order(topic) >= BULK)

    # Connections

    def link_begins(self) -> None:
        self._kept.clear()
        self._stored.clear()

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
        """`status` is first, so that other bridges know which tags this one has; then `info`, because the next run finds
        all other topics with it. States, the bridge's availability and discovery messages follow; the last are most of
        the data."""
        if topic.endswith("/info"):
            return -1
        if topic.startswith(self._context.discovery):
            return BULK
        return {self._context.topics.status: -2, self._context.topics.availability: 2}.get(topic, 0)

    @property
    def resends(self) -> bool:
        return self._resend_timer is not None

    def resend_all(self, delay: float) -> None:
        """Sends everything again after a delay, in which further calls have no effect. Home Assistant may have missed messages, if the broker
        does not store retained ones; another bridge may have replaced them."""

        def publish() -> None:
            self._resend_timer = None
            start = self._context.discovery
            self._publisher.resend(*sorted(self._publisher.topics(), key=lambda topic: not topic.startswith(start)))

        if self._resend_timer is None:
            self._resend_timer = asyncio.get_running_loop().call_later(delay, publish)

    # Removal

    def store(self, name: str, message: Received) -> None:
        """Takes the `info` of a tag that the broker has, before it has sent all."""
        self._stored[name] = message
        self._announced[name] = selection.stored(message.payload).get("announced", [])
        self._claims.take_info(name, selection.stored(message.payload), message.retained)

    def check_all_stored(self, is_first: bool) -> None:
        """Called when the broker has sent all that it has stored."""
        for name, message in self._stored.items():
            if not self._claims.belongs_to_another(name):
                self._check_stored(name, message, is_first)
        self._stored.clear()

    def take_info(self, name: str, message: Received) -> None:
        """The `info` of a tag has changed, perhaps because of this bridge."""
        stored = selection.stored(message.payload)
        self._announced[name] = stored.get("announced", [])
        self._claims.take_info(name, stored, message.retained)

    def claimed(self, tag: TagBridge, is_own: bool) -> None:
        """Publishes everything about the tag, or leaves it to another bridge. Messages that only the previous bridge
        has published are removed."""
        tag.owned = is_own
        name, topics = tag.selection.topic, self._context.topics
        if not is_own:
            start = topics.tag(name, "")
            own = [*self._described(tag), *(topic for topic in self._publisher.topics() if topic.startswith(start))]
            self._publisher.leave(own)
            return
        tag.synchronized = False
        wanted = self._described(tag) | tag.retained()
        self._clear_announced(name, self._announced.get(name, []), wanted)
        for topic in sorted(wanted, key=self._order):
            if self._publisher.wanted(topic) == wanted[topic]:
                self._publisher.resend(topic)
            self._publisher.retain(topic, wanted[topic], bulk=self._order(topic) >= BULK)

    def _clear_announced(self, name: str, announced: list[str], wanted: Container[str]) -> None:
        settings, topics = self._context.settings, self._context.topics
        obsolete = [topic for topic in announced if discovery.is_of_tag(topic, name, settings) and topic not in wanted]
        firmware = topics.tag(name, "firmware")
        self.clear([*obsolete, firmware] if obsolete and firmware not in wanted else obsolete)

    def clear_earlier(self, topic: str, message: Received) -> None:
        """Removes the retained messages of versions whose topics of tags contained the name of the bridge."""
        root, tags, name, what = topic.rsplit("/", 3)
        if what != "info" or not message.payload:
            return
        prefix = re.escape(self._context.settings.home_assistant.prefix)
        node = re.escape(f"jacquard_{root.rpartition('/')[2]}_{name}")
        pattern = re.compile(f"{prefix}/(device/{node}|[a-z_]+/{node}/[a-z0-9_-]+)/config")
        try:
            announced = [one for one in json.loads(message.payload)["announced"] if pattern.fullmatch(one)]
        except (ValueError, KeyError, TypeError, RecursionError):
            announced = []
        self.clear(announced + [f"{root}/{tags}/{name}/{what}" for what in RETAINED])

    def clear_bridge(self, bridge: str) -> None:
        """Removes a former name of this bridge."""
        topics, settings = self._context.topics, self._context.settings
        own = [topics.of_bridge(bridge, what) for what in ("status", "availability")]
        self.clear([*discovery.topics_of_bridge(bridge, settings), *own])

    def _check_stored(self, name: str, message: Received, is_first: bool) -> None:
        """Reads the `info` of a tag that the broker has. Removes messages that an earlier run or another configuration
        has published, but not this one. Discovery messages that the broker has kept since the last connection are not
        sent again; at a start they are, because the broker may have refused them."""
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
            if name in self._claims.known_to_others():
                return
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
            for topic in self.leave_shared(rest):
                if topic not in wanted:
                    self._publisher.retain(topic, b"")

        key = object()
        if rest:
            timer = asyncio.get_running_loop().call_later(REMOVAL_DELAY, clear)
            self._removals[key] = (timer, clear)

    def leave_shared(self, topics: list[str]) -> list[str]:
        """Leaves topics to other bridges that know the same tags; returns the rest."""
        settings, of_tag = self._context.settings, self._context.topics.tag
        names = [name for name in self._claims.known_to_others() if name not in self._tags or not self._tags[name].owned]
        shared = {
            topic
            for topic in topics
            for name in names
            if topic.startswith(of_tag(name, "")) or discovery.is_of_tag(topic, name, settings)
        }
        self._publisher.leave(shared)
        return [topic for topic in topics if topic not in shared]

    def is_of_a_tag(self, topic: str) -> bool:
        """Whether a topic that this bridge has retained does not contain its name, which is still the former one."""
        topics = self._context.topics
        if topic.startswith(self._context.discovery):
            return topic not in discovery.topics_of_bridge(topics.bridge, self._context.settings)
        return topics.parts(topic) is not None

    def clear_now(self) -> None:
        for timer, clear in list(self._removals.values()):
            timer.cancel()
            clear()

    def close(self) -> None:
        if self._resend_timer is not None:
            self._resend_timer.cancel()


def encoded(found: dict[str, dict[str, Any]]) -> dict[str, bytes]:
    return {topic: messages.encoded(message) for topic, message in found.items()}
