"""What actions of all rules share, such as a connection to a bus."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from .action import Action, ActionError

if TYPE_CHECKING:
    from .file import Settings

Kind = TypeVar("Kind", bound="Resource")


class Resource:
    # Opened before it, and closed after it.
    needs: tuple[type[Resource], ...] = ()

    def __init__(self, resources: Resources) -> None:
        self._resources = resources

    async def use(self, actions: Collection[Action]) -> None:
        """Prepares for these actions. Called first, and whenever the actions have changed. Raises ActionError if it
        cannot; actions then fail with the same reason, or try again."""

    def link_lost(self, identifier: str) -> None:
        """Undoes what must not outlast the link to a tag."""

    async def finished(self) -> None:
        """Waits for what goes on after `act` has returned."""

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
