"""Touch mode while a program wants touches: its samples, and the touches in them."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Callable

import jacquard
from jacquard import Capability, ConnectionState, Gear, Phase, Touch, TouchMode, TouchPoint

from .trained.episodes import Episode, Episodes

# Time for the tag to return to gesture mode after an interrupt.
PARTING = 1
# A touch without a sample for 250 ms has ended.
SILENCE = 0.26


async def tracked(connection: jacquard.Connection, receive: Callable[[list[TouchPoint]], None]) -> None:
    """Sets touch mode like samples(), and calls receive with the points of each sample, and with those of touches that
    have ended without one."""
    tracker = jacquard.TouchTracker()
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle | None = None

    def read(touch: Touch | None) -> None:
        nonlocal timer
        if timer:
            timer.cancel()
        timer = None
        if touch is None:
            return receive(tracker.cancel())
        receive(tracker.process(touch))
        timer = loop.call_later(SILENCE, lambda: receive(tracker.wait()))

    try:
        await samples(connection, read, lost=lambda: read(None))
    finally:
        read(None)


async def episodes(connection: jacquard.Connection, receive: Callable[[Episode], None]) -> None:
    """Sets touch mode like samples(), and calls receive with each episode of touching when it has ended."""
    running = Episodes()
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle | None = None

    def wait() -> None:
        """The tag may send nothing while it is not touched."""
        pass_on(running.wait(loop.time()))

    def pass_on(episode: Episode | None) -> None:
        nonlocal timer
        if timer:
            timer.cancel()
        timer = loop.call_at(running.due, wait) if running.due is not None else None
        if episode is not None:
            receive(episode)

    def lost() -> None:
        running.cancel()
        pass_on(None)

    try:
        await samples(connection, lambda touch: pass_on(running.add(loop.time(), touch.lines)), lost)
    finally:
        lost()


async def samples(
    connection: jacquard.Connection, receive: Callable[[Touch], None], lost: Callable[[], None] = lambda: None
) -> None:
    """Sets touch mode while gear is attached, and gesture mode again at the end. lost: the link was lost, or the gear
    detached."""
    worn: jacquard.Component | None = None
    try:
        events: jacquard.Stream[Any] = connection.events(Gear, Touch, ConnectionState)
        async for event in events:
            if isinstance(event, Touch):
                receive(event)
                continue
            if isinstance(event, ConnectionState):
                if event.phase is not Phase.CONNECTED:
                    lost()
                continue
            worn = event.component
            if worn is None:
                lost()
            if worn is not None and worn.supports(Capability.TOUCH):
                with contextlib.suppress(jacquard.StaleGearError, jacquard.LinkError):
                    await worn.set_touch_mode(TouchMode.CONTINUOUS)
    finally:
        if worn is not None:
            with contextlib.suppress(jacquard.JacquardError):
                await worn.set_touch_mode(TouchMode.GESTURE, timeout=PARTING)
