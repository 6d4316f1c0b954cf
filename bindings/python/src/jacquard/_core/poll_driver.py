"""Polls the manager's descriptor on the calling thread while a call waits."""

from __future__ import annotations

import collections
import select
import threading
import time
from collections.abc import Coroutine, Generator
from typing import Any, Callable, TypeVar

from ..enums import Status
from .calls import status_error
from .process import Process

Result = TypeVar("Result")


class PollFuture:
    def __init__(self) -> None:
        self._done = False

    def done(self) -> bool:
        return self._done

    def set_result(self, result: Any) -> None:
        self._done = True

    def __await__(self) -> Generator[PollFuture, None, None]:
        yield self


class PollDriver:
    def __init__(self) -> None:
        self._poll = select.poll()
        self._descriptor: int | None = None
        self._dispatch: Callable[[], None] = lambda: None
        self._in_use = threading.Lock()
        self._process = Process()
        self._exceptions: collections.deque[BaseException] = collections.deque()

    def create_future(self) -> PollFuture:
        return PollFuture()

    def attach(self, descriptor: int, dispatch: Callable[[], None]) -> None:
        self._descriptor, self._dispatch = descriptor, dispatch
        self._process = Process()
        self._poll.register(descriptor, select.POLLIN)

    def detach(self) -> None:
        descriptor, self._descriptor, self._dispatch = self._descriptor, None, lambda: None
        if descriptor is not None:
            self._poll.unregister(descriptor)

    async def wait_for_disk(self, function: Callable[[], object]) -> None:
        function()

    def report(self, exception: BaseException) -> None:
        self._exceptions.append(exception)

    def run(self, coroutine: Coroutine[PollFuture, None, Result], timeout: float | None = None) -> Result:
        """Runs a coroutine to its end. Leaving early, for example by Ctrl-C, closes it, which cancels its request."""
        if not self._process.is_this_one:
            coroutine.close()
            raise status_error(Status.FORKED)
        if not self._in_use.acquire(blocking=False):
            coroutine.close()
            raise RuntimeError("this manager is already waiting in another call")
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            while True:
                self._wait_for(coroutine.send(None), deadline)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        finally:
            coroutine.close()
            self._in_use.release()

    def _wait_for(self, future: PollFuture, deadline: float | None) -> None:
        while not future.done():
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            # poll() releases the GIL and is interrupted by Ctrl-C.
            ready = self._poll.poll(None if remaining is None else remaining * 1000)
            if not ready and remaining is not None:
                raise TimeoutError("nothing arrived in time")
            self._dispatch()
            if self._exceptions:
                raise self._exceptions.popleft()
