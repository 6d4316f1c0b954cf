"""One tag, whose reports become messages."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import math
import secrets
from typing import Any

import jacquard
from jacquard import Battery, ConnectionState, Gear, Gesture, Name, Phase, Touch
from jacquard_apps.touch import touching

from . import messages
from .downloads import Downloads
from .fader import Fader
from .firmware import Images, Updates
from .light import Light
from .motion import Motion, MotionModule
from .publisher import Publisher
from .topics import Topics

LOG = logging.getLogger("jacquard_mqtt")
# Pauses before a connection that has ended is requested again. It ends only if something must change first: the user
# must act, or another program must release the tag.
PAUSE = 60.0
PAUSE_IN_USE = 5.0


@dataclasses.dataclass(frozen=True)
class Selection:
    """A tag that this bridge connects."""

    topic: str
    serial: str
    # None: the tag is not bound here, and is searched for by its serial number.
    identifier: str | None = None
    owner: str | None = None
    name: str = dataclasses.field(default="", compare=False)


class TagBridge:
    def __init__(
        self, selection: Selection, topics: Topics, publisher: Publisher, images: Images, light_seconds: int
    ) -> None:
        self.selection = selection
        self.topics = topics
        self.tag: jacquard.Tag | None = None
        self.gear: jacquard.Component | None = None
        # Identifies the numbering of gestures; a tag that is removed and added again gets a new one.
        self.boot = secrets.token_hex(8)
        self.number = 0
        self.phase = Phase.DISCONNECTED
        # Called when the contents of discovery or status messages have changed.
        self.on_described: Any = lambda: None
        # Set to request the connection again before the pause has ended.
        self.retry = asyncio.Event()
        # Whether the broker has its discovery messages.
        self.synchronized = False
        # Whether this bridge publishes to the tag's topics; others may know the same tag.
        self.owned = False
        self._is_held = False
        # Called before anything is published about a new link.
        self.on_connected: Any = lambda: None
        self.values: dict[str, dict[str, Any]] = {"gear": messages.gear(None)}
        if selection.name:
            self.values["name"] = {"name": selection.name}
        self._publisher = publisher
        self.connection: jacquard.Connection | None = None
        self.module = MotionModule(lambda: self.tag)
        self.motion = Motion(selection.topic, self.module, lambda value: self._sample("motion", value))
        self.downloads = Downloads(self._part)
        self.updates = Updates(images, lambda value: self.publish("firmware", value))
        self.fader = Fader(lambda value: self._sample("fader", value))
        self.light = Light(lambda value: self.publish("light", value), light_seconds)
        # Whether gestures that are derived from touches are published; in touch mode the tag recognises none.
        self.derives = False
        self._derived = touching.Derived(self._derive)
        self._since = messages.now()
        self._reason: jacquard.JacquardError | None = None
        self._state_now: ConnectionState[jacquard.Tag] | None = None
        # Why Bluetooth cannot be used.
        self._obstacle: jacquard.JacquardError | None = None
        self._touch_until = 0.0
        self._touch_end: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        # Set whenever a condition that ready() waits for may have changed.
        self._changed = asyncio.Event()
        self._ended = False
        self._describe(None)

    @property
    def name(self) -> str:
        name: str = self.values.get("name", {}).get("name", "")
        return name or f"Jacquard {self.selection.serial}"

    @property
    def connected(self) -> bool:
        return self.tag is not None

    def describe(self, stored: dict[str, Any]) -> bool:
        """Uses the earlier run's information about the tag until it is connected. Returns whether there was any."""
        known = {name: value for name, value in stored.items() if name in messages.INFO and name != "serial"}
        if "info" in self.values or not known or stored["serial"] != self.selection.serial:
            return False
        self.values["info"] = known
        return True

    def retained(self) -> dict[str, bytes]:
        """The retained messages of this tag, without `info`, which the bridge completes."""
        found = {"availability": messages.ONLINE if self.connected else messages.OFFLINE}
        found |= {what: messages.encoded(value) for what, value in self.values.items() if what != "info"}
        return {self.topics.tag(self.selection.topic, what): payload for what, payload in found.items()}

    def publish(self, what: str, value: dict[str, Any]) -> None:
        """Publishes a retained message if anything but its time has changed."""
        if without_time(self.values.get(what)) != without_time(value):
            self.values[what] = value
            self._retain(what, messages.encoded(value))

    def _retain(self, what: str, payload: bytes) -> None:
        if self.owned:
            self._publisher.retain(self.topics.tag(self.selection.topic, what), payload)

    async def run(self, manager: jacquard.Manager) -> None:
        """Stays connected until cancelled."""
        try:
            while True:
                self.retry.clear()
                reason = await self._connect(manager)
                self._lose_tag()
                self._describe(ConnectionState(Phase.DISCONNECTED, 0, 0, 0, reason=reason))
                pause = PAUSE_IN_USE if isinstance(reason, jacquard.InUseError) else PAUSE
                LOG.warning("%s: %s Next attempt in %.0f s.", self.selection.topic, reason or "", pause)
                with contextlib.suppress(asyncio.TimeoutError):
                    async with asyncio.timeout(pause):
                        await self.retry.wait()
        finally:
            self._lose_tag()
            self._describe(None)
            self._ended = True
            self._changed.set()
            for task in self._tasks:
                task.cancel()
            self.downloads.close()

    async def _connect(self, manager: jacquard.Manager) -> jacquard.JacquardError | None:
        """Returns why the connection ended."""
        selected = self.selection
        try:
            if selected.identifier is None:
                opened = manager.connect(serial=selected.serial, timeout=math.inf, wait_for_adapter=True)
            else:
                opened = manager.connect(
                    selected.identifier, owner=selected.owner, timeout=math.inf, wait_for_adapter=True
                )
            async with opened as connection:
                kinds = (ConnectionState, Battery, Gear, Gesture, Name, Touch)
                self.connection = connection
                self.fader.connected(connection)
                try:
                    async with connection.events(*kinds) as events:
                        async for event in events:
                            self.receive(event, connection)
                finally:
                    self.connection = None
                    self._derived.end()
                    await self.fader.disconnected()
                    await self.motion.stop()
        except jacquard.JacquardError as error:
            return error
        return None

    async def ready(self, seconds: float, with_gear: bool) -> None:
        """Waits until the tag is connected, and attached to gear if that is needed, at most for some seconds."""
        with contextlib.suppress(asyncio.TimeoutError):
            async with asyncio.timeout(seconds):
                while not self._ended and (self.tag is None or (with_gear and self.gear is None)):
                    self._changed.clear()
                    await self._changed.wait()

    def _sample(self, what: str, value: dict[str, Any]) -> None:
        if self.owned:
            self._publisher.sample(self.topics.tag(self.selection.topic, what), messages.encoded(value))

    async def _part(self, value: dict[str, Any]) -> None:
        await self._publisher.part(self.topics.tag(self.selection.topic, "recording"), messages.encoded(value))

    def obstruct(self, reason: jacquard.JacquardError | None) -> None:
        """Sets why Bluetooth cannot be used; this is then the reason for not being connected."""
        self._obstacle = reason
        self._describe(self._state_now)

    def receive(self, event: Any, connection: jacquard.Connection) -> None:
        if self.derives:
            self._derived.take(event)
        if isinstance(event, Gesture):
            # Programs switch things when a message comes, and Home Assistant does so for every one.
            if event.may_be_copy:
                return
            self._gesture(event)
        elif isinstance(event, Touch):
            # The touches of the fader are not published.
            if not self.fader.is_on or self._touch_left() > 0:
                self._sample("touch", messages.touch(event))
        elif isinstance(event, Battery):
            self.publish("battery", messages.battery(event))
        elif isinstance(event, Gear):
            self._gear(event.component)
        elif isinstance(event, Name):
            self.publish("name", {"name": event.name})
            if self.connected:  # otherwise this follows with the other properties
                self.on_described()
        elif isinstance(event, ConnectionState):
            self._state(event, connection)

    # Gestures while it is not known whether this bridge publishes them

    def hold(self) -> None:
        self._is_held = True
        self._publisher.hold(self.topics.tag(self.selection.topic, "gesture"))

    def end_hold(self) -> None:
        self._is_held = False
        topic = self.topics.tag(self.selection.topic, "gesture")
        if not self.owned:
            self.number -= self._publisher.withdraw(topic)
        self._publisher.release(topic)

    def _gesture(self, gesture: Gesture, is_derived: bool = False) -> None:
        if not (self.owned or self._is_held):
            return
        self.number += 1
        message = messages.gesture(gesture, self.boot, self.number, is_derived)
        self._publisher.event(self.topics.tag(self.selection.topic, "gesture"), messages.encoded(message))

    def _derive(self, gesture: jacquard.TouchGesture) -> None:
        own = touching.own_gesture(gesture)
        if own is not None and self.derives:
            self._gesture(own, is_derived=True)

    def _state(self, state: ConnectionState[jacquard.Tag], connection: jacquard.Connection) -> None:
        if state.tag is None:
            self._lose_tag()
        elif self.tag is None:
            self.tag = state.tag
            self.on_connected()
            self.values["info"] = messages.info(state.tag.info)
            if state.tag.info.name:
                self.publish("name", {"name": state.tag.info.name})
            self.on_described()
            self._availability()
            self._changed.set()
            self.compare_firmware()
            LOG.info("%s: connected", self.selection.topic)
        heard = connection.rssi
        last = heard if heard is not None else self.values.get("rssi", {}).get("last")
        # The signal strength of a link is unknown; `last` is the signal strength of the tag's last advertisement.
        self.publish("rssi", {"dbm": None if self.connected else heard, "last": last, "time": messages.now()})
        self._describe(state)

    def compare_firmware(self) -> None:
        """Called when the tag's firmware or the images may have changed."""
        if not self.updates.offered:
            self.values.pop("firmware", None)
        elif self.tag is not None:
            self._start(self.updates.compare(self.tag.info))

    def _lose_tag(self) -> None:
        if self.tag is None:
            return
        LOG.info("%s: disconnected", self.selection.topic)
        self.tag = None
        self._gear(None)
        self.light.ended()
        self._availability()
        self.on_described()

    def _availability(self) -> None:
        payload = messages.ONLINE if self.connected else messages.OFFLINE
        self._retain("availability", payload)

    def _describe(self, state: ConnectionState[jacquard.Tag] | None) -> None:
        """Publishes the state when its phase or reason changes, not for every step."""
        self._state_now = state
        phase = Phase.DISCONNECTED if state is None else state.phase
        reason = (None if state is None else state.reason) or (None if self.connected else self._obstacle)
        if "state" in self.values and phase == self.phase and str(reason or "") == str(self._reason or ""):
            return
        if phase != self.phase:
            self._since = messages.now()
        self.phase, self._reason = phase, reason
        ended = "none" if state is None else messages.word(state.disconnect_reason)
        attempt = 0 if state is None else state.attempt
        self.publish("state", messages.state(self.topics.bridge, messages.word(phase), self._since, attempt, reason, ended))

    def _gear(self, component: jacquard.Component | None) -> None:
        self.gear = component
        self._changed.set()
        self.publish("gear", messages.gear(None if component is None else component.info))
        if component is not None and self._touch_left() > 0:
            self._start(component.set_touch_mode(jacquard.TouchMode.CONTINUOUS))

    # Touch data, on request and for a limited time

    async def touch(self, seconds: float) -> None:
        """Requests touch data for a number of seconds; 0 ends it."""
        assert self.gear is not None
        mode = jacquard.TouchMode.CONTINUOUS if seconds or self.fader.is_on else jacquard.TouchMode.GESTURE
        await self.gear.set_touch_mode(mode)
        if self._touch_end is not None:
            self._touch_end.cancel()
        loop = asyncio.get_running_loop()
        self._touch_until = loop.time() + seconds
        self._touch_end = loop.call_later(seconds, self._end_touch) if seconds else None

    def _touch_left(self) -> float:
        return self._touch_until - asyncio.get_running_loop().time()

    def _end_touch(self) -> None:
        self._touch_end, self._touch_until = None, 0.0
        if self.gear is not None and not self.fader.is_on:
            self._start(self.gear.set_touch_mode(jacquard.TouchMode.GESTURE))

    def _start(self, operation: Any) -> None:
        async def run() -> None:
            try:
                await operation
            except jacquard.JacquardError as error:
                LOG.warning("%s: %s", self.selection.topic, error)

        task = asyncio.ensure_future(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def without_time(value: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if value is None else {name: part for name, part in value.items() if name != "time"}
