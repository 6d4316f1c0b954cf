"""A tag of this machine: its connection, and the actions of the page's controls."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import math
import os
import time
from typing import Any, Callable

import jacquard
from jacquard import (
    Battery,
    Capability,
    ConnectionState,
    Gear,
    Gesture,
    Haptic,
    Led,
    LedType,
    MotionEvent,
    MotionGap,
    MotionSample,
    Name,
    Touch,
    TouchMode,
    TouchModeReport,
)
from jacquard_apps.system import processes
from jacquard_apps.tags.view import View
from jacquard_apps.terminal import exits, output
from jacquard_apps.touch import touching
from jacquard_automations.occasion import Link
from jacquard_automations.tags import identity
from jacquard_automations.trained.attempts import Attempts
from jacquard_automations.trained.episodes import Episode

from .motion import Motion
from .rules import Rules
from .taught import Taught

# Touch data is frequent, so it is delivered to a callback.
KINDS = (ConnectionState, Battery, Gear, Gesture, Name, TouchModeReport)
# Time for the tag to return to gesture mode when the board ends.
PARTING = 1
# A gesture that arrives later was not caused by the stroke.
LATEST_GESTURE = 2
PATTERNS = {
    "solid": LedType.SOLID,
    "breathe": LedType.BREATHING,
    "pulse": LedType.PULSING,
    "blink": LedType.SINGLE_BLINK,
    "double-blink": LedType.DOUBLE_BLINK,
    "triple-blink": LedType.TRIPLE_BLINK,
}
LIGHT_SECONDS = 3.0


class LiveTag:
    def __init__(
        self,
        manager: jacquard.Manager,
        identifier: str,
        title: str,
        clock: Callable[[], float],
        changed: Callable[[bool], None],
        rules: Rules,
        taught: Taught,
    ) -> None:
        """changed: called after each change of the view; True if it is urgent."""
        self.view = View(identifier, "tag", title)
        self.view.set(identifier=identifier, mode="gesture", wanted=False, ending=False, streaming=False)
        # The link for rules, which are for bound tags only.
        self.link: Link | None = None
        self._rules = rules
        self._taught = taught
        self._attempts = Attempts(self._recognise)
        self._manager = manager
        self._clock = clock
        self._changed = changed
        self._connection: jacquard.Connection | None = None
        self._tag: jacquard.Tag | None = None
        self._gear: jacquard.Component | None = None
        self._mode = TouchMode.GESTURE
        self._task: asyncio.Task[None] | None = None
        self._made: collections.deque[float] = collections.deque(maxlen=8)
        self._motion = Motion(lambda: self._tag, self._moved, self._streaming)
        self._linked: asyncio.Task[None] | None = None

    def advertised(self, found: jacquard.Advertisement) -> None:
        self.view.set(serial=found.serial, name=found.name or None, address=found.address)
        if found.rssi is not None:
            self.view.set(rssi=found.rssi)
        self._changed(False)

    def known(self, tag: jacquard.KnownTag) -> None:
        self.view.set(serial=tag.serial, name=tag.name or None, address=tag.address, bound=True)
        self.link = Link(identity(tag))

    def connect(self) -> None:
        """Connects, and stays connected until disconnect()."""
        if self._task is None or self._task.done():
            self.view.set(wanted=True)
            self._changed(True)
            self._task = asyncio.ensure_future(self._live())

    async def disconnect(self) -> None:
        connection = self._connection
        if connection is not None:
            # This takes seconds.
            self.view.set(ending=True)
            self._changed(True)
            await self._motion.stop()
            await self._to_gesture_mode()
            await connection.disconnect()

    async def close(self) -> None:
        if self._task is not None:
            await self._motion.stop()
            await self._to_gesture_mode()
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _live(self) -> None:
        try:
            async with self._manager.connect(self.view.key, timeout=math.inf, wait_for_adapter=True) as connection:
                self._connection = connection
                with connection.on(Touch, self._touched):
                    async with connection.events(*KINDS) as events:
                        async for event in events:
                            await self._take(event)
        except jacquard.JacquardError as error:
            self._failed(error)
        finally:
            if self._linked is not None:
                self._linked.cancel()
            self._attempts.lost()
            if self.link is not None:
                self._rules.lose(self.link)
            self._connection = self._tag = self._gear = None
            self.view.set(wanted=False, ending=False)
            self._changed(True)

    def _failed(self, error: jacquard.JacquardError) -> None:
        """The last state of a connection reports its error, unless it could not be opened at all."""
        state = self.view["state"] or {}
        if state.get("reason") != error.message:
            details = {"message": error.message, "advice": error.advice}
            state = {"phase": "disconnected", "step": 0, "total_steps": 0, "attempt": 0, "reason": details}
            self.view.apply(self._clock(), "state", state)

    def _touched(self, touch: Touch) -> None:
        self.view.touch(self._clock(), touch.sequence, touch.proximity, touch.lines)
        self._attempts.read(touch)
        self._changed(False)

    def _recognise(self, episode: Episode) -> None:
        gesture = self._taught.decide(episode, str(self.view["name"] or self.view["title"]))
        if gesture is None:
            return
        if self.link is not None and self._connection is not None:
            self._rules.take(self.link, gesture, self._connection.connected)
        self.view.gesture(self._clock(), 0, gesture.name, is_taught=True)
        self._changed(True)

    async def _take(self, event: Any) -> None:
        now = self._clock()
        if touching.is_end(event):
            self._attempts.lost()
        if self.link is not None and self._connection is not None:
            self._rules.take(self.link, event, self._connection.connected)
        if isinstance(event, ConnectionState):
            self._state(now, event)
        elif isinstance(event, Gear):
            self.view.apply(now, "gear", output.members_of(event))
            await self._attached(event.component)
        elif isinstance(event, TouchModeReport):
            is_touch = event.mode is TouchMode.CONTINUOUS
            is_foreign = is_touch and event.process != os.getpid()
            self.view.set(mode="touch" if is_touch else "gesture", mode_setter=processes.setter(event.process) if is_foreign else None)
        elif isinstance(event, Gesture):
            self.view.gesture(now, int(event.type), event.name, self._cause(now), event.may_be_copy)
        else:
            self.view.apply(now, type(event).__name__.lower(), output.members_of(event))
        self._changed(True)

    def _state(self, now: float, state: ConnectionState[jacquard.Tag]) -> None:
        members = {name: output.plain(value) for name, value in vars(state).items() if name != "tag"}
        self.view.apply(now, "state", members)
        is_new = state.tag is not None and self._tag is None
        self._tag = state.tag
        if is_new:
            self._linked = asyncio.ensure_future(self._motion.linked())
        if state.tag is None:
            self._gear = None
        else:
            self.view.apply(now, "tag", output.plain(state.tag.info))
        if self._connection is not None and self._connection.rssi is not None:
            self.view.apply(now, "rssi", self._connection.rssi)

    async def _attached(self, gear: jacquard.Component | None) -> None:
        """Newly attached gear reports gestures."""
        self._gear = gear
        if self._mode is TouchMode.CONTINUOUS and gear is not None and gear.supports(Capability.TOUCH):
            with contextlib.suppress(jacquard.JacquardError):
                await gear.set_touch_mode(TouchMode.CONTINUOUS)

    def made_gesture(self) -> None:
        """The next gesture is caused by a stroke that ends now."""
        self._made.append(self._clock())

    def _cause(self, now: float) -> float | None:
        while self._made:
            made = self._made.popleft()
            if now - made < LATEST_GESTURE:
                return made
        return None

    async def set_mode(self, word: Any) -> None:
        """Selects gesture or touch mode. Without gear, the mode is set when gear is attached."""
        if word not in ("gesture", "touch"):
            raise ValueError(f"mode is {word!r}; expected gesture or touch")
        mode = TouchMode.CONTINUOUS if word == "touch" else TouchMode.GESTURE
        if self._gear is not None:
            await self._gear.set_touch_mode(mode)
        self._mode = mode
        self.view.set(mode=word)
        self._changed(True)

    async def set_motion(self, wanted: Any) -> None:
        """Starts or stops a motion stream, which continues after a lost link."""
        if not isinstance(wanted, bool):
            raise ValueError(f"value is {wanted!r}; expected true or false")
        if not wanted:
            await self._motion.stop()
            return
        tag, connection = self._connected(), self._connection
        assert connection is not None
        await self._motion.start(connection, tag)

    def _streaming(self, streams: bool, problem: str | None) -> None:
        self.view.set(streaming=streams, motion_problem=problem)
        self._changed(True)

    def _moved(self, event: MotionEvent) -> None:
        now = self._clock()
        if isinstance(event, MotionSample):
            taken = now - max(0.0, time.monotonic() - event.time)
            self.view.moved(taken, *event.acceleration, *event.rotation)
        elif isinstance(event, MotionGap):
            self.view.motion_gap(now, event.missing, event.uncertainty)
        else:
            self.view.motion_gap(now, None, 0)
        self._changed(False)

    async def light(self, color: Any, pattern: Any, on_gear: Any) -> None:
        """Plays an LED pattern; color None stops it."""
        if color is None:
            led, shown = Led.off(), {"color": None, "pattern": "off", "seconds": 0.0}
        elif isinstance(pattern, str) and pattern in PATTERNS and isinstance(color, str):
            led = Led.of(PATTERNS[pattern], color, LIGHT_SECONDS)
            led._struct()  # rejects an invalid colour
            shown = {"color": color, "pattern": pattern, "seconds": LIGHT_SECONDS}
        else:
            raise ValueError(f"pattern is {pattern!r}; expected one of {', '.join(PATTERNS)}")
        component = self._require(Capability.LED) if on_gear else self._connected().component
        await component.led(led)
        self.view.apply(self._clock(), "light", {**shown, "gear": bool(on_gear)})
        self._changed(True)

    async def vibrate(self, haptic: Haptic, name: str) -> None:
        await self._require(Capability.HAPTIC).haptic(haptic)
        seconds = (haptic.on + haptic.off) * (haptic.repeats + 1)
        self.view.apply(self._clock(), "vibration", {"name": name, "seconds": seconds})
        self._changed(True)

    def _connected(self) -> jacquard.Tag:
        if self._tag is None:
            raise exits.Failure("The tag is not connected.")
        return self._tag

    def _require(self, capability: Capability) -> jacquard.Component:
        self._connected()
        if self._gear is None:
            raise exits.Failure("No gear is attached to the tag. Put the tag into its garment or bag.")
        if not self._gear.supports(capability):
            raise exits.Failure(f"The attached gear lacks this capability: {(capability.name or '').lower()}.")
        return self._gear

    async def _to_gesture_mode(self) -> None:
        if self._gear is not None and self._mode is TouchMode.CONTINUOUS:
            with contextlib.suppress(jacquard.JacquardError):
                await self._gear.set_touch_mode(TouchMode.GESTURE, timeout=PARTING)
