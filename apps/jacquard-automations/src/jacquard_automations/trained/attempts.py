"""Episodes in the touches of a tag in touch mode."""

from __future__ import annotations

from typing import Callable

from jacquard import Touch
from jacquard_apps.touch.touching import Timer

from ..age import boottime
from .episodes import PAUSE, Episode, Episodes

# An episode ends after a pause, during which the tag may send no sample.
QUIET = PAUSE + 0.01


class Attempts:
    """Calls a function with each episode of touching when it has ended."""

    def __init__(self, receive: Callable[[Episode], None]) -> None:
        self._receive = receive
        self._episodes = Episodes()
        self._pause = Timer(lambda: self._pass_on(self._episodes.wait(boottime())))

    def read(self, touch: Touch) -> None:
        self._pass_on(self._episodes.add(touch.arrival, touch.lines))

    def lost(self) -> None:
        self._episodes.cancel()
        self._pass_on(None)

    def _pass_on(self, episode: Episode | None) -> None:
        self._pause.set(None if self._episodes.due is None else QUIET)
        if episode is not None:
            self._receive(episode)
