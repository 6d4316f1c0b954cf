"""Episodes in the touches of a tag in touch mode."""

from __future__ import annotations

import asyncio
from typing import Callable

from jacquard import Touch
from jacquard.touching import Timer

from .episodes import Episode, Episodes


class Attempts:
    """Calls a function with each episode of touching when it has ended."""

    def __init__(self, receive: Callable[[Episode], None]) -> None:
        self._receive = receive
        self._episodes = Episodes()
        # The tag may send nothing while it is not touched.
        self._pause = Timer(lambda: self._pass_on(self._episodes.wait(asyncio.get_running_loop().time())))

    def read(self, touch: Touch) -> None:
        self._pass_on(self._episodes.add(asyncio.get_running_loop().time(), touch.lines))

    def lost(self) -> None:
        self._episodes.cancel()
        self._pass_on(None)

    def _pass_on(self, episode: Episode | None) -> None:
        self._pause.set(self._episodes.due)
        if episode is not None:
            self._receive(episode)
