"""The parts of a kind of event: see the folder `events`."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar

from jacquard import TouchGesture, TouchPoint
from jacquard_apps.touch.fader import LAST_LINE

from .reasons import Reason
from .settings import RATE

# The facts about an event that a command gets: see Occasion.
Details = dict[str, Any]
# The first and the last line.
Lines = tuple[int, int]


def is_line(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LAST_LINE


@dataclasses.dataclass(frozen=True)
class LinkChange:
    """The link to a tag was established or lost."""

    is_up: bool


@dataclasses.dataclass(frozen=True)
class TrainedGesture:
    """A gesture that the user has taught. distance: of the touch to the nearest example, up to 1. time: when it was made,
    in CLOCK_BOOTTIME."""

    name: str
    distance: float
    time: float


@dataclasses.dataclass(frozen=True)
class Touches:
    """The points of one sample of a tag in touch mode, at least one."""

    points: Sequence[TouchPoint]


@dataclasses.dataclass(frozen=True)
class GestureWhileHeld:
    """A gesture that is derived from the other touches while one rests on these lines."""

    held: Lines
    gesture: TouchGesture


class Watch:
    """The memory of a trigger about one tag. Times are CLOCK_BOOTTIME."""

    # When `elapsed` must be called, unless an event changes it.
    due: float | None = None
    # Whether that is the time of an event, which can be too old, and not of a state that lasts.
    is_event: ClassVar[bool] = False
    # How often the rule may run in one second.
    rate: int = RATE
    # Why the rule does not run although its event was nearly this one; set by `take`.
    refusal: Reason | None = None

    def take(self, event: Any, now: float) -> Details | None:
        """event: Gesture, TrainedGesture, Gear, Battery, Touches, TouchGesture or LinkChange. Returns the details if the rule has to run."""
        return None

    def elapsed(self, now: float) -> Details | None:
        self.due = None
        return None


class Trigger(abc.ABC):
    """The event of a rule. Equal triggers keep their memory when the file is read again."""

    # Whether taught gestures must be recognised.
    needs_trained: ClassVar[bool] = False
    # Whether the details have a value, which actions can use.
    has_value: ClassVar[bool] = False
    # The lines that must be held meanwhile.
    held: Lines | None = None

    @property
    def needs_touches(self) -> bool:
        """Whether the tag must be in touch mode."""
        return self.held is not None

    @property
    def needs_gear(self) -> bool:
        return self.needs_touches

    @abc.abstractmethod
    def watch(self) -> Watch: ...

    def problem(self) -> str | None:
        """Names what must be there first."""
        return None

    @abc.abstractmethod
    def __str__(self) -> str: ...
