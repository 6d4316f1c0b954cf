"""Runs the manager's descriptor in the running asyncio loop."""

from __future__ import annotations

import asyncio
import collections
import contextvars
from typing import Any, Callable

from .process import Process


class AsyncioDriver:
    shared = False

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._descriptor: int | None = None
        self._process = Process()
        self.dispatching = False
        self.ready: collections.deque[Wait] = collections.deque()

    def create_future(self) -> Wait:
        # Without an initializer in Python, because one is created for each event.
        wait = Wait(loop=self._loop)
        wait.driver = self
        return wait

    def attach(self, descriptor: int, dispatch: Callable[[], None]) -> None:
        ready = self.ready

        def readable() -> None:
            # In a child process the watch outlives `detach`.
            if self._descriptor is None:
                return
            self.dispatching = True
            try:
                dispatch()
                while ready:
                    ready.popleft().resume()
            finally:
                self.dispatching = False
                # Not empty after an exception, which ends the loop above.
                while ready:
                    self._loop.call_soon(ready.popleft().resume)

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


# Found once, because it is called for each event.
set_result = asyncio.Future.set_result


class Wait(asyncio.Future):  # type: ignore[type-arg]  # A parameter would make each instance slower.
    """A future that one task waits for. The driver resumes the task in the same turn of the loop; asyncio would do it
    in the next one."""

    __slots__ = ("driver", "_callback", "_context")
    driver: AsyncioDriver
    _callback: Callable[[Wait], object]
    _context: contextvars.Context

    def add_done_callback(self, callback: Callable[[Any], object], *, context: contextvars.Context | None = None) -> None:
        """Called by the task. asyncio would schedule the callback itself."""
        self._callback = callback
        self._context = contextvars.copy_context() if context is None else context

    def set_result(self, result: None) -> None:
        set_result(self, result)
        driver = self.driver
        if driver.dispatching:
            driver.ready.append(self)
        else:
            # Another task may be running.
            self.get_loop().call_soon(self.resume)

    def cancel(self, msg: Any | None = None) -> bool:
        """Called by the task when it is cancelled."""
        cancelled = super().cancel(msg)
        if cancelled:
            self.get_loop().call_soon(self.resume)
        return cancelled

    def resume(self) -> None:
        self._context.run(self._callback, self)
