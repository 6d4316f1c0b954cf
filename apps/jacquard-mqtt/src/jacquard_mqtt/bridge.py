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
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import jacquard
from jacquard_apps.system.file_watch import FileWatch, state_file

from . import exits, messages, notify, settings
from .announcements import REMOVAL_DELAY, Announcements
from .broker_link import BrokerLink
from .claims import Claims
from .context import Context
from .firmware import Images
from .publisher import Publisher
from .responder import Responder
from .rivals import Rivals
from .session import Received, Session
from .settings import Settings
from .tag import TagBridge
from .tag_set import TagSet
from .topics import Topics

LOG = logging.getLogger("jacquard_mqtt")
# Seconds for messages that are still queued when the program ends.
DRAIN_TIMEOUT = 2.0
# Seconds for the connection on which topics are removed.
REMOVAL_TIMEOUT = 10.0
# Changes within this time are published together.
STATUS_DELAY = 0.2
# After Home Assistant's birth message; it asks integrations not to reply all at the same time. Also after another bridge
# has published to the topics of this one, which takes a moment.
RESEND_DELAY = 1.0
# A response has a slightly longer topic than its request, and MQTT permits 65535 bytes.
LONGEST_TOPIC = 8192


class Bridge:
    def __init__(self, configuration: Settings, path: Path | None = None, removes: bool = False) -> None:
        """path: the configuration file; None: the default one. removes: only removes what this bridge has retained."""
        self._removes = removes
        self._path = path
        self._boot = secrets.token_hex(8)
        self._started = messages.now()
        publisher = Publisher(configuration.gestures.queue, configuration.gestures.maximum_age)
        topics = Topics(configuration.base_topic, configuration.bridge)
        self._context = Context(configuration, topics, publisher, self._start)
        self._images = Images(configuration.firmware.directory)
        self._installation = installation(path or settings.default_path())
        self._tags = TagSet(
            self._context,
            self._images,
            self._tag_described,
            self._tags_selected,
            self._status_changed,
            lambda tag: self._claims.claim(tag),
        )
        self._claims = Claims(
            self._context,
            self._tags.by_topic,
            lambda tag, is_own: self._announcements.claimed(tag, is_own),
            lambda: self._link.is_up,
        )
        self._announcements = Announcements(self._context, self._tags.by_topic, self._claims, self._status)
        self._responder = Responder(self._context, self._tags.by_topic)
        self._link = BrokerLink(self._context, self)
        self._rivals = Rivals(self._boot, self._started)
        publisher.on_drop = self._status_changed
        publisher.on_idle = self._announcements.synchronized
        self._status_timer: asyncio.TimerHandle | None = None
        self._ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def run(self) -> int:
        """Runs until stop(); returns the exit status."""
        if self._removes:
            return await self._remove()
        async with contextlib.AsyncExitStack() as stack:
            adapter = self._context.settings.adapter
            self._tags.manager = await stack.enter_async_context(jacquard.Manager(adapter=adapter))
            stack.enter_context(FileWatch(state_file(), self._tags.changes.set))
            await self._tags.select()
            works = (notify.feed_watchdog(), self._tags.follow_known(), self._tags.follow_adapter())
            background = [self._start(work) for work in works]
            self._link.start()
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

    async def _remove(self) -> int:
        """link_is_up() asks for the removal, and ends the wait."""
        self._link.start()
        try:
            async with asyncio.timeout(REMOVAL_TIMEOUT):
                status = await asyncio.shield(self._ended)
            await asyncio.sleep(REMOVAL_DELAY)
        except TimeoutError:
            LOG.error("the broker cannot be reached; nothing was removed")
            return exits.FAILED
        finally:
            self._announcements.clear_now()
            await self._drain()
            await self._link.stop()
        return exits.OK if self._announcements.removes else status or exits.FAILED

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Starts a task that runs until it is cancelled; an exception, which is a defect, ends the program. Unlike
        those of a TaskGroup, the other tasks then continue until all messages are sent."""

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

    def _tag_described(self, tag: TagBridge) -> None:
        if self._tags.by_topic.get(tag.selection.topic) is tag:
            self._announcements.describe(tag)
            self._status_changed()

    def _tags_selected(self) -> None:
        if self._link.is_up:
            self._claims.review()
        self._announcements.publish_all()
        self._report()

    # Status

    def _status(self) -> bytes:
        obstacle = self._tags.obstacle
        return messages.encoded(
            {
                "version": jacquard.__version__,
                "boot": self._boot,
                "started": self._started,
                "connections": max(1, self._link.connections),
                "host": socket.gethostname(),
                "installation": self._installation,
                "tags": sorted(self._tags.by_topic),
                "bluetooth": None if obstacle is None else messages.error(obstacle),
                "dropped": self._context.publisher.dropped,
            }
        )

    def _status_changed(self) -> None:
        if self._status_timer is None:
            self._status_timer = asyncio.get_running_loop().call_later(STATUS_DELAY, self._publish_status)

    def _publish_status(self) -> None:
        self._status_timer = None
        self._context.publisher.retain(self._context.topics.status, self._status())
        self._report()

    def _report(self) -> None:
        """The status line of `systemctl status`."""
        tags = self._tags.by_topic.values()
        count, obstacle = self._context.publisher.dropped, self._tags.obstacle
        broker = f"{'connected' if self._link.is_up else 'not connected'} to {self._context.settings.mqtt.host}"
        dropped = f", {count} gestures dropped" if count else ""
        reason = f". {obstacle.message}" if obstacle is not None else ""
        conflict = ". Another bridge has the same name" if self._link.yields else ""
        connected = sum(tag.connected for tag in tags)
        notify.status(f"{broker}; {connected} of {len(tags)} tags connected{dropped}{reason}{conflict}")

    # The broker

    def link_begins(self) -> None:
        self._announcements.link_begins()
        self._claims.begin()

    def link_is_up(self, session: Session) -> None:
        for name in self._claims.former_names(self._installation):
            LOG.info("removing the topics of this bridge under its former name %r", name)
            self._announcements.clear_bridge(name)
            self._claims.take_status(name, b"")
        self._claims.review()
        self._announcements.check_all_stored(is_first=self._link.connections == 1)
        if self._removes:
            self._announcements.removes = True
            self._announcements.clear_bridge(self._context.settings.bridge)
            self._context.publisher.attach(session)
            self.stop(exits.OK)
            return
        self._context.publisher.retain(self._context.topics.status, self._status())
        self._announcements.publish_to(session)
        self._report()

    def link_changes(self) -> None:
        self._report()

    def received(self, message: Received) -> None:
        topics, publisher = self._context.topics, self._context.publisher
        if message.topic == topics.status:
            self._check_rival(message)
        elif message.topic == topics.availability:
            if self._is_outdated(message):
                publisher.resend(message.topic)
        elif message.topic == f"{self._context.discovery}status":
            if message.payload == messages.ONLINE and not message.retained:
                self._announcements.resend_all(random.uniform(0, RESEND_DELAY))
        elif len(message.topic) <= LONGEST_TOPIC:
            of_bridge = topics.bridge_parts(message.topic)
            if of_bridge is None:
                self._received_of_tag(message)
            else:
                self._received_of_bridge(*of_bridge, message)

    def _received_of_tag(self, message: Received) -> None:
        publisher = self._context.publisher
        name, what = self._context.topics.parts(message.topic) or ("", "")
        if what == "availability":
            self._claims.take_tag_availability(name, message.payload)
            self._review(message)
            if self._is_outdated(message):
                publisher.resend(message.topic, self._context.topics.tag(name, "state"))
        elif what == "info" and not self._link.is_up:
            self._announcements.store(name, message)
        elif what == "info":
            self._announcements.take_info(name, message)
            self._review(message)
        elif what.startswith("request/"):
            if self._claims.belongs_to_another(name):
                return
            if message.retained:
                LOG.warning("ignored the retained request %r: send requests without the retain flag", message.topic)
            elif name in self._tags.by_topic or name not in self._claims.known_to_others():
                self._responder.request(name, what.removeprefix("request/"), message)

    def _is_outdated(self, message: Received) -> bool:
        """Whether the message says offline and this bridge is online, or the tag that it has claimed. The will of a replaced
        connection may be late, or the last message of a bridge that has ended."""
        wanted = self._context.publisher.wanted(message.topic)
        return message.payload != wanted == messages.ONLINE and not message.retained

    def _received_of_bridge(self, bridge: str, what: str, message: Received) -> None:
        if what == "status":
            self._claims.take_status(bridge, message.payload)
        elif what == "availability":
            self._claims.take_availability(bridge, message.payload, message.retained)
        elif message.payload:
            self._announcements.clear_earlier(message.topic, message)
            return
        self._review(message)

    def _review(self, message: Received) -> None:
        """Another bridge may have left a tag to this one."""
        if self._link.is_up and message.payload != messages.ONLINE:
            self._claims.review()

    def _check_rival(self, message: Received) -> None:
        rival = self._rivals.judge(message.payload, message.retained)
        if rival is None:
            return
        if rival.proven and rival.is_first:
            self._link.yield_to(rival)
            return
        self._context.publisher.resend(self._context.topics.status)
        if rival.proven and not self._announcements.resends:
            LOG.error(
                "Another bridge named %r has been running on host %r since %s; it should pause. Set another name as "
                "`bridge` in its configuration.",
                self._context.settings.bridge,
                rival.host,
                rival.started,
            )
            self._announcements.resend_all(RESEND_DELAY)

    # Configuration

    async def reload(self) -> None:
        """Reads the configuration file again; an invalid one changes nothing."""
        notify.reloading()
        # The user may have created a file in the meantime, which takes precedence over the system's.
        path = self._path or settings.default_path()
        try:
            fresh = settings.read(path, optional=self._path is None)
            if fresh.adapter != self._context.settings.adapter:
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
        context, publisher = self._context, self._context.publisher
        before, context.settings = context.settings, fresh
        publisher.limit, publisher.maximum_age = fresh.gestures.queue, fresh.gestures.maximum_age
        moved = (before.bridge, before.base_topic) != (fresh.bridge, fresh.base_topic)
        if moved:
            await self._tags.remove_all()
            renamed = before.base_topic == fresh.base_topic
            own = self._announcements.leave_shared(publisher.topics())
            obsolete = [topic for topic in own if not (renamed and self._announcements.is_of_a_tag(topic))]
            context.topics = Topics(fresh.base_topic, fresh.bridge)
            self._claims.rename(before.bridge)
            self._announcements.clear(obsolete)
            await asyncio.sleep(REMOVAL_DELAY)
            self._announcements.clear_now()
            await self._drain()
            self._rivals = Rivals(self._boot, self._started)
        self._images.directory = fresh.firmware.directory
        await self._tags.configure()
        await self._tags.select()
        if moved or before.connection != fresh.connection:
            # If the broker changes, this run of the bridge ends.
            publisher.retain(context.topics.availability, messages.OFFLINE)
            await self._drain()
            await self._link.stop()
            publisher.retain(context.topics.availability, messages.ONLINE)
            self._link.start()

    # The end

    async def _drain(self) -> None:
        """Waits until everything has been acknowledged, for a limited time."""
        end = time.monotonic() + DRAIN_TIMEOUT
        while self._link.is_up and not self._context.publisher.idle and time.monotonic() < end:
            await asyncio.sleep(0.01)

    async def _shut_down(self) -> None:
        await self._responder.close()
        await self._tags.close()
        self._announcements.clear_now()
        self._context.publisher.retain(self._context.topics.availability, messages.OFFLINE)
        await self._drain()
        if self._status_timer is not None:
            self._status_timer.cancel()
        self._announcements.close()
        await self._link.stop()


def installation(path: Path) -> str:
    """Identifies this bridge whatever its name is."""
    try:
        machine = Path("/etc/machine-id").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        machine = socket.gethostname()
    return hashlib.sha256(f"{machine} {path.resolve()}".encode()).hexdigest()[:16]
