"""What an action consists of: see the folder `actions`."""

from __future__ import annotations

import abc
import dataclasses
import importlib.util
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Callable, ClassVar

if TYPE_CHECKING:
    from .resources import Resource, Resources
    from .rules import Occasion


class ActionError(Exception):
    """Why an action has not been carried out."""


@dataclasses.dataclass(frozen=True)
class Library:
    """A Python module that is not installed with jacquardctl."""

    module: str
    package: str

    @property
    def is_missing(self) -> bool:
        return importlib.util.find_spec(self.module) is None

    def __str__(self) -> str:
        return f"the package {self.package} is not installed. Run: sudo apt install {self.package}"


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of an action."""

    occasion: Occasion
    rule: str
    resources: Resources
    # For what happens after `act` has returned: why it failed, or None if it succeeded.
    ended: Callable[[str | None], None]


class Action(abc.ABC):
    """Equal actions are the same one when the file is read again."""

    libraries: ClassVar[tuple[Library, ...]] = ()
    # What it shares with other actions. Opened when the rule is read, so that the first event is not late.
    needs: ClassVar[tuple[type[Resource], ...]] = ()
    # Whether `act` returns before it has ended; the end is reported with Run.ended.
    ends_later: ClassVar[bool] = False

    @abc.abstractmethod
    async def act(self, run: Run) -> str:
        """Carries it out, or raises ActionError. Returns text to show about it, such as a new value, or ""."""

    @abc.abstractmethod
    def __str__(self) -> str:
        """As it is written in the file."""

    def problem(self) -> str | None:
        """What must be installed first."""
        return next((str(library) for library in self.libraries if library.is_missing), None)


def written(key: str, value: object, **options: object) -> str:
    """An action as it is written in the file, with the options that are not None."""
    given = [(key, value), *((name, option) for name, option in options.items() if option is not None)]
    return ", ".join(f"{name} = {toml(item)}" for name, item in given)


def toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {toml(item)}" for name, item in value.items()) + " }"
    if isinstance(value, str) or not isinstance(value, Iterable):
        return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
    return "[" + ", ".join(map(toml, value)) + "]"
