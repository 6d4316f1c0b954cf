"""A client that records what it receives and checks every message of the bridge against its schema."""

from __future__ import annotations

import json
import socket
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import paho.mqtt.client as paho
from jacquard_mqtt.schemas import validator

LONGEST_WAIT = 20


class Message(NamedTuple):
    topic: str
    payload: Any
    retained: bool
    time: float
    duplicate: bool


def schema_of(topic: str) -> str | None:
    """The schema of a topic of a bridge; None for other topics."""
    parts = topic.split("/")
    if parts[:2] != ["jacquard", "v1"] or "request" in parts:
        return None
    return parts[4] if parts[2] == "tags" else parts[3]


def check(topic: str, payload: Any) -> None:
    name = schema_of(topic)
    if name is not None and payload:
        text = payload.decode("utf-8")
        validator(name).validate(text if name == "availability" else json.loads(text))


class Client:
    """Use it with `with`."""

    # The bridge's log, for tests that need it.
    log: Path

    def __init__(
        self,
        port: int,
        *topics: str,
        client_id: str | None = None,
        persistent: bool = False,
        version: int = paho.MQTTv311,
        user: tuple[str, str] | None = None,
        qos: int = 1,
        checked: bool = True,
    ) -> None:
        first = (paho.CallbackAPIVersion.VERSION2,) if hasattr(paho, "CallbackAPIVersion") else ()
        more = {} if version == paho.MQTTv5 else {"clean_session": not persistent}
        self._client = paho.Client(*first, client_id=client_id or uuid.uuid4().hex, protocol=version, **more)
        if user:
            self._client.username_pw_set(*user)
        self._client.reconnect_delay_set(1, 1)
        self._client.on_connect = lambda *rest: self._subscribe()
        self._client.on_subscribe = lambda *rest: self._has_subscribed()
        self._client.on_message = self._received
        self._client.on_publish = lambda client, data, number, *rest: self._published(number)
        self._checked = checked
        self._topics, self._qos, self._port = topics, qos, port
        self._changed = threading.Condition()
        self._acknowledged: set[int] = set()
        self.subscriptions = 0
        self.messages: list[Message] = []
        self.problems: list[str] = []

    def __enter__(self) -> Client:
        self._client.connect("127.0.0.1", self._port)
        self._client.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._client.loop_start()
        self.wait_for_subscription(0)
        return self

    def __exit__(self, *error: BaseException | None) -> None:
        self._client.disconnect()
        self._client.loop_stop()
        # The callbacks refer to this object, and it to them: such garbage is finalised at any later time. While a
        # deeply nested payload is parsed, the finaliser fails with a RecursionError.
        self._client.on_connect = self._client.on_subscribe = self._client.on_message = self._client.on_publish = None
        assert self.problems == []

    def publish(self, topic: str, payload: Any, qos: int = 1, retain: bool = False, properties: Any = None) -> None:
        """Waits until the broker has it."""
        if not isinstance(payload, (bytes, str)):
            payload = json.dumps(payload)
        more = {"properties": properties} if properties is not None else {}
        number = self._client.publish(topic, payload, qos, retain, **more).mid
        self._until(lambda: qos == 0 or number in self._acknowledged, "no acknowledgement")

    def wait_for_subscription(self, before: int) -> None:
        """before: the number of subscriptions when the broker was not running, for example."""
        self._until(lambda: self.subscriptions > before, "no subscription")

    def of(self, topic: str) -> list[Message]:
        """The messages of a topic that have been received."""
        with self._changed:
            return [message for message in self.messages if message.topic == topic]

    def latest(self, topic: str) -> Any:
        found = self.of(topic)
        return found[-1].payload if found else None

    def wait(
        self,
        topic: str,
        condition: Callable[..., Any] = lambda payload: True,
        after: int = 0,
        seconds: float = LONGEST_WAIT,
    ) -> Any:
        """The first message of this topic that satisfies the condition, starting with message number `after`."""
        def found() -> Message | None:
            for message in self.messages[after:]:
                if message.topic == topic and condition(message.payload):
                    return message
            return None

        self._until(found, lambda: f"{topic}: {[m.payload for m in self.messages if m.topic == topic][-3:]}", seconds)
        with self._changed:
            message = found()
            assert message
            return message.payload

    def wait_latest(self, topic: str, wanted: object, seconds: float = LONGEST_WAIT) -> None:
        """Waits until the latest message of this topic equals `wanted`, or satisfies it."""
        def holds() -> bool:
            found = [message.payload for message in self.messages if message.topic == topic]
            return bool(found) and (wanted(found[-1]) if callable(wanted) else found[-1] == wanted)

        self._until(holds, lambda: f"{topic}: {[m.payload for m in self.messages if m.topic == topic][-3:]}", seconds)

    def wait_all(self, topics: set[str]) -> None:
        """Waits until each of these topics has received a message."""
        self._until(
            lambda: topics <= {message.topic for message in self.messages},
            lambda: str(topics - {message.topic for message in self.messages}),
        )

    def request(
        self, root: str, command: str, body: dict[str, Any], seconds: float = LONGEST_WAIT, **more: Any
    ) -> dict[str, Any]:
        """The response to a request with its own ID."""
        identity = body.get("id", uuid.uuid4().hex)
        start = len(self.messages)
        self.publish(f"{root}/request/{command}", {"id": identity, **body}, **more)
        topic = f"{root}/response/{command}"
        response: dict[str, Any] = self.wait(topic, lambda response: response.get("id") == identity, after=start, seconds=seconds)
        return response

    def _until(
        self, condition: Callable[..., Any], problem: str | Callable[[], str], seconds: float = LONGEST_WAIT
    ) -> None:
        with self._changed:
            met = self._changed.wait_for(condition, seconds)
            assert met, problem() if callable(problem) else problem

    def _subscribe(self) -> None:
        self._client.subscribe([(topic, self._qos) for topic in self._topics or ("jacquard/#",)])

    def _has_subscribed(self) -> None:
        with self._changed:
            self.subscriptions += 1
            self._changed.notify_all()

    def _received(self, client: object, data: object, message: Any) -> None:
        payload, now = message.payload, time.time()
        try:
            if self._checked:
                check(message.topic, payload)
            decoded = json.loads(payload) if payload[:1] == b"{" else payload.decode("utf-8", "replace")
        except Exception as error:
            decoded = payload
            if schema_of(message.topic) is not None:
                self.problems.append(f"{message.topic}: {payload[:300]!r}: {error}")
        with self._changed:
            self.messages.append(Message(message.topic, decoded, bool(message.retain), now, bool(message.dup)))
            self._changed.notify_all()

    def _published(self, number: int) -> None:
        with self._changed:
            self._acknowledged.add(number)
            self._changed.notify_all()
