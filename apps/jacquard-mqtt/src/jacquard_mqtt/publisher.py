"""Publishes messages, and tracks which of them the broker has acknowledged.

Retained messages are a table: only the latest value of each topic is sent, and all of them again after each connection,
because a broker may have lost them. Changes are sent before repetitions. Gestures are a queue with a limit and a
maximum age; dropped ones are counted. Nothing is removed before the broker has acknowledged it.
"""

from __future__ import annotations

import asyncio
import collections
import dataclasses
import logging
import time
from collections.abc import Callable, Iterable

from .session import Session

LOG = logging.getLogger("jacquard_mqtt")
# Messages without acknowledgement; mosquitto accepts 20 by default.
WINDOW = 20
# A connection without an acknowledgement for this time is given up.
ACKNOWLEDGEMENT_TIMEOUT = 10.0
# Responses that wait for the acknowledgement of others. More are dropped, because requests are limited as well.
MOST_RESPONSES = 1000


def clock() -> float:
    """Seconds, including the time for which the machine is suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclasses.dataclass(frozen=True)
class Message:
    topic: str
    payload: bytes
    retain: bool = False
    # Time of the clock after which it must not be delivered.
    deadline: float | None = None
    # Whether it is a gesture.
    counted: bool = False
    correlation: bytes | None = None
    # Set for a part of a recording: has a result when the broker has acknowledged it.
    delivered: asyncio.Future[None] | None = None


class Publisher:
    def __init__(self, limit: int, maximum_age: float, now: Callable[[], float] = clock) -> None:
        self.limit = limit
        self.maximum_age = maximum_age
        self.dropped = 0
        self.published = 0
        self.on_drop: Callable[[], None] = lambda: None
        # Called when everything has been acknowledged.
        self.on_idle: Callable[[], None] = lambda: None
        self._now = now
        self._session: Session | None = None
        self._retained: dict[str, bytes] = {}
        # Topics with messages to send: changed ones, and then all others.
        self._changed: dict[str, None] = {}
        self._unsent: dict[str, None] = {}
        self._spared: set[str] = set()
        self._events: collections.deque[Message] = collections.deque()
        # Topics whose events wait until they are released.
        self._held: set[str] = set()
        self._responses: collections.deque[Message] = collections.deque()
        self._parts: collections.deque[Message] = collections.deque()
        self._in_flight: dict[int, Message] = {}
        self._progress = 0.0  # when a message was acknowledged, or the first one was sent
        self._timer: asyncio.TimerHandle | None = None
        self._idle = True
        self._pumping = False

    # Retained messages

    def retain(self, topic: str, payload: bytes, bulk: bool = False) -> None:
        """Sets the message of a topic; b"" removes it from the broker. bulk: it may wait for others."""
        if self._retained.get(topic) != payload:
            self._retained[topic] = payload
            self._queue(topic, self._changed if payload and not bulk else self._unsent)
            self.pump()

    def topics(self) -> list[str]:
        """The topics that have a retained message."""
        return [topic for topic, payload in self._retained.items() if payload]

    def wanted(self, topic: str) -> bytes:
        """The retained message of a topic; b"" if there is none."""
        return self._retained.get(topic, b"")

    def leave(self, topics: Iterable[str]) -> None:
        """Forgets these topics: another program publishes to them from now on."""
        for topic in topics:
            self._retained.pop(topic, None)
            self._changed.pop(topic, None)
            self._unsent.pop(topic, None)

    def resend(self, *topics: str) -> None:
        """Sends retained messages again even if they have not changed."""
        for topic in topics:
            self._queue(topic, self._unsent)
        self.pump()

    def _queue(self, topic: str, queue: dict[str, None]) -> None:
        self._spared.discard(topic)
        for each in (self._changed, self._unsent):
            each.pop(topic, None)
        queue[topic] = None
        self._idle = False

    def spare(self, topics: Iterable[str]) -> None:
        """Does not send these retained messages on the connection that is being established, because the broker has
        them, unless they change."""
        for topic in topics:
            self._spared.add(topic)
            self._unsent.pop(topic, None)

    # Events and responses

    def event(self, topic: str, payload: bytes) -> None:
        if len(self._events) >= self.limit:
            self._events.popleft()
            self._drop()
        deadline = self._now() + self.maximum_age if self.maximum_age else None
        self._events.append(Message(topic, payload, deadline=deadline, counted=True))
        self._idle = False
        self.pump()

    def hold(self, topic: str) -> None:
        self._held.add(topic)

    def release(self, topic: str) -> None:
        self._held.discard(topic)
        self._idle = False
        self.pump()

    def withdraw(self, topic: str) -> int:
        """Removes the events of a topic that have waited; returns their number."""
        count = len(self._events)
        self._events = collections.deque(message for message in self._events if message.topic != topic)
        return count - len(self._events)

    def respond(self, topic: str, payload: bytes, correlation: bytes | None = None) -> None:
        """Sends a response. It is not kept for the next connection, because the requester has to ask again after an
        interruption."""
        if self._session is None or len(self._responses) >= MOST_RESPONSES:
            return
        self._responses.append(Message(topic, payload, correlation=correlation))
        self._idle = False
        self.pump()

    async def part(self, topic: str, payload: bytes) -> None:
        """Sends a part of a recording, after everything else. Returns when the broker has acknowledged it, on this
        connection or a later one."""
        delivered = asyncio.get_running_loop().create_future()
        self._parts.append(Message(topic, payload, delivered=delivered))
        self._idle = False
        self.pump()
        await delivered

    def sample(self, topic: str, payload: bytes) -> None:
        """Sends a message with QoS 0, if there is a connection."""
        if self._session is not None:
            self._session.publish(topic, payload, qos=0)

    @property
    def queued(self) -> int:
        return len(self._events) + sum(message.counted for message in self._in_flight.values())

    @property
    def idle(self) -> bool:
        return self._session is not None and self._idle

    # Connections

    def attach(self, session: Session, order: Callable[[str], int] = lambda topic: 0) -> None:
        """Starts to publish: first the gestures that are still queued, then all retained messages, in this order of
        their topics."""
        self._session = session
        session.on_processed = self.pump
        topics = self._retained.keys() - self._spared
        self._changed.clear()
        self._unsent = dict.fromkeys(sorted(topics, key=lambda topic: (order(topic), topic)))
        self._idle = False
        self.pump()

    def detach(self) -> None:
        """Called when the connection has ended: keeps unacknowledged gestures, in order."""
        self._session = None
        self._spared.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        returned = [message for message in self._in_flight.values() if message.counted]
        parts = [message for message in self._in_flight.values() if message.delivered is not None]
        self._parts.extendleft(reversed(parts))
        self._in_flight.clear()
        self._responses.clear()
        self._events.extendleft(reversed(returned))
        while len(self._events) > self.limit:
            self._events.popleft()
            self._drop()

    def acknowledged(self, number: int) -> None:
        message = self._in_flight.pop(number, None)
        if message is None:
            return
        self._progress = self._now()
        self.published += message.counted
        if message.delivered is not None and not message.delivered.done():
            message.delivered.set_result(None)
        if message.retain and not message.payload and not self._retained.get(message.topic, b"-"):
            del self._retained[message.topic]  # removed from the broker

    def pump(self) -> None:
        """Sends as many messages as may be unacknowledged."""
        if self._pumping:
            return
        self._pumping = True
        try:
            while self._session is not None and len(self._in_flight) < min(WINDOW, self._session.receive_maximum):
                message = self._next()
                if message is None:
                    break
                if not self._in_flight:
                    self._progress = self._now()
                expiry = None if message.deadline is None else message.deadline - self._now()
                number = self._session.publish(
                    message.topic,
                    message.payload,
                    retain=message.retain,
                    expiry=expiry,
                    correlation=message.correlation,
                )
                self._in_flight[number] = message
        finally:
            self._pumping = False
        if self._session is None:
            return
        if self._in_flight and self._timer is None:
            self._check_progress()
        if not self._in_flight and not self._idle:
            self._idle = True
            self.on_idle()

    def _next(self) -> Message | None:
        for message in tuple(self._events):
            if message.deadline is not None and self._now() >= message.deadline:
                self._events.remove(message)
                self._drop()
            elif message.topic not in self._held:
                self._events.remove(message)
                return message
        if self._responses:
            return self._responses.popleft()
        for queue in (self._changed, self._unsent):
            if not queue:
                continue
            topic = next(iter(queue))
            del queue[topic]
            return Message(topic, self._retained.get(topic, b""), retain=True)
        while self._parts:
            message = self._parts.popleft()
            if message.delivered is not None and not message.delivered.done():  # otherwise its request was stopped
                return message
        return None

    def _drop(self) -> None:
        self.dropped += 1
        self.on_drop()

    def _check_progress(self) -> None:
        self._timer = None
        if self._session is None or not self._in_flight:
            return
        waited = self._now() - self._progress
        if waited >= ACKNOWLEDGEMENT_TIMEOUT:
            self._session.abort(f"the broker has acknowledged nothing for {waited:.0f} s")
            return
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(ACKNOWLEDGEMENT_TIMEOUT - waited + 0.01, self._check_progress)
