"""What a face brings: futures to wait with, someone to watch the manager's descriptor, someone to tell of mistakes."""

from collections.abc import Awaitable
from typing import Any, Callable, Protocol


class Future(Awaitable[None], Protocol):
    """Something to wait for. Both asyncio's futures and the blocking face's are this."""

    def done(self) -> bool: ...

    def set_result(self, result: Any) -> None: ...


class Driver(Protocol):
    def create_future(self) -> Future: ...

    def attach(self, descriptor: int, dispatch: Callable[[], None]) -> None:
        """Call `dispatch` whenever `descriptor` is readable."""

    def detach(self) -> None:
        """Stop that; before the descriptor closes."""

    def report(self, exception: BaseException) -> None:
        """An exception came out of a callback, where the library's own frames could not carry it on."""
