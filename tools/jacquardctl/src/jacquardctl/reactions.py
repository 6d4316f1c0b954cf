"""Reacts to gestures."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Union

import jacquard
from jacquard import ConnectionState, Gear, Gesture, Haptic, Led

from . import gestures, output
from .gear import played
from .target import Target

if TYPE_CHECKING:
    from .automations.action import Action
    from .automations.at_gesture import AtGesture

# Limits the load from many gestures or commands that do not end.
MOST = 16


@dataclasses.dataclass(frozen=True)
class Command:
    """A shell command."""

    text: str


@dataclasses.dataclass(frozen=True)
class Effect:
    """An LED pattern or a vibration, as `text` on the command line."""

    text: str
    effect: Led | Haptic
    is_on_gear: bool


@dataclasses.dataclass(frozen=True)
class Automation:
    """An action of jacquardctl run."""

    text: str
    action: Action


AnyAction = Union[Command, Effect, Automation]


@dataclasses.dataclass(frozen=True)
class Reaction:
    """What happens at each gesture with this name or number."""

    gesture: str
    actions: tuple[AnyAction, ...] = ()


class Reactions:
    """Runs the actions of gestures. They do not wait for each other; the tag receives effects in their order, over the
    connection whose events are passed to `take`. Commands find the gesture in $JACQUARD_GESTURE and
    $JACQUARD_GESTURE_NUMBER, the tag in $JACQUARD_TAG (its identifier) and $JACQUARD_SERIAL. Actions that have not ended at
    the end of the `async with` block are terminated."""

    def __init__(self, reactions: Iterable[Reaction], target: Target, label: str) -> None:
        """label: begins each message."""
        self._reactions = list(reactions)
        self._target = target
        self._label = label
        self._tag: jacquard.Tag | None = None
        self._gear: jacquard.Component | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._running: set[Process] = set()
        # Only if there are actions of jacquardctl run, whose modules take a moment to import.
        self._automations: AtGesture | None = None

    def take(self, event: Any) -> None:
        if isinstance(event, ConnectionState):
            self._tag = event.tag
            self._follow()
        elif isinstance(event, Gear):
            self._gear = event.component
            self._follow()
        # An action must not run twice for one gesture.
        elif isinstance(event, Gesture) and not event.may_be_copy:
            for reaction in self._reactions:
                if gestures.answers(event, reaction.gesture):
                    for action in reaction.actions:
                        self._start(action, event)

    def _start(self, action: AnyAction, gesture: Gesture) -> None:
        if len(self._tasks) >= MOST:
            self._complain(f"‘{action.text}’ was not started: {MOST} commands are still running")
            return
        if isinstance(action, Automation):
            work = self._carry_out(action, gesture)
        else:
            work = self._run(action, gesture) if isinstance(action, Command) else self._play(action)
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _complain(self, text: str) -> None:
        output.complain(self._label + text)

    async def _play(self, action: Effect) -> None:
        try:
            if action.is_on_gear and self._gear is None:
                self._complain(f"‘{action.text}’ was not played: no gear is attached to the tag")
            elif self._tag is None:
                self._complain(f"‘{action.text}’ was not played: the link to the tag is lost")
            else:
                await played(action.effect, self._gear if action.is_on_gear and self._gear else self._tag.component)
        except (jacquard.JacquardError, ValueError) as error:
            self._complain(f"‘{action.text}’ was not played: {error}")

    async def _run(self, command: Command, gesture: Gesture) -> None:
        environment = {
            **os.environ,
            "JACQUARD_GESTURE": gesture.name,
            "JACQUARD_GESTURE_NUMBER": f"{gesture.number:d}",
            "JACQUARD_TAG": self._target.identifier,
            "JACQUARD_SERIAL": self._target.serial,
        }
        try:
            # Standard output may be read as JSON. A separate session, so that the command's children can be terminated
            # with it.
            process = await asyncio.create_subprocess_shell(
                command.text, env=environment, stdin=DEVNULL, stdout=sys.stderr, start_new_session=True
            )
        except OSError as error:
            self._complain(f"‘{command.text}’ cannot be started: {error.strerror}")
            return
        self._running.add(process)
        status = await process.wait()
        self._running.discard(process)
        if status != 0:
            self._complain(f"‘{command.text}’ ended with status {status}")

    def _follow(self) -> None:
        if self._automations is not None:
            self._automations.follow(self._tag, self._gear)

    async def _carry_out(self, automation: Automation, gesture: Gesture) -> None:
        def ended(problem: str | None) -> None:
            if problem is not None:
                self._complain(f"‘{automation.text}’: {problem}")

        assert self._automations is not None
        await self._automations.act(automation.action, gesture, ended)

    async def __aenter__(self) -> Reactions:
        actions = [action for reaction in self._reactions for action in reaction.actions]
        automations = [action.action for action in actions if isinstance(action, Automation)]
        if automations:
            from .automations.at_gesture import AtGesture

            self._automations = AtGesture(self._target.identifier, self._target.serial, self._complain)
            await self._automations.use(automations)
        return self

    async def __aexit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in self._running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._automations is not None:
            await self._automations.close()
