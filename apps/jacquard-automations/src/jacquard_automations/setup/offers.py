"""The actions that this machine offers for a first rule."""

from __future__ import annotations

import contextlib
import dataclasses

from ..action import Action, ActionError, Resources
from ..actions import keys
from ..actions.media import PREFIX, is_player
from ..bus import DAEMON, LIBRARY, SessionBus
from ..file import action_of
from ..settings import Settings


@dataclasses.dataclass(frozen=True)
class Offer:
    text: str
    # The text between the braces in the file; "" for a command that the user types.
    action: str
    # The package that it needs.
    package: str = ""

    @property
    def read(self) -> Action | None:
        return action_of(self.action) if self.action else None

    @property
    def lack(self) -> str:
        """Why it cannot be carried out yet."""
        action = self.read
        return "" if action is None else action.problem() or action.obstacle() or ""


async def offers() -> list[Offer]:
    found = await players()
    playing = f"players: {', '.join(found)}" if found else "no player is running yet"
    return [
        Offer(f"skip the song ({playing})", 'media = "next"', LIBRARY.package),
        Offer("raise the volume", 'volume = "+5%"', "wireplumber"),
        Offer("turn to the next slide", 'key = "page-down"', keys.LIBRARY.package),
        Offer("run a command", ""),
    ]


async def players() -> list[str]:
    """The names of the players on the session bus, if there is a bus."""
    if LIBRARY.is_missing:
        return []
    resources = Resources(Settings(), lambda kind, problem: None)
    try:
        with contextlib.suppress(ActionError):
            (names,) = await resources.of(SessionBus).call(DAEMON, "/org/freedesktop/DBus", DAEMON, "ListNames")
            return sorted(name[len(PREFIX) :] for name in names if is_player(name))
    finally:
        await resources.close()
    return []
