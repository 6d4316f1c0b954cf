"""Runs the manager's descriptor in the running asyncio loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from .process import Process

if TYPE_CHECKING:
    import asyncio


class AsyncioDriver:
    def __init__(self) -> None:
        # A program that has a loop has loaded it; jacquard.blocking does without.
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._descriptor: int | None = None
        self._process = Process()

    def create_future(self) -> asyncio.Future[Any]:
        return self._loop.create_future()

    def attach(self, descriptor: int, dispatch: Callable[[], None]) -> None:
        def readable() -> None:
            # In a child process the watch outlives `detach`.
            if self._descriptor is not None:
                dispatch()

        self._descriptor = descriptor
        self._loop.add_reader(descriptor, readable)

    def detach(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        # A child process shares the epoll set of its parent's loop.
        if descriptor is not None and self._process.is_this_one and not self._loop.is_closed():
            self._loop.remove_reader(descriptor)

    async def wait_for_disk(self, function: Callable[[], object]) -> None:
        await self._loop.run_in_executor(None, function)

    def report(self, exception: BaseException) -> None:
        if not isinstance(exception, Exception):
            raise exception
        self._loop.call_exception_handler({"message": "exception in a jacquard callback", "exception": exception})
