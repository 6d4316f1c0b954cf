"""A callback for events."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from ._core.calls import Reference


class Subscription:
    """Calls its callback until it is closed, at the end of a `with` block or with close(), or until its connection
    ends."""

    def __init__(self, reference: Reference[Any]) -> None:
        self._reference = reference

    def close(self) -> None:
        """The callback is not called again. May be called more than once, even by the callback."""
        self._reference.close()

    def __enter__(self) -> Subscription:
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
