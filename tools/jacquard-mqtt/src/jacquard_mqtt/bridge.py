"""The program: tags on one side, the broker on the other."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import random
import secrets
import socket
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import jacquard

from . import discovery, exits, messages, notify, requests, selection, settings
from .errors import RequestError
from .firmware import Images
from .publisher import Publisher
from .rivals import Rival, Rivals
from .session import Misconfigured, Received, Refused, Session, Unreadable, Will
from .settings import Settings
from .tag import Selection, TagBridge
from .topics import RETAINED, Topics
from .watch import FileWatch

LOG = logging.getLogger("jacquard_mqtt")
# Pauses between attempts to connect to the broker. Attempts cost almost nothing, but a refusal or a TLS alert is
# permanent until the broker or this configuration is changed.
FIRST_PAUSE, LONGEST_PAUSE, PAUSE_AFTER_REFUSAL = 0.1, 1.0, 30.0
# While another bridge has the same name. Each attempt disturbs that bridge for a moment.
PAUSE_FOR_RIVAL = 300.0
# For messages that are still queued when the program ends.
DRAIN_TIMEOUT = 2.0
# Changes within this time are published together.
STATUS_DELAY = 0.2
# After Home Assistant's birth message; it asks integrations not to reply all at the same time. Also after another bridge
# has published to the topics of this one, which takes a moment.
RESEND_DELAY = 1.0
# From the removal of entities in Home Assistant to the removal of their topics.
REMOVAL_DELAY = 2.0
# A response has a slightly longer topic than its request, and MQTT permits 65535 bytes.
LONGEST_TOPIC = 8192
# The log has the same failure of requests once in this time.
FAILURE_INTERVAL = 60.0
# Retained messages at this position or later may wait for changes of others.
BULK = 3


class Bridge:
    def __init__(self, configuration: Settings, path: Path | None = None) -> None:
        """path: the configuration file; None: the default one."""
        self.settings = configuration
        self.path = path
        self.topics = Topics(configuration.base_topic, configuration.bridge)
        self.publisher = Publisher(configuration.gestures.queue, configuration.gestures.maximum_age)
        self.publisher.on_drop = self._status_changed
        self.publisher.on_idle = self._synchronized
        self.images = Images(configuration.firmware.directory)
        self.tags: dict[str, TagBridge] = {}
        self.boot = secrets.token_hex(8)
        self.started = messages.now()
        self.connections = 0
        self.rivals = Rivals(self.boot, self.started)
        self._selected: dict[str, Selection] = {}
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._pending: dict[asyncio.Task[None], str] = {}
        self._session: Session | None = None
        self._link: asyncio.Task[None] | None = None
        # Ends the connection in favour of another bridge.
        self._yielded: asyncio.Future[Rival] = asyncio.get_running_loop().create_future()
        self._protocol_5 = True
        self._status_timer: asyncio.TimerHandle | None = None
        self._removals: dict[object, tuple[asyncio.TimerHandle, Callable[[], None]]] = {}
        self._resend_timer: asyncio.TimerHandle | None = None
        self._ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._reloads = asyncio.Event()
        self._manager: jacquard.Manager | None = None
        # When a failure of a request was last written to the log, by tag, command and code.
        self._failures: dict[tuple[str, str, str], float] = {}
        # Tags whose discovery messages the broker has kept since the last connection.
        self._kept: set[str] = set()
        # Why Bluetooth cannot be used.
        self._obstacle: jacquard.JacquardError | None = None

    async def run(self) -> int:
        """Runs until stop(); returns the exit status."""
        async with contextlib.AsyncExitStack() as stack:
            self._manager = await stack.enter_async_context(jacquard.Manager(adapter=self.settings.adapter))
            watch = stack.enter_context(FileWatch(selection.state_file(), self._reloads.set))
            LOG.debug("watching %s", watch.path)
            await self._select()
            works = (notify.feed_watchdog(), self._follow_known(), self._follow_adapter())
            background = [self._start(work) for work in works]
            self._link = self._start(self._stay_connected())
            notify.ready()
            self._report()
            try:
                status = await asyncio.shield(self._ended)
            finally:
                notify.stopping()
                for task in background:
                    task.cancel()
                await self._shut_down()
        return status

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Starts a task that runs until it is cancelled; an exception, which is a defect, ends the program."""

        def ended(task: asyncio.Task[None]) -> None:
            if not task.cancelled() and task.exception() is not None:
                LOG.error("internal error", exc_info=task.exception())
                self.stop(exits.FAILED)

        task = asyncio.ensure_future(work)
        task.add_done_callback(ended)
        return task

    def stop(self, status: int = exits.OK) -> None:
        if not self._ended.done():
            self._ended.set_result(status)

    # Tags

    async def _follow_known(self) -> None:
        """Follows tags being bound and unbound, by any program of this user."""
        while True:
            await self._reloads.wait()
            self._reloads.clear()
            await self._select()

    async def _follow_adapter(self) -> None:
        """Reports why Bluetooth cannot be used; the library waits until it can."""
        assert self._manager is not None
        async with self._manager.adapter_states() as states:
            async for adapter in states:
                if adapter.error is not None:
                    LOG.warning("%s", adapter.error)
                elif self._obstacle is not None and adapter.usable:
                    LOG.info("Bluetooth can be used")
                self._obstacle = adapter.error
                for tag in self.tags.values():
                    tag.obstruct(adapter.error)
                self._status_changed()

    async def _select(self) -> None:
        """Starts and stops tags according to the configuration and the bound tags."""
        assert self._manager is not None
        try:
            known = await self._manager.known()
        except jacquard.StateFileError as error:
            LOG.error("%s", error)
            return
        wanted = selection.selected(self.settings.tags, known)
        for name in [name for name in self.tags if wanted.get(name) != self._selected.get(name)]:
            await self._remove(name)
        for name, chosen in wanted.items():
            if name in self.tags:
                self.tags[name].retry.set()
            else:
                self._add(name, chosen)
        self._publish_all()

    def _add(self, name: str, chosen: Selection) -> None:
        assert self._manager is not None
        light_seconds = self.settings.home_assistant.light_seconds
        tag = TagBridge(chosen, self.topics, self.publisher, self.images, light_seconds)
        tag.on_described = lambda: self._announce(tag)
        tag.obstruct(self._obstacle)
        self._selected[name], self.tags[name] = chosen, tag
        self._runs[name] = self._start(tag.run(self._manager))

    async def _remove(self, name: str) -> None:
        task = self._runs.pop(name)
        task.cancel()
        await asyncio.wait({task})
        del self.tags[name], self._selected[name]

    # Retained messages

    def _wanted(self) -> dict[str, bytes]:
        """All retained messages. The bridge's availability is last, when all others are up to date."""
        wanted: dict[str, bytes] = {}
        for tag in self.tags.values():
            wanted |= self._described(tag) | tag.retained()
        wanted |= encoded(discovery.of_bridge(self.settings))
        wanted[self.topics.status] = self._status()
        wanted[self.topics.availability] = messages.ONLINE
        return wanted

    def _described(self, tag: TagBridge) -> dict[str, bytes]:
        """The discovery messages of a tag, after its `info`, which lists them so that they can be removed later."""
        announced = discovery.of_tag(tag, self.settings)
        info: dict[str, Any] = {"bridge": self.settings.bridge, "serial": tag.selection.serial}
        info |= tag.values.get("info", {})
        payloads = encoded(announced)
        info["announced"] = list(announced)
        if tag.synchronized:
            info["digest"] = hashlib.sha256(b"".join(payloads.values())).hexdigest()[:16]
        return {self.topics.tag(tag.selection.topic, "info"): messages.encoded(info), **payloads}

    def _announce(self, tag: TagBridge) -> None:
        if self.tags.get(tag.selection.topic) is tag:
            self._retain_description(tag)
            self._status_changed()

    def _retain_description(self, tag: TagBridge) -> None:
        described = self._described(tag)
        bulk = {topic for topic in described if self._order(topic) >= BULK}
        if any(self.publisher.wanted(topic) != described[topic] for topic in bulk):
            tag.synchronized = False
            described = self._described(tag)
        for topic, payload in described.items():
            self.publisher.retain(topic, payload, bulk=topic in bulk)

    def _publish_all(self) -> None:
        wanted = self._wanted()
        # These must be first, because Home Assistant does not accept two entities with one ID.
        self._clear([topic for topic in self.publisher.topics() if topic not in wanted])
        for tag in self.tags.values():
            self._retain_description(tag)
        for topic, payload in self._wanted().items():
            self.publisher.retain(topic, payload, bulk=self._order(topic) >= BULK)
        self._report()

    def _clear(self, topics: list[str]) -> None:
        """Removes retained messages: first those of discovery, because Home Assistant would not understand the empty
        messages of other topics; they follow when it has unsubscribed. `info` is the last, because the next run uses it
        to find the topics that this one could not remove."""
        first = [topic for topic in topics if topic.startswith(f"{self.settings.home_assistant.prefix}/")]
        for topic in first:
            self.publisher.retain(topic, b"")
        rest = sorted(set(topics) - set(first), key=lambda topic: (topic.endswith("/info"), topic))

        def clear() -> None:
            self._removals.pop(key, None)
            wanted = self._wanted()
            for topic in rest:
                if topic not in wanted:
                    self.publisher.retain(topic, b"")

        key = object()
        if rest:
            timer = asyncio.get_running_loop().call_later(REMOVAL_DELAY, clear)
            self._removals[key] = (timer, clear)

    def _clear_now(self) -> None:
        for timer, clear in list(self._removals.values()):
            timer.cancel()
            clear()

    def _status(self) -> bytes:
        return messages.encoded(
            {
                "version": jacquard.__version__,
                "boot": self.boot,
                "started": self.started,
                "connections": max(1, self.connections),
                "host": socket.gethostname(),
                "tags": sorted(self.tags),
                "bluetooth": None if self._obstacle is None else messages.error(self._obstacle),
                "dropped": self.publisher.dropped,
            }
        )

    def _status_changed(self) -> None:
        if self._status_timer is None:
            self._status_timer = asyncio.get_running_loop().call_later(STATUS_DELAY, self._publish_status)

    def _publish_status(self) -> None:
        self._status_timer = None
        self.publisher.retain(self.topics.status, self._status())
        self._report()

    def _report(self) -> None:
        """The status line of `systemctl status`."""
        broker = "connected to" if self._session is not None else "not connected to"
        connected = sum(tag.connected for tag in self.tags.values())
        dropped = f", {self.publisher.dropped} gestures dropped" if self.publisher.dropped else ""
        obstacle = f". {self._obstacle.message}" if self._obstacle is not None else ""
        conflict = ". Another bridge has the same name" if self._yielded.done() else ""
        tags = f"{connected} of {len(self.tags)} tags connected"
        notify.status(f"{broker} {self.settings.mqtt.host}; {tags}{dropped}{obstacle}{conflict}")

    # The broker

    async def _stay_connected(self) -> None:
        pause = FIRST_PAUSE
        # Logged since the last connection.
        complaints: set[str] = set()
        while True:
            began, before = time.monotonic(), self.connections
            try:
                raise await self._connect_once()
            except Refused as error:
                if error.is_about_the_version and self._falls_back():
                    continue
                reason, pause = str(error), PAUSE_AFTER_REFUSAL
            except (OSError, ValueError) as error:
                # ValueError: an invalid host name, or a password file that is not text.
                reason = str(error) or "the broker did not reply in time"
                # Only messages of MQTT 5 have properties, the part that paho may refuse to parse.
                if isinstance(error, Unreadable) and self._falls_back():
                    reason += "; MQTT 3.1.1 is used from now on"
                lasting = isinstance(error, (Misconfigured, Unreadable, ValueError))
                worked = self.connections > before and time.monotonic() - began > LONGEST_PAUSE
                pause = FIRST_PAUSE if worked else min(2 * pause, PAUSE_AFTER_REFUSAL if lasting else LONGEST_PAUSE)
            if self._yielded.done():
                rival, pause = self._yielded.result(), PAUSE_FOR_RIVAL
                reason = (
                    f"another bridge named {self.settings.bridge!r} has been running on host {rival.host!r} since "
                    f"{rival.started}. This one tries again every {PAUSE_FOR_RIVAL / 60:.0f} minutes. Set another name "
                    "as `bridge` in one of their configurations"
                )
            if self.connections > before:
                complaints.clear()
            if reason not in complaints:
                LOG.warning("%s:%d: %s", self.settings.mqtt.host, self.settings.mqtt.effective_port, reason)
            complaints.add(reason)
            self._report()
            await asyncio.sleep(pause * random.uniform(0.8, 1.2))

    def _falls_back(self) -> bool:
        """Uses MQTT 3.1.1 from the next connection on; returns whether that is a change."""
        changes = self._protocol_5 and self.settings.mqtt.protocol == "auto"
        self._protocol_5 = self._protocol_5 and not changes
        return changes

    async def _connect_once(self) -> OSError:
        """Connects, publishes until the connection ends, and returns the reason."""
        mqtt = self.settings.mqtt
        self._yielded = asyncio.get_running_loop().create_future()
        session = Session(
            mqtt,
            self.settings.client_id,
            Will(self.topics.availability, messages.OFFLINE),
            mqtt.protocol == "5" or (mqtt.protocol == "auto" and self._protocol_5),
            self._received,
            self.publisher.acknowledged,
        )
        await session.open()
        try:
            self._kept.clear()
            # This must be first. With QoS 0, any number of messages may be in flight, so the broker sends its earlier
            # retained messages before its reply to the second subscription, and before new messages replace them.
            refused = await session.subscribe([self.topics.tag("+", "info"), self.topics.status], qos=0)
            for topic in refused + await session.subscribe(self._subscriptions()):
                LOG.error("the broker does not permit subscribing to %s", topic)
            self.connections += 1
            LOG.info("connected to %s with MQTT %s", mqtt.host, "5" if session.version_5 else "3.1.1")
            if not self._yielded.done():
                self._publish_to(session)
                ends: set[asyncio.Future[Any]] = {session.closed, self._yielded}
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            return session.closed.result() if session.closed.done() else ConnectionError("yielded")
        finally:
            self._session = None
            self.publisher.detach()
            session.disconnect()
            self._report()

    def _publish_to(self, session: Session) -> None:
        self._session = session
        self.publisher.retain(self.topics.status, self._status())
        for tag in self.tags.values():
            tag.synchronized = tag.selection.topic in self._kept
            self._retain_description(tag)
        self.publisher.attach(session, self._order)
        self._report()

    def _order(self, topic: str) -> int:
        """`info` is first, because the next run finds all other topics with it. States, the bridge's availability and
        discovery messages follow; the last are most of the data."""
        if topic.endswith("/info"):
            return -1
        if topic.startswith(f"{self.settings.home_assistant.prefix}/"):
            return BULK
        return {self.topics.status: 1, self.topics.availability: 2}.get(topic, 0)

    def _subscriptions(self) -> list[str]:
        topics = [
            self.topics.tag("+", "request/#"),
            self.topics.availability,
        ]
        if self.settings.home_assistant.enabled:
            topics.append(f"{self.settings.home_assistant.prefix}/status")
        return topics

    def _synchronized(self) -> None:
        """Called when everything has been acknowledged; `info` reports this to the next connection."""
        for tag in self.tags.values():
            if not tag.synchronized:
                tag.synchronized = True
                self._retain_description(tag)

    def _received(self, message: Received) -> None:
        if message.topic == self.topics.status:
            self._check_rival(message)
        elif message.topic == self.topics.availability:
            # For example, the broker has published the will of a replaced connection late.
            if message.payload != self.publisher.wanted(message.topic) == messages.ONLINE and not message.retained:
                self.publisher.resend(message.topic)
        elif message.topic == f"{self.settings.home_assistant.prefix}/status":
            if message.payload == messages.ONLINE and not message.retained:
                self._resend_all(random.uniform(0, RESEND_DELAY))
        else:
            name, what = self.topics.parts(message.topic) or ("", "")
            if what == "info":
                self._check_info(name, message)
            elif what.startswith("request/") and len(message.topic) < LONGEST_TOPIC:
                if message.retained:
                    LOG.warning("ignored the retained request %r: send requests without the retain flag", message.topic)
                else:
                    self._request(name, what.removeprefix("request/"), message)

    def _check_rival(self, message: Received) -> None:
        rival = self.rivals.judge(message.payload, message.retained)
        if rival is None:
            return
        if rival.proven and rival.is_first:
            if not self._yielded.done():
                self._yielded.set_result(rival)
            return
        self.publisher.resend(self.topics.status)
        if rival.proven and self._resend_timer is None:
            LOG.error(
                "Another bridge named %r has been running on host %r since %s; it should pause. Set another name as "
                "`bridge` in its configuration.",
                self.settings.bridge,
                rival.host,
                rival.started,
            )
            self._resend_all(RESEND_DELAY)

    def _check_info(self, name: str, message: Received) -> None:
        """Removes messages that an earlier run or another configuration of this bridge has published, but not this one.
        Discovery messages that the broker has kept since the last connection are not sent again; at a start they are,
        because the broker may have refused them."""
        if not message.retained or len(message.topic) > LONGEST_TOPIC:
            return
        stored = selection.stored(message.payload)
        if name in self.tags and self.tags[name].describe(stored):
            self._announce(self.tags[name])
        if self.connections > 0 and "digest" in stored and message.payload == self.publisher.wanted(message.topic):
            self._kept.add(name)
            self.publisher.spare(stored.get("announced", []))
        announced = [topic for topic in stored.get("announced", []) if discovery.is_of_tag(topic, name, self.settings)]
        obsolete = [topic for topic in announced if not self.publisher.wanted(topic)]
        if name not in self.tags:
            obsolete += [self.topics.tag(name, what) for what in RETAINED]
            LOG.info("removing the topics of %r", name)
        self._clear(obsolete)

    def _resend_all(self, delay: float) -> None:
        """After a delay, in which further calls have no effect. Home Assistant may have missed messages, if the broker
        does not store retained ones; another bridge may have replaced them."""

        def publish() -> None:
            self._resend_timer = None
            start = f"{self.settings.home_assistant.prefix}/"
            self.publisher.resend(*sorted(self.publisher.topics(), key=lambda topic: not topic.startswith(start)))

        if self._resend_timer is None:
            self._resend_timer = asyncio.get_running_loop().call_later(delay, publish)

    # Requests

    def _request(self, name: str, command: str, message: Received) -> None:
        task = asyncio.ensure_future(self._carry_out(name, command, message))
        self._pending[task] = name
        task.add_done_callback(lambda task: self._pending.pop(task, None))

    async def _carry_out(self, name: str, command: str, message: Received) -> None:
        outcome: dict[str, Any] | RequestError
        try:
            tag = self.tags.get(name)
            if tag is None:
                raise RequestError("unknown_tag", f"This bridge has no tag {name[:64]!r}.")
            if list(self._pending.values()).count(name) > requests.MOST_PENDING:
                raise RequestError("busy", f"{requests.MOST_PENDING} requests for this tag are pending.")
            outcome = await requests.carry_out(tag, command, message.payload)
        except RequestError as error:
            outcome = error
        except asyncio.CancelledError:
            outcome = RequestError("stopping", "The bridge is shutting down.")
        except Exception as error:
            LOG.error("internal error in %s", command, exc_info=error)
            outcome = RequestError("internal", "An internal error; see the bridge's log.")
        if isinstance(outcome, RequestError):
            self._report_failure(name, command[:64], outcome)
        payload = requests.response(requests.identity(message.payload), outcome)
        topic = self.topics.tag(name, f"response/{command}")
        if message.response_topic is not None and self._may_respond_to(message.response_topic):
            topic = message.response_topic
        self.publisher.respond(topic, payload, message.correlation)

    def _report_failure(self, name: str, command: str, error: RequestError) -> None:
        """Not everyone who sends a request reads its response: the entities of Home Assistant do not."""
        is_known = name in self.tags
        key = (name if is_known else "", command if command in requests.COMMANDS else "", error.code)
        now = time.monotonic()
        if now - self._failures.get(key, -FAILURE_INTERVAL) >= FAILURE_INTERVAL:
            self._failures[key] = now
            shown = name if is_known else repr(name[:64])
            LOG.warning("%s: the request %r failed: %s (%s)", shown, command, error.message, error.code)
        if is_known:
            self.publisher.respond(self.topics.tag(name, "failure"), messages.encoded(messages.failure(command, error)))

    def _may_respond_to(self, topic: str) -> bool:
        """A requester must not make the bridge write its own messages, discovery messages, or those of the broker."""
        reserved = (f"{self.settings.base_topic}/", f"{self.settings.home_assistant.prefix}/", "$")
        # A broker may end the connection of a client that publishes to a topic with control characters.
        valid = bool(topic) and topic.isprintable() and not any(letter in topic for letter in "+#")
        return valid and not topic.startswith(reserved)

    # Configuration

    async def reload(self) -> None:
        """Reads the configuration file again; an invalid one changes nothing."""
        notify.reloading()
        # The user may have created a file in the meantime, which takes precedence over the system's.
        path = self.path or settings.default_path()
        try:
            fresh = settings.read(path, optional=self.path is None)
            if fresh.adapter != self.settings.adapter:
                LOG.warning("the new adapter is used from the next start on")
            await self._apply(fresh)
            LOG.info("read %s again", path)
        except settings.Invalid as error:
            LOG.error("%s; the previous configuration stays in effect", error)
        finally:
            notify.ready()
            self._report()

    async def _apply(self, fresh: Settings) -> None:
        """Tags stay connected, unless their topics change."""
        before, self.settings = self.settings, fresh
        self.publisher.limit, self.publisher.maximum_age = fresh.gestures.queue, fresh.gestures.maximum_age
        moved = (before.bridge, before.base_topic) != (fresh.bridge, fresh.base_topic)
        if moved:
            for name in list(self.tags):
                await self._remove(name)
            obsolete = self.publisher.topics()
            self.topics = Topics(fresh.base_topic, fresh.bridge)
            self._clear(obsolete)
            await asyncio.sleep(REMOVAL_DELAY)
            self._clear_now()
            await self._drain()
            self.rivals = Rivals(self.boot, self.started)
        self.images.directory = fresh.firmware.directory
        for tag in self.tags.values():
            tag.light.seconds = fresh.home_assistant.light_seconds
            tag.compare_firmware()
        await self._select()
        if moved or before.connection != fresh.connection:
            # If the broker changes, this run of the bridge ends.
            self.publisher.retain(self.topics.availability, messages.OFFLINE)
            await self._drain()
            self._protocol_5 = True
            assert self._link is not None
            self._link.cancel()
            await asyncio.wait({self._link})
            self.publisher.retain(self.topics.availability, messages.ONLINE)
            self._link = self._start(self._stay_connected())

    # The end

    async def _drain(self) -> None:
        """Waits until everything has been acknowledged, for a limited time."""
        end = time.monotonic() + DRAIN_TIMEOUT
        while self._session is not None and not self.publisher.idle and time.monotonic() < end:
            await asyncio.sleep(0.01)

    async def _shut_down(self) -> None:
        for task in list(self._pending):
            task.cancel()
        if self._pending:
            await asyncio.wait(set(self._pending))
        for task in self._runs.values():
            task.cancel()
        if self._runs:
            await asyncio.wait(set(self._runs.values()))
        self._clear_now()
        self.publisher.retain(self.topics.availability, messages.OFFLINE)
        await self._drain()
        for timer in (self._status_timer, self._resend_timer):
            if timer is not None:
                timer.cancel()
        if self._link is not None:
            self._link.cancel()
            await asyncio.wait({self._link})


def encoded(found: dict[str, dict[str, Any]]) -> dict[str, bytes]:
    return {topic: messages.encoded(message) for topic, message in found.items()}
