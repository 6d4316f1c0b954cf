"""Reacts to gestures, with the actions of jacquardctl run."""

from __future__ import annotations

import asyncio
import dataclasses
from argparse import ArgumentTypeError
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Callable

from jacquard import ConnectionState, Gear, Gesture, TouchGesture
from jacquard_apps.tags.target import Target
from jacquard_apps.terminal import output
from jacquard_apps.touch.touching import Derived

from .action import Action, ActionError, Resources, Run
from .actions import effect
from .actions.command import Command
from .age import OLDEST, Ages, boottime
from .events.gesture import GestureTrigger
from .file import action_of
from .occasion import Link, Occasion, TagIdentity
from .settings import Settings
from .table import Problem

# Limits the load from many gestures or commands that do not end.
MOST = 16


@dataclasses.dataclass(frozen=True)
class Written:
    """An action, as it is written on the command line."""

    text: str
    action: Action


@dataclasses.dataclass(frozen=True)
class Reaction:
    """The reaction to each gesture with this name or number."""

    gesture: str
    actions: tuple[Written, ...] = ()


def command(text: str) -> Written:
    return Written(text, Command((text,), is_shell=True, time_limit=0, has_input=False))


def written(option: str, text: str) -> Written:
    """The action of --led, --haptic or --do. Raises ArgumentTypeError."""
    if option != "--do":
        return Written(f"{option} {text}", effect.of(option[2:], text))
    try:
        action = action_of(text)
    except Problem as problem:
        raise ArgumentTypeError(problem.text) from None
    missing = action.problem()
    if missing is not None:
        raise ArgumentTypeError(missing)
    return Written(f"{option} {text}", action)


class Reactions:
    """Carries out the actions of gestures. They do not wait for each other; the tag receives effects in their order, over
    the connection whose events are passed to `take`. The end of the `async with` block ends actions that still run."""

    def __init__(
        self, reactions: Iterable[Reaction], target: Target, label: str, clock: Callable[[], float] = boottime
    ) -> None:
        """label: begins each message."""
        self._reactions = list(reactions)
        self._watches = [GestureTrigger(reaction.gesture).watch() for reaction in self._reactions]
        self._derived = Derived(self.take)
        self._label = label
        self._link = Link(TagIdentity(target.identifier, target.serial))
        self._ages = Ages(clock)
        self._tasks: set[asyncio.Task[None]] = set()
        self._resources = Resources(Settings(parallel=MOST), lambda kind, problem: self._complain(problem))

    def take(self, event: Any) -> None:
        self._derived.take(event)
        arrived, is_doubtful = self._ages.arrival(event), self._ages.is_doubtful(event)
        if isinstance(event, ConnectionState):
            self._link.tag = event.tag
            if event.tag is None:
                self._resources.link_lost(self._link.identity.identifier)
        elif isinstance(event, Gear):
            self._link.gear = event.component
        elif isinstance(event, (Gesture, TouchGesture)):
            watched = [(reaction, watch.take(event, arrived)) for reaction, watch in zip(self._reactions, self._watches)]
            found = [
                (action, Occasion(self._link, GestureTrigger(reaction.gesture), details, arrived))
                for reaction, details in watched
                if details is not None
                for action in reaction.actions
            ]
            if found and (is_doubtful or self._ages.left(arrived) < 0):
                self._complain(f"nothing is done at {found[0][1].event}: it is more than {OLDEST:g} second old")
                return
            for action, occasion in found:
                self._start(action, occasion)

    def _start(self, written: Written, occasion: Occasion) -> None:
        if len(self._tasks) >= MOST:
            self._complain(f"‘{written.text}’ was not started: {MOST} commands are still running")
            return
        task = asyncio.ensure_future(self._carry_out(written, occasion))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry_out(self, written: Written, occasion: Occasion) -> None:
        ended: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        problem = None
        try:
            await written.action.act(Run(occasion, written.text, self._resources, ended.set_result))
            if written.action.ends_later:
                problem = await ended
        except ActionError as error:
            problem = str(error)
        if problem is not None:
            self._complain(f"‘{written.text}’: {problem}")

    def _complain(self, text: str | None) -> None:
        if text is not None:
            output.complain(self._label + text)

    async def __aenter__(self) -> Reactions:
        await self._resources.use([written.action for reaction in self._reactions for written in reaction.actions])
        return self

    async def __aexit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._derived.end()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._resources.close()
