"""Touch mode while a program wants touches: its samples, and the touches and gestures in them."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Callable, Protocol

from jacquard import (
    Capability,
    Component,
    Connection,
    ConnectionState,
    Gear,
    Gesture,
    GestureType,
    JacquardError,
    LineHealth,
    LinkError,
    Phase,
    StaleGearError,
    Stream,
    Touch,
    TouchGesture,
    TouchGestureType,
    TouchMode,
    TouchPoint,
    TouchTracker,
)

# Time for the tag to return to gesture mode after an interrupt.
PARTING = 1
# A touch without a sample for 250 ms has ended.
SILENCE = 0.26
# Seconds after which touch mode is requested again, if the tag has refused it.
RETRY = 5.0
# A timer that is later than this was due while the program did not run.
LATE = 0.1
GOOD = (LineHealth.GOOD,) * 12
# In touch mode a tag recognises no gestures. These, which are derived from touches, stand for its own.
STAND_FOR = {
    TouchGestureType.DOUBLE_TAP: GestureType.DOUBLE_TAP,
    TouchGestureType.SWIPE_IN: GestureType.BRUSH_IN,
    TouchGestureType.SWIPE_OUT: GestureType.BRUSH_OUT,
    TouchGestureType.COVER: GestureType.COVER,
}


def own_gesture(gesture: TouchGesture) -> Gesture | None:
    """The gesture of the tag that this gesture stands for, if any."""
    number = STAND_FOR.get(gesture.type)
    return None if number is None else Gesture(number, str(number))


class Reader(Protocol):
    def read(self, touch: Touch) -> None: ...

    def lost(self) -> None:
        """The link was lost, the gear detached, or nothing more is read."""


async def read(connection: Connection, *readers: Reader) -> None:
    """Sets touch mode like samples(), and passes the samples to all readers."""

    def receive(touch: Touch) -> None:
        for reader in readers:
            reader.read(touch)

    def lost() -> None:
        for reader in readers:
            reader.lost()

    try:
        await samples(connection, receive, lost)
    finally:
        lost()


async def keep_reading(connection: Connection, failed: Callable[[JacquardError], None], *readers: Reader) -> None:
    """Reads until it is cancelled, and tries again after an error, with which `failed` is called."""
    while True:
        try:
            await read(connection, *readers)
        except JacquardError as error:
            failed(error)
        await asyncio.sleep(RETRY)


class Timer:
    """Calls a function after a time without samples. Those that wait while the program does not run are read first."""

    def __init__(self, function: Callable[[], None]) -> None:
        self._function = function
        self._handle: asyncio.TimerHandle | None = None

    def set(self, delay: float | None) -> None:
        """delay: in seconds; None: never."""
        if self._handle is not None:
            self._handle.cancel()
        self._handle = None if delay is None else asyncio.get_running_loop().call_later(delay, self._elapsed)

    def _elapsed(self) -> None:
        assert self._handle is not None
        if asyncio.get_running_loop().time() - self._handle.when() > LATE:
            self.set(LATE)
        else:
            self._function()


class Points:
    """Calls a function with the points of each sample, and with those of touches that have ended without one, and then
    another one with the gestures that are derived from them. The tag recognises none in this mode. A third one is called
    when the health of the lines changes; at first all are good."""

    def __init__(
        self,
        receive: Callable[[list[TouchPoint]], None],
        recognised: Callable[[list[TouchGesture]], None] = lambda gestures: None,
        judged: Callable[[tuple[LineHealth, ...]], None] | None = None,
    ) -> None:
        self._receive = receive
        self._recognised = recognised
        self._judged = judged
        self._health: tuple[LineHealth, ...] = GOOD
        self._tracker = TouchTracker()
        self._silence = Timer(lambda: self._pass_on(self._tracker.wait()))

    def read(self, touch: Touch) -> None:
        self._pass_on(self._tracker.process(touch))
        self._silence.set(SILENCE)

    def lost(self) -> None:
        self._silence.set(None)
        self._pass_on(self._tracker.cancel())

    def _pass_on(self, points: list[TouchPoint]) -> None:
        gestures = self._tracker.gestures()
        self._receive(points)
        self._recognised(gestures)
        if self._judged is not None and (health := self._tracker.health()) != self._health:
            self._health = health
            self._judged(health)


class Derived:
    """Calls a function with each gesture that is derived from touches, whichever program has set touch mode."""

    def __init__(self, recognised: Callable[[TouchGesture], None]) -> None:
        def pass_on(gestures: list[TouchGesture]) -> None:
            for gesture in gestures:
                recognised(gesture)

        self._points = Points(lambda points: None, pass_on)

    def take(self, event: Any) -> None:
        """Takes each event of a connection."""
        if isinstance(event, Touch):
            self._points.read(event)
        elif is_end(event):
            self.end()

    def end(self) -> None:
        """The touches end."""
        self._points.lost()


def is_end(event: Any) -> bool:
    """Whether no more touches come: the link was lost, or the gear detached."""
    if isinstance(event, ConnectionState):
        return event.phase is not Phase.CONNECTED
    return isinstance(event, Gear) and event.component is None


async def samples(
    connection: Connection, receive: Callable[[Touch], None], lost: Callable[[], None] = lambda: None
) -> None:
    """Sets touch mode while gear is attached, and gesture mode again at the end. lost: the link was lost, or the gear
    detached."""
    worn: Component | None = None
    try:
        events: Stream[Any] = connection.events(Gear, Touch, ConnectionState)
        async for event in events:
            if isinstance(event, Touch):
                receive(event)
            elif is_end(event):
                lost()
            if not isinstance(event, Gear):
                continue
            worn = event.component
            if worn is not None and worn.supports(Capability.TOUCH):
                with contextlib.suppress(StaleGearError, LinkError):
                    await worn.set_touch_mode(TouchMode.CONTINUOUS)
    finally:
        if worn is not None:
            with contextlib.suppress(JacquardError):
                await worn.set_touch_mode(TouchMode.GESTURE, timeout=PARTING)
