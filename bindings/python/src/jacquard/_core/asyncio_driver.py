"""Runs the manager's descriptor in the running asyncio loop."""

from __future__ import annotations

import collections
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Callable

from .process import Process

if TYPE_CHECKING:
    import asyncio
    import contextvars


class AsyncioDriver:
    def __init__(self) -> None:
        # A program that has a loop has loaded it; jacquard.blocking does without.
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._descriptor: int | None = None
        self._process = Process()
        self._dispatching = False
        self._resumable: collections.deque[Wait] = collections.deque()

    def create_future(self) -> Wait:
        return Wait(self._loop, self._resume)

    def attach(self, descriptor: int, dispatch: Callable[[], None]) -> None:
        def readable() -> None:
            # In a child process the watch outlives `detach`.
            if self._descriptor is None:
                return
            self._dispatching = True
            try:
                dispatch()
                while self._resumable:
                    self._resumable.popleft().step()
            finally:
                self._dispatching = False
                # After an exception that ends the loop.
                while self._resumable:
                    self._loop.call_soon(self._resumable.popleft().step)

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

    def _resume(self, wait: Wait) -> None:
        """Outside `readable` another task may be running."""
        if self._dispatching:
            self._resumable.append(wait)
        else:
            self._loop.call_soon(wait.step)


class Wait:
    """A future with one waiting task. The driver resumes the task in the turn of the loop in which the library has
    delivered something; with an asyncio.Future it would run in the next one.

    asyncio specifies with `_asyncio_future_blocking` what is like a future, and calls the methods after `get_loop`.
    """

    __slots__ = ("_asyncio_future_blocking", "_loop", "_resume", "_done", "_error", "_callback", "_context")

    def __init__(self, loop: asyncio.AbstractEventLoop, resume: Callable[[Wait], None]) -> None:
        self._asyncio_future_blocking = False
        self._loop = loop
        self._resume = resume
        self._done = False
        self._error: BaseException | None = None
        self._callback: Callable[[Any], object] | None = None
        self._context: contextvars.Context | None = None

    def done(self) -> bool:
        return self._done

    def set_result(self, result: Any) -> None:
        self._done = True
        self._resume(self)

    def __await__(self) -> Generator[Wait, None, None]:
        if not self._done:
            self._asyncio_future_blocking = True
            yield self
        self.result()

    def step(self) -> None:
        """Resumes the task until it waits again."""
        if self._callback is not None and self._context is not None:
            self._context.run(self._callback, self)

    def get_loop(self) -> asyncio.AbstractEventLoop:
        return self._loop

    def add_done_callback(self, callback: Callable[[Any], object], *, context: contextvars.Context) -> None:
        self._callback, self._context = callback, context

    def cancel(self, msg: Any = None) -> bool:
        import asyncio

        if self._done:
            return False
        self._done = True
        self._error = asyncio.CancelledError() if msg is None else asyncio.CancelledError(msg)
        self._loop.call_soon(self.step)
        return True

    def result(self) -> None:
        if self._error is not None:
            raise self._error
