"""Publishes an MQTT message, with the parts of jacquard-mqtt: its connection to a broker, and its settings."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import socket
from collections.abc import Collection, Mapping
from typing import Any

from jacquard_apps.system.together import within

from ..action import Action, ActionError, Library, Resource, Run, written
from ..table import Table, expectation, shown

KEYS = ("mqtt",)
LIBRARY = Library("jacquard_mqtt", "jacquard-mqtt")
TIME_LIMIT = 5.0
# Seconds without a message after which the connection is closed: an open one would have to be tested regularly.
IDLE = 60.0
LONGEST_TOPIC = 1000


class Broker(Resource):
    """The connection to the broker of the table [mqtt], else to that of jacquard-mqtt's configuration. It is made for
    the first message."""

    _session: Any = None
    _settings: Mapping[str, Any] | None = None
    _idle: asyncio.TimerHandle | None = None

    def __init__(self, resources: Any) -> None:
        super().__init__(resources)
        self._opening = asyncio.Lock()
        self._published: dict[int, asyncio.Future[None]] = {}

    async def use(self, actions: Collection[Action]) -> None:
        if self._session is not None and self._settings != self._resources.settings.mqtt:
            await self.close()

    async def check(self) -> None:
        self._session = await self._connected()

    async def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> None:
        """With QoS 1, waits until the broker has the message."""
        async with self._opening:
            if self._session is None or self._session.closed.done():
                self._session = await self._connected()
        session = self._session
        number = session.publish(topic, payload, qos, retain)
        self._close_when_idle()
        if qos == 0:
            return
        acknowledged = self._published[number] = asyncio.get_running_loop().create_future()
        try:
            waiting: set[asyncio.Future[Any]] = {acknowledged, session.closed}
            await asyncio.wait(waiting, timeout=TIME_LIMIT, return_when=asyncio.FIRST_COMPLETED)
            if not acknowledged.done():
                raise ActionError("the broker has not acknowledged the message")
        finally:
            self._published.pop(number, None)

    async def _connected(self) -> Any:
        if LIBRARY.is_missing:
            raise ActionError(str(LIBRARY))
        from jacquard_mqtt.session import Refused, Session, Will

        class WithoutWill(Session):
            def _new_client(self, client_id: str, will: Will) -> Any:
                client = super()._new_client(client_id, will)
                client.will_clear()
                return client

        self._settings = self._resources.settings.mqtt
        broker = settings_of(self._settings, self._resources.settings.directory)
        name = broker.client_id if self._settings and broker.client_id else f"jacquard-automations-{socket.gethostname()}"
        session = WithoutWill(broker, name, Will("unused", b""), broker.protocol == "5", lambda _: None, self._acknowledge)
        try:
            await within(TIME_LIMIT, session.open())
        except asyncio.TimeoutError:
            raise ActionError(f"the broker {broker.host} does not reply") from None
        except (OSError, ValueError, Refused) as error:
            raise ActionError(f"the broker {broker.host} cannot be used: {error}") from None
        return session

    def _acknowledge(self, number: int) -> None:
        future = self._published.get(number)
        if future is not None and not future.done():
            future.set_result(None)

    def _close_when_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(IDLE, self._disconnect)

    def _disconnect(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            with contextlib.suppress(Exception):
                session.disconnect()

    async def close(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        self._disconnect()


@dataclasses.dataclass(frozen=True)
class Message(Action):
    topic: str
    # None: the event as JSON.
    payload: str | None = None
    qos: int = 0
    retain: bool = False

    libraries = (LIBRARY,)
    needs = (Broker,)

    async def act(self, run: Run) -> str:
        described = {"rule": run.rule, **run.occasion.described()}
        payload = json.dumps(described) if self.payload is None else self.payload
        await run.resources.of(Broker).publish(self.topic, payload.encode(), self.qos, self.retain)
        return ""

    def __str__(self) -> str:
        return written("mqtt", self.topic, payload=self.payload, qos=self.qos or None, retain=self.retain or None)


def read(table: Table, key: str) -> Action:
    topic = table.text(key) or ""
    if "+" in topic or "#" in topic or len(topic.encode()) > LONGEST_TOPIC:
        raise table.problem(f"{shown(topic)} is not the topic of a message", key)
    payload = table.value("payload")
    if isinstance(payload, (dict, list)):
        try:
            payload = json.dumps(payload)
        except TypeError:
            raise table.problem("this value cannot be written as JSON", "payload") from None
    elif payload is not None and not isinstance(payload, str):
        payload = json.dumps(payload, default=str)
    return Message(topic, payload, table.whole("qos", 0, 0, 1), bool(table.flag("retain")))


def check(table: Table, directory: str) -> None:
    """Checks the table [mqtt], which has the same keys as jacquard-mqtt's, if jacquard-mqtt is installed."""
    values = table.entries()
    if LIBRARY.is_missing:
        return
    from jacquard_mqtt import settings
    from jacquard_mqtt.schemas import validator

    known = [field.name for field in dataclasses.fields(settings.Mqtt) if field.name != "directory"]
    for key in values:
        if key not in known:
            raise table.problem(f"unknown key; {expectation(key, known)}", key)
    problem = next(validator("configuration").iter_errors({"mqtt": values}), None)
    if problem is not None:
        raise table.problem(problem.message, *list(problem.absolute_path)[1:])
    try:
        settings_of(values, directory)
    except settings.Invalid as error:
        raise table.problem(str(error).removeprefix("mqtt: ")) from None


def settings_of(values: Mapping[str, Any] | None, directory: str) -> Any:
    from jacquard_mqtt import settings

    try:
        if values is not None:
            return settings.consistent(settings.converted({"mqtt": dict(values)}, directory)).mqtt
        return settings.read(settings.default_path(), optional=True).mqtt
    except settings.Invalid as error:
        if values is not None:
            raise
        raise ActionError(f"jacquard-mqtt's configuration is invalid: {error}") from None
