"""The parts of an action, and what actions share: see the folder `actions`."""

from __future__ import annotations

import abc
import dataclasses
import importlib.util
import json
import math
import re
from collections.abc import Collection, Hashable, Iterable
from typing import Any, Callable, ClassVar, TypeVar

from .occasion import Occasion
from .reasons import Reason
from .settings import Settings

Kind = TypeVar("Kind", bound="Resource")


class ActionError(Exception):
    """Why an action has not been carried out."""

    reason: ClassVar[Reason] = Reason.FAILED


class PlayerAbsent(ActionError):
    reason = Reason.NO_PLAYER


class TooLate(ActionError):
    """It had to wait until its event was too old."""

    reason = Reason.BUSY


@dataclasses.dataclass(frozen=True)
class Library:
    """A Python module that is not installed with jacquardctl."""

    module: str
    package: str
    # The module's name in a newer version of the package.
    newer: str = ""

    @property
    def _found(self) -> str | None:
        names = filter(None, (self.module, self.newer))
        return next((name for name in names if importlib.util.find_spec(name) is not None), None)

    @property
    def is_missing(self) -> bool:
        return self._found is None

    def load(self) -> Any:
        """The module. Raises ActionError."""
        if self._found is None:
            raise ActionError(str(self))
        return importlib.import_module(self._found)

    def __str__(self) -> str:
        return f"the package {self.package} is not installed. Run: sudo apt install {self.package}"


@dataclasses.dataclass(frozen=True)
class Run:
    """One run of an action."""

    occasion: Occasion
    rule: str
    resources: Resources
    # Reports the end of work that continues after `act` has returned: why it failed, or None if it succeeded.
    ended: Callable[[str | None], None]
    # Equal for the runs of one rule.
    owner: Hashable = None
    # Seconds until the event is too old to begin.
    left: Callable[[], float] = lambda: math.inf


class Action(abc.ABC):
    """Equal actions are the same one when the file is read again."""

    libraries: ClassVar[tuple[Library, ...]] = ()
    # The resources that it shares with other actions. Opened when the rule is read, so that the first event is not late.
    needs: ClassVar[tuple[type[Resource], ...]] = ()
    # Whether `act` returns before it has ended; the end is reported with Run.ended.
    ends_later: ClassVar[bool] = False
    # Whether the text of the action decides which program runs, if only by keys that open a terminal.
    may_run_commands: ClassVar[bool] = False
    # The word for a volume or a wheel that follows the fader of the rule.
    FADER: ClassVar[str] = "fader"

    @property
    def needs_fader(self) -> bool:
        return False

    @abc.abstractmethod
    async def act(self, run: Run) -> str:
        """Carries it out, or raises ActionError. Returns text to show about it, such as a new value, or ""."""

    @abc.abstractmethod
    def __str__(self) -> str:
        """The action as it is written in the file."""

    def problem(self) -> str | None:
        """Names what must be installed first."""
        return next((str(library) for library in self.libraries if library.is_missing), None)

    def obstacle(self) -> str | None:
        """Why this user cannot carry it out now. Its resources report the same when they are opened."""
        return None

    async def check(self, resources: Resources) -> None:
        """Raises ActionError if what it uses cannot be reached now, such as a bus."""
        for kind in ordered(list(self.needs)):
            await resources.of(kind).check()


class Resource:
    """Something that actions of all rules share, such as a connection to a bus."""

    # Opened before it, and closed after it.
    needs: tuple[type[Resource], ...] = ()

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    async def use(self, actions: Collection[Action]) -> None:
        """Prepares for these actions. Called first, and whenever the actions have changed. Raises ActionError if it
        cannot; actions then fail with the same reason, or try again."""

    async def check(self) -> None:
        """Raises ActionError if a service that it needs cannot be reached now."""

    def link_lost(self, identifier: str) -> None:
        """Undoes what must not outlast the link to a tag."""

    async def finished(self) -> None:
        """Waits for work that continues after `act` has returned."""

    async def close(self) -> None: ...


class Resources:
    def __init__(self, settings: Settings, report: Callable[[type[Resource], str | None], None]) -> None:
        """report: why a resource cannot be used, or None if it can."""
        self.settings = settings
        self._report = report
        self._opened: dict[type[Resource], Resource] = {}

    def of(self, kind: type[Kind]) -> Kind:
        found: Any = self._opened.get(kind)
        if found is None:
            found = self._opened[kind] = kind(self)
        return found  # type: ignore[no-any-return]

    async def use(self, actions: Collection[Action], *others: type[Resource]) -> None:
        """Opens what these actions need and the others, and closes the rest."""
        wanted = ordered([*others, *(kind for action in actions for kind in action.needs)])
        for kind in reversed(list(self._opened)):
            if kind not in wanted:
                await self._opened.pop(kind).close()
        for kind in wanted:
            try:
                await self.of(kind).use([action for action in actions if kind in action.needs])
            except ActionError as error:
                self._report(kind, str(error))
            else:
                self._report(kind, None)

    def link_lost(self, identifier: str) -> None:
        for resource in self._opened.values():
            resource.link_lost(identifier)

    async def finished(self) -> None:
        for resource in list(self._opened.values()):
            await resource.finished()

    async def close(self) -> None:
        for resource in reversed(list(self._opened.values())):
            await resource.close()
        self._opened.clear()


def ordered(kinds: list[type[Resource]]) -> list[type[Resource]]:
    """Each kind once, after those that it needs."""
    found: list[type[Resource]] = []
    for kind in kinds:
        found += [one for one in [*ordered(list(kind.needs)), kind] if one not in found]
    return list(dict.fromkeys(found))


def written(key: str, value: object, /, **options: object) -> str:
    """An action as it is written in the file, with the options that are not None."""
    given = [(key, value), *((name, option) for name, option in options.items() if option is not None)]
    return ", ".join(f"{name} = {toml(item)}" for name, item in given)


def toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml_key(name)} = {toml(item)}" for name, item in value.items()) + " }"
    if isinstance(value, str) or not isinstance(value, Iterable):
        return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
    return "[" + ", ".join(map(toml, value)) + "]"


def toml_key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)
