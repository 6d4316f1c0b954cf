"""Stays connected to the bound tags that the rules select, and passes their events to the engine."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Sequence
from typing import Callable

import jacquard
from jacquard import Battery, ConnectionState, Gear, Gesture, TouchGesture, TouchModeReport, TouchPoint
from jacquard_apps.system.together import first, within
from jacquard_apps.terminal.output import explained
from jacquard_apps.touch import touching

from .complaints import Complaints
from .engine import Engine
from .held import Holds
from .occasion import Link, TagIdentity
from .rules import Rule, unbound
from .touches import TaughtGestures, TouchSwitch, held_lines, need_touches, need_trained
from .trained.attempts import Attempts
from .trained.episodes import Episode
from .triggers import Touches

KINDS = (ConnectionState, Battery, Gear, Gesture, TouchModeReport)
# Pauses before a connection that has ended is requested again. It ends only if something must change first: the user
# must act, or another program must release the tag.
PAUSE = 60.0
PAUSE_IN_USE = 5.0


class Tags:
    def __init__(
        self,
        manager: jacquard.Manager,
        engine: Engine,
        complaints: Complaints,
        taught: TaughtGestures,
        changed: Callable[[TagIdentity, str], None],
        battery_changed: Callable[[Link], None],
    ) -> None:
        """changed: called when a tag is "connecting", because a rule selects it, "connected" or "away"."""
        # Set when a tag may have been bound or unbound, or the rules have changed.
        self.changed = asyncio.Event()
        # Why Bluetooth cannot be used, "" if it can.
        self.adapter_problem = ""
        # The bound tags, whether or not rules select them.
        self.known: list[TagIdentity] = []
        self._manager = manager
        self._engine = engine
        self._complaints = complaints
        self._taught = taught
        self._changed = changed
        self._battery_changed = battery_changed
        self._links: dict[str, Link] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._retries: dict[str, asyncio.Event] = {}
        self._switches: dict[str, TouchSwitch] = {}
        self._holds: dict[str, Holds] = {}

    @property
    def links(self) -> list[Link]:
        return list(self._links.values())

    async def run(self) -> None:
        """Runs until it is cancelled."""
        try:
            while True:
                self.changed.clear()
                await self._select(self._engine.rules)
                await self.changed.wait()
        finally:
            for identifier in list(self._tasks):
                await self._remove(identifier)

    async def follow_adapter(self) -> None:
        """Reports why Bluetooth cannot be used; the library waits until it can."""
        async with self._manager.adapter_states() as states:
            async for adapter in states:
                self.adapter_problem = "" if adapter.error is None else explained(adapter.error)
                if adapter.error is not None:
                    self._complaints.report("adapter", 0, self.adapter_problem)
                elif adapter.usable:
                    self._complaints.works("adapter", 0)

    async def _select(self, rules: Sequence[Rule]) -> None:
        try:
            known = self.known = [identity(tag) for tag in await self._manager.known()]
        except jacquard.StateFileError as error:
            self._complaints.report("known", 0, explained(error))
            return
        wanted = {tag.identifier: tag for tag in known if any(rule.selection.selects(tag) for rule in rules)}
        self._report_missing(rules, known)
        self._taught.use(any(need_trained(rules, tag) for tag in known))
        for identifier in self._links.keys() - wanted.keys():
            await self._remove(identifier)
        for tag in wanted.values():
            if tag.identifier in self._links:
                self._links[tag.identifier].identity = tag
                self._engine.introduce(self._links[tag.identifier])
                self._retries[tag.identifier].set()
            else:
                self._add(tag)
            self._holds[tag.identifier].use(held_lines(rules, tag))
            self._switches[tag.identifier].set(need_touches(rules, tag))

    def _report_missing(self, rules: Sequence[Rule], known: Sequence[TagIdentity]) -> None:
        for word, text in unbound(rules, known).items():
            self._complaints.report("tag", word, text)
        if known:
            self._complaints.works("tag", None)

    def _add(self, tag: TagIdentity) -> None:
        self._links[tag.identifier] = link = Link(tag)
        self._retries[tag.identifier] = retry = asyncio.Event()
        self._switches[tag.identifier] = TouchSwitch(lambda error: self._report(link, "touches", error))
        self._holds[tag.identifier] = Holds(lambda event: self._engine.take(link, event))
        self._tasks[tag.identifier] = asyncio.ensure_future(self._stay_connected(link, retry))
        self._changed(tag, "connecting")

    async def _remove(self, identifier: str) -> None:
        task = self._tasks.pop(identifier)
        # Its end is not the loss of the link.
        del self._links[identifier]
        task.cancel()
        await asyncio.wait({task})
        del self._retries[identifier], self._switches[identifier], self._holds[identifier]
        self._engine.forget(identifier)

    async def _stay_connected(self, link: Link, retry: asyncio.Event) -> None:
        while True:
            retry.clear()
            pause = PAUSE
            try:
                async with self._manager.connect(link.identity.identifier, timeout=math.inf, wait_for_adapter=True) as connection:
                    await first(self._follow(connection, link), self._follow_touches(connection, link))
            except jacquard.JacquardError as error:
                self._report(link, "connection", error)
                pause = PAUSE_IN_USE if isinstance(error, jacquard.InUseError) else PAUSE
            finally:
                was_connected = link.tag is not None
                self._engine.lose(link)
                self._report_link(link, was_connected)
            with contextlib.suppress(asyncio.TimeoutError):
                await within(pause, retry.wait())

    async def _follow(self, connection: jacquard.Connection, link: Link) -> None:
        async for event in connection.events(*KINDS):
            was_connected = link.tag is not None
            self._engine.follow(link, event, connection.connected)
            self._report_link(link, was_connected)
            if isinstance(event, Battery):
                self._battery_changed(link)
            if link.tag is not None:
                self._complaints.works("connection", link.identity.identifier)
                self._complaints.works("bond", link.identity.identifier)
            elif isinstance(event, ConnectionState) and isinstance(event.reason, (jacquard.BondLostError, jacquard.NotBoundError)):
                self._report(link, "bond", event.reason)

    def _report(self, link: Link, part: str, error: jacquard.JacquardError) -> None:
        link.problem = explained(error)
        self._complaints.report(part, link.identity.identifier, f"{link.identity.label}: {link.problem}")

    def _report_link(self, link: Link, was_connected: bool) -> None:
        is_connected = link.tag is not None
        if is_connected != was_connected and link.identity.identifier in self._links:
            self._changed(link.identity, "connected" if is_connected else "away")

    async def _follow_touches(self, connection: jacquard.Connection, link: Link) -> None:
        def recognise(episode: Episode) -> None:
            needed = need_trained(self._engine.rules, link.identity)
            gesture = self._taught.gesture(episode) if needed else None
            if gesture is not None:
                self._engine.take(link, gesture)

        def touched(points: Sequence[TouchPoint]) -> None:
            holds.follow(points)
            if points:
                self._engine.take(link, Touches(points))

        def derived(found: Sequence[TouchGesture]) -> None:
            holds.begin(found)
            for gesture in found:
                self._engine.take(link, gesture)

        holds = self._holds[link.identity.identifier]
        points, attempts = touching.Points(touched, derived), Attempts(recognise)
        await self._switches[link.identity.identifier].follow(connection, points, holds, attempts)


def identity(tag: jacquard.KnownTag) -> TagIdentity:
    return TagIdentity(tag.identifier, tag.serial, tag.name, tuple(sorted(tag.profile.items())))
