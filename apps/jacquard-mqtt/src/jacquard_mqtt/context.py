"""Things that the parts of the bridge share."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Coroutine
from typing import Any

from .publisher import Publisher
from .settings import Settings
from .topics import Topics


@dataclasses.dataclass
class Context:
    # These two are replaced when the configuration file is read again.
    settings: Settings
    topics: Topics
    publisher: Publisher
    # Starts a task that runs until it is cancelled.
    start: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]

    @property
    def discovery(self) -> str:
        """The beginning of the topics of discovery messages."""
        return f"{self.settings.home_assistant.prefix}/"
