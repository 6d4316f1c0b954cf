"""The services of an API: futures, a watch on the manager's descriptor, and a handler for exceptions."""

from collections.abc import Awaitable
from typing import Any, Callable, Protocol


class Future(Awaitable[None], Protocol):
    """A result to wait for, implemented by the futures of asyncio and of the blocking API."""

    def done(self) -> bool: ...

    def set_result(self, result: Any) -> None: ...


class Driver(Protocol):
    # Whether several readers may wait for one future, each in its own thread.
    shared: bool

    def create_future(self) -> Future: ...

    def attach(self, descriptor: int, dispatch: Callable[[], None]) -> None:
        """Calls `dispatch` whenever `descriptor` is readable."""

    def detach(self) -> None:
        """Stops the watch; called before the descriptor is closed."""

    async def wait_for_disk(self, function: Callable[[], object]) -> None:
        """Calls a function that may block, without keeping an event loop waiting."""

    def report(self, exception: BaseException) -> None:
        """Handles an exception from a callback, which must not propagate through the library's frames."""
