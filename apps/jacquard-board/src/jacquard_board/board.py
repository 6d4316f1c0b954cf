"""The board: the tags of this machine and the recordings that it shows, and the page's requests."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any, Union

import jacquard
from jacquard.haptic import SYMBOLS
from jacquard_apps.recording.reader import Recording
from jacquard_apps.tags import target
from jacquard_apps.terminal import exits, output
from jacquard_automations.occasion import Link, TagIdentity

from . import editing
from .browsers import Outbox, message
from .editing import Permissions
from .live import LiveTag
from .playback import Playback
from .rules import Rules
from .simulation import STROKES, Simulation
from .taught import Taught

# Changes are collected: urgent ones are sent immediately, touch and motion data 30 times per second.
INTERVAL = 1 / 30
SEARCH_SECONDS = 10
# Limits the tags that other devices in range can add, and the count of those that are not shown.
MOST_TAGS = 48
MOST_LEFT_OUT = 1000

Shown = Union[LiveTag, Playback]


class Board:
    def __init__(
        self, manager: jacquard.Manager | None, simulation: Simulation | None, permissions: Permissions | None = None
    ) -> None:
        self._manager = manager
        self._simulation = simulation
        self._start = time.monotonic()
        self._started = time.time()
        self._shown: dict[str, Shown] = {}
        self._outboxes: set[Outbox] = set()
        self._flush: asyncio.Handle | None = None
        self._flush_is_urgent = False
        self._machine: dict[str, Any] = {}
        self._search: asyncio.Task[None] | None = None
        self._left_out: set[str] = set()
        self.rules = Rules(
            self.clock,
            lambda: self._part_changed("rules"),
            permissions or Permissions(),
            lambda: [one.link.identity for one in self._shown.values() if isinstance(one, LiveTag) and one.link],
            lambda: bool(self._outboxes),
        )
        self.taught = Taught(self.clock, lambda: self._part_changed("taught"))
        self._changed_parts: set[str] = set()

    def clock(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._start

    # Shown tags

    def add_recording(self, file: str, recording: Recording) -> None:
        key = f"recording-{len(self._shown)}"
        self._shown[key] = Playback(key, file, recording, lambda: self._changed(False))

    def _add_tag(self, identifier: str, title: str, is_bound: bool = False) -> LiveTag | None:
        """None if there are too many; then it is counted."""
        tag = self._shown.get(identifier)
        if isinstance(tag, LiveTag):
            return tag
        if self._manager is None:
            return None
        if len(self._shown) >= MOST_TAGS and not is_bound:
            if identifier not in self._left_out and len(self._left_out) < MOST_LEFT_OUT:
                self._left_out.add(identifier)
                self._machine["left_out"] = len(self._left_out)
                self._machine_changed()
            return None
        tag = self._shown[identifier] = LiveTag(
            self._manager, identifier, title, self.clock, self._changed, self.rules, self.taught
        )
        self._changed(True)
        return tag

    async def run(self) -> None:
        """Shows the tags of this machine, and connects to the bound ones."""
        manager = self._manager
        if manager is None:
            await asyncio.get_running_loop().create_future()
            return
        with contextlib.suppress(jacquard.StateFileError):
            for known in await manager.known():
                tag = self._add_tag(known.identifier, known.name or known.serial, is_bound=True)
                if tag is not None:
                    tag.known(known)
                    tag.connect()
        self.search()
        async for adapter in manager.adapter_states():
            error = adapter.error
            self._machine["adapter"] = {
                "state": output.plain(adapter.state),
                "message": output.explained(error) if error else None,
            }
            self._machine_changed()

    async def close(self) -> None:
        if self._search is not None:
            self._search.cancel()
        if self._flush is not None:
            self._flush.cancel()
        for shown in self._shown.values():
            if isinstance(shown, Playback):
                shown.close()
        await asyncio.gather(*(shown.close() for shown in self._shown.values() if isinstance(shown, LiveTag)))

    def search(self) -> None:
        """Searches for tags in range for a few seconds."""
        if self._manager is not None and (self._search is None or self._search.done()):
            self._search = asyncio.ensure_future(self._look(self._manager))

    async def _look(self, manager: jacquard.Manager) -> None:
        self._left_out.clear()
        self._machine.update(searching=True, problem=None, left_out=0)
        self._machine_changed()
        try:
            timeout = None if self._simulation else SEARCH_SECONDS
            async with manager.scan(timeout=timeout, every_report=True, wait_for_adapter=True) as scan:
                async for found in scan:
                    tag = self._add_tag(found.identifier, found.name or target.name(found))
                    if tag is not None:
                        tag.advertised(found)
                        if self._simulation is not None:
                            # It is not bound, but the user's rules can be tried with it.
                            tag.link = Link(TagIdentity(found.identifier, found.serial, found.name))
                            tag.connect()
                            return
        except jacquard.JacquardError as error:
            self._machine["problem"] = output.explained(error)
        finally:
            self._machine["searching"] = False
            self._machine_changed()

    # Browsers

    @contextlib.asynccontextmanager
    async def browser(self) -> AsyncIterator[Outbox]:
        """The messages for a browser, beginning with a snapshot of everything."""
        outbox = Outbox(self._everything)
        outbox.put(self._everything(0))
        self._outboxes.add(outbox)
        self.rules.running.ask()
        try:
            yield outbox
        finally:
            self._outboxes.discard(outbox)

    @property
    def browsers(self) -> int:
        return len(self._outboxes)

    def _everything(self, replaced: int) -> str:
        return message(
            "everything",
            now=self.clock(),
            started=self._started,
            simulated=self._simulation is not None,
            strokes=STROKES if self._simulation is not None else {},
            live=self._manager is not None,
            dropped=replaced,
            machine=self._machine,
            rules=self.rules.snapshot(),
            taught=self.taught.snapshot(),
            tags=[shown.view.snapshot() for shown in self._shown.values()],
        )

    def _machine_changed(self) -> None:
        self._put(message("machine", machine=self._machine))

    def _part_changed(self, name: str) -> None:
        """name: a part of the page that belongs to no tag."""
        if not self._changed_parts:
            asyncio.get_running_loop().call_soon(self._send_parts)
        self._changed_parts.add(name)

    def _send_parts(self) -> None:
        parts, self._changed_parts = self._changed_parts, set()
        for name in sorted(parts):
            self._put(message(name, **{name: getattr(self, name).snapshot()}))

    def _put(self, text: str) -> None:
        for outbox in self._outboxes:
            outbox.put(text)

    def _changed(self, is_urgent: bool) -> None:
        if self._flush is not None and (self._flush_is_urgent or not is_urgent):
            return
        if self._flush is not None:
            self._flush.cancel()
        loop = asyncio.get_running_loop()
        self._flush = loop.call_soon(self._send_changes) if is_urgent else loop.call_later(INTERVAL, self._send_changes)
        self._flush_is_urgent = is_urgent

    def _send_changes(self) -> None:
        self._flush = None
        collected = [shown.view.collect() for shown in self._shown.values()]
        changes = [one for one in collected if one is not None]
        if not changes or not self._outboxes:
            return
        self._put(message("changes", now=self.clock(), tags=changes))

    # Requests of the page

    async def carry_out(self, request: Mapping[str, Any]) -> None:
        """Raises ValueError for a request that the page would not send, and other errors if it fails."""
        action = request.get("action")
        if action == "search":
            self.search()
        elif action in ("play", "pause", "seek", "speed"):
            self._play(self._recording(request), str(action), request.get("value"))
        elif action in ("stroke", "lift", "person", "gesture", "battery", "simulate"):
            await self._simulate(str(action), request)
        elif action in editing.ACTIONS:
            shown = self._shown.get(str(request.get("tag")))
            await self.rules.editor.carry_out(request, shown.link if isinstance(shown, LiveTag) else None)
        else:
            await self._use(self._tag(request), action, request)

    async def _use(self, tag: LiveTag, action: Any, request: Mapping[str, Any]) -> None:
        if action == "connect":
            tag.connect()
        elif action == "disconnect":
            await tag.disconnect()
        elif action == "mode":
            await tag.set_mode(request.get("value"))
        elif action == "motion":
            await tag.set_motion(request.get("value"))
        elif action == "light":
            await tag.light(request.get("color"), request.get("pattern"), request.get("gear"))
        elif action == "vibrate":
            name = str(request.get("value"))
            if name not in SYMBOLS:
                raise ValueError(f"value is {name!r}; expected one of {', '.join(SYMBOLS)}")
            await tag.vibrate(SYMBOLS[name], name)
        else:
            raise ValueError(f"unknown action {action!r}")

    def _play(self, playback: Playback, action: str, value: Any) -> None:
        if action == "play":
            playback.play()
        elif action == "pause":
            playback.pause()
        elif isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= sys.float_info.max:
            raise ValueError(f"value is {value!r}; expected a number")
        elif action == "seek":
            playback.seek(float(value))
        else:
            playback.set_speed(float(value))

    async def _simulate(self, action: str, request: Mapping[str, Any]) -> None:
        simulation = self._simulation
        if simulation is None:
            raise exits.Failure("Only the software tag of board --simulate can be touched here.")
        if action == "stroke":
            lines = request.get("lines")
            await simulation.touch(lines if isinstance(lines, list) else [], request.get("proximity"))
        elif action == "lift":
            await simulation.lift()
        elif action == "person":
            await simulation.stroke(str(request.get("value")), request.get("person"))
        elif action == "gesture":
            for shown in self._shown.values():
                if isinstance(shown, LiveTag):
                    shown.made_gesture()
            await simulation.gesture(str(request.get("value")))
        elif action == "battery":
            await simulation.battery(request.get("percent"), request.get("charging"))
        else:
            await simulation.act(str(request.get("value")))

    def _tag(self, request: Mapping[str, Any]) -> LiveTag:
        shown = self._shown.get(str(request.get("tag")))
        if not isinstance(shown, LiveTag):
            raise ValueError("the request names no tag of this board")
        return shown

    def _recording(self, request: Mapping[str, Any]) -> Playback:
        shown = self._shown.get(str(request.get("tag")))
        if not isinstance(shown, Playback):
            raise ValueError("the request names no recording of this board")
        return shown
