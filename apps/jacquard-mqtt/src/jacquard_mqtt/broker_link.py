"""The connection to the broker: one session after the other."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from typing import Any, Protocol

from . import messages
from .context import Context
from .rivals import Rival
from .session import Misconfigured, Received, Refused, Session, Unreadable, Will

LOG = logging.getLogger("jacquard_mqtt")
# Pauses between attempts to connect to the broker. Attempts cost almost nothing, but a refusal or a TLS alert is
# permanent until the broker or this configuration is changed.
FIRST_PAUSE, LONGEST_PAUSE, PAUSE_AFTER_REFUSAL = 0.1, 1.0, 30.0
# The pause while another bridge has the same name. Each attempt disturbs that bridge for a moment.
PAUSE_FOR_RIVAL = 300.0


class LinkUser(Protocol):
    def link_begins(self) -> None:
        """Called before the first message is received."""

    def link_is_up(self, session: Session) -> None: ...

    def link_changes(self) -> None:
        """Called when a session has ended, or could not be established."""

    def received(self, message: Received) -> None: ...


class BrokerLink:
    def __init__(self, context: Context, user: LinkUser) -> None:
        self.connections = 0
        self._context = context
        self._user = user
        self._task: asyncio.Task[None] | None = None
        self._session: Session | None = None
        # Ends the connection in favour of another bridge.
        self._rival: asyncio.Future[Rival] = asyncio.get_running_loop().create_future()
        self._protocol_5 = True

    @property
    def is_up(self) -> bool:
        return self._session is not None

    @property
    def yields(self) -> bool:
        """Whether another bridge has the connection."""
        return self._rival.done()

    def yield_to(self, rival: Rival) -> None:
        if not self._rival.done():
            self._rival.set_result(rival)

    def start(self) -> None:
        self._protocol_5 = True
        self._task = self._context.start(self._stay_connected())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _stay_connected(self) -> None:
        pause = FIRST_PAUSE
        # Logged since the last connection.
        complaints: set[str] = set()
        while True:
            began, before = time.monotonic(), self.connections
            mqtt = self._context.settings.mqtt
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
            if self._rival.done():
                rival, pause = self._rival.result(), PAUSE_FOR_RIVAL
                reason = (
                    f"another bridge named {self._context.settings.bridge!r} has been running on host {rival.host!r} "
                    f"since {rival.started}. This one tries again every {PAUSE_FOR_RIVAL / 60:.0f} minutes. Set another "
                    "name as `bridge` in one of their configurations"
                )
            if self.connections > before:
                complaints.clear()
            if reason not in complaints:
                LOG.warning("%s:%d: %s", mqtt.host, mqtt.effective_port, reason)
            complaints.add(reason)
            self._user.link_changes()
            await asyncio.sleep(pause * random.uniform(0.8, 1.2))

    def _falls_back(self) -> bool:
        """Uses MQTT 3.1.1 from the next connection on; returns whether that is a change."""
        changes = self._protocol_5 and self._context.settings.mqtt.protocol == "auto"
        self._protocol_5 = self._protocol_5 and not changes
        return changes

    async def _connect_once(self) -> OSError:
        """Connects, publishes until the connection ends, and returns the reason."""
        settings, topics, publisher = self._context.settings, self._context.topics, self._context.publisher
        self._rival = asyncio.get_running_loop().create_future()
        session = Session(
            settings.mqtt,
            settings.client_id,
            Will(topics.availability, messages.OFFLINE),
            settings.mqtt.protocol == "5" or (settings.mqtt.protocol == "auto" and self._protocol_5),
            self._user.received,
            publisher.acknowledged,
        )
        await session.open()
        try:
            self._user.link_begins()
            # This must be first. With QoS 0, any number of messages may be in flight, so the broker sends its earlier
            # retained messages before its reply to the second subscription, and before new messages replace them.
            refused = await session.subscribe(self._shared_state(), qos=0)
            for topic in refused + await session.subscribe(self._subscriptions()):
                LOG.error("the broker does not permit subscribing to %s", topic)
            self.connections += 1
            LOG.info("connected to %s with MQTT %s", settings.mqtt.host, "5" if session.version_5 else "3.1.1")
            if not self._rival.done():
                self._session = session
                self._user.link_is_up(session)
                ends: set[asyncio.Future[Any]] = {session.closed, self._rival}
                await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            return session.closed.result() if session.closed.done() else ConnectionError("yielded")
        finally:
            self._session = None
            publisher.detach()
            await session.end()
            self._user.link_changes()

    def _shared_state(self) -> list[str]:
        """The topics of bridges about each other and their tags, and those that versions without shared tags have left."""
        topics = self._context.topics
        of_bridges = [topics.of_bridge("+", what) for what in ("status", "availability", "tags/+/info")]
        return [topics.tag("+", "info"), topics.tag("+", "availability"), *of_bridges]

    def _subscriptions(self) -> list[str]:
        topics = [self._context.topics.tag("+", "request/#")]
        if self._context.settings.home_assistant.enabled:
            topics.append(f"{self._context.discovery}status")
        return topics
