"""Polls the manager's descriptor on one of the threads that wait."""

from __future__ import annotations

import collections
import os
import select
import threading
import time
from collections.abc import Coroutine, Generator
from typing import Any, Callable, TypeVar

from ..enums import Status
from .calls import status_error
from .process import Process

Result = TypeVar("Result")
# Seconds after the own limit of a command, which ends it first, with an error that says more.
LATER = 0.25


class PollFuture:
    def __init__(self, wake: Callable[[PollFuture], None]) -> None:
        self._done = False
        self._wake = wake

    def done(self) -> bool:
        return self._done

    def set_result(self, result: Any) -> None:
        """Any thread may call it, with or without its turn."""
        self._done = True
        self._wake(self)

    def __await__(self) -> Generator[PollFuture, None, None]:
        yield self


class Follower:
    """A thread that waits while another one polls."""

    def __init__(self, future: PollFuture) -> None:
        self.future = future
        self.changed = threading.Event()


class Pipe:
    """Ends the poll() of another thread. It is closed when no thread has it any more."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        os.set_blocking(self.reader, False)
        os.set_blocking(self._writer, False)

    def fill(self) -> None:
        try:
            os.write(self._writer, b"\0")
        except BlockingIOError:
            pass  # it is full

    def empty(self) -> None:
        os.read(self.reader, 4096)

    def __del__(self) -> None:
        os.close(self.reader)
        os.close(self._writer)


class PollDriver:
    """Threads take turns: one at a time runs code of this package. A thread that waits leaves its turn to others. The
    first of them polls and dispatches for all; when its own call has ended, another one does."""

    shared = True

    def __init__(self) -> None:
        self._descriptor: int | None = None
        self._dispatch: Callable[[], None] = lambda: None
        self._exceptions: collections.deque[BaseException] = collections.deque()
        self._begin()

    def _begin(self) -> None:
        self._process = Process()
        self._turn = threading.RLock()
        self._poll = select.poll()
        self._pipe: Pipe | None = None
        # The future for which the polling thread waits.
        self._polling: PollFuture | None = None
        self._followers: list[Follower] = []

    @property
    def turn(self) -> threading.RLock:
        """Held by methods that do not wait. In a child process another thread of the parent may have it for ever."""
        return self._turn if self._process.is_this_one else threading.RLock()

    def create_future(self) -> PollFuture:
        return PollFuture(self._wake)

    def attach(self, descriptor: int, dispatch: Callable[[], None]) -> None:
        if not self._process.is_this_one:
            self._begin()
        self._descriptor, self._dispatch = descriptor, dispatch
        self._poll.register(descriptor, select.POLLIN)
        if self._pipe is None:
            self._pipe = Pipe()
            self._poll.register(self._pipe.reader, select.POLLIN)

    def detach(self) -> None:
        descriptor, self._descriptor, self._dispatch = self._descriptor, None, lambda: None
        if descriptor is not None:
            self._poll.unregister(descriptor)
            self._drop_pipe()

    async def wait_for_disk(self, function: Callable[[], object]) -> None:
        function()

    def report(self, exception: BaseException) -> None:
        self._exceptions.append(exception)

    def run(
        self, coroutine: Coroutine[PollFuture, None, Result], timeout: float | None = None, *, limited: float | None = None
    ) -> Result:
        """Runs a coroutine to its end. Leaving early, for example by Ctrl-C, closes it, which cancels its request.

        limited: instead of `timeout` for a coroutine with a limit of its own, which begins when its command is sent.
        """
        if not self._process.is_this_one:
            coroutine.close()
            raise status_error(Status.FORKED)
        if self._has_turn():
            coroutine.close()
            raise RuntimeError("a callback cannot wait: call this when it has returned, or in another thread")
        limit = timeout if limited is None else limited + LATER
        deadline = None if limit is None else time.monotonic() + limit
        try:
            self._take_turn(timeout if limited is None else limited)
            while True:
                self._wait_for(coroutine.send(None), deadline, is_command=limited is not None)
        except StopIteration as stop:
            result: Result = stop.value
            return result
        finally:
            coroutine.close()
            # Ctrl-C may come just before or just after it took the turn.
            if self._has_turn():
                if self._polling is None and self._followers:
                    self._followers[0].changed.set()
                self._turn.release()

    def _take_turn(self, timeout: float | None) -> None:
        """Waits for at least a millisecond, as in the library: others mostly have the turn for less."""
        seconds = -1 if timeout is None else min(max(0.001, float(timeout)), threading.TIMEOUT_MAX)
        if not self._turn.acquire(timeout=seconds):
            raise status_error(Status.TIMEOUT)

    # Made for threading.Condition.

    def _has_turn(self) -> bool:
        return bool(self._turn._is_owned())  # type: ignore[attr-defined]

    def _without_turn(self, wait: Callable[[Any], Any], argument: Any) -> Any:
        """Calls a function that waits. Ctrl-C ends it, but not the wait for the turn."""
        state = self._turn._release_save()  # type: ignore[attr-defined]
        try:
            return wait(argument)
        finally:
            self._turn._acquire_restore(state)  # type: ignore[attr-defined]

    def _wait_for(self, future: PollFuture, deadline: float | None, *, is_command: bool) -> None:
        late = False
        while not future.done():
            if late:
                raise status_error(Status.TIMEOUT) if is_command else TimeoutError("nothing arrived in time")
            remaining = None if deadline is None else max(0.0, deadline - time.monotonic())
            late = remaining == 0
            if self._polling is None:
                self._lead(future, remaining)
            else:
                self._follow(future, remaining)

    def _lead(self, future: PollFuture, remaining: float | None) -> None:
        self._polling = future
        try:
            # Nothing ends poll() for a future that was done before `_polling` was set.
            milliseconds = 0 if future.done() else None if remaining is None else remaining * 1000
            ready = self._without_turn(self._poll.poll, milliseconds)
        finally:
            self._polling = None
            self._drop_pipe()
        for descriptor, _ in ready:
            if self._pipe is not None and descriptor == self._pipe.reader:
                self._pipe.empty()
            elif descriptor == self._descriptor:
                self._dispatch()
        if self._exceptions:
            raise self._exceptions.popleft()

    def _follow(self, future: PollFuture, remaining: float | None) -> None:
        follower = Follower(future)
        self._followers.append(follower)
        try:
            # It may have been done before the follower was listed.
            if not future.done():
                self._without_turn(follower.changed.wait, remaining)
        finally:
            self._followers.remove(follower)

    def _wake(self, future: PollFuture) -> None:
        """Called without the turn, because the library may be waiting for this callback."""
        for follower in tuple(self._followers):
            if follower.future is future:
                follower.changed.set()
        pipe = self._pipe
        if self._polling is future and pipe is not None:
            pipe.fill()

    def _drop_pipe(self) -> None:
        """Drops the pipe, unless a thread polls, or is about to."""
        if self._pipe is not None and self._polling is None and self._descriptor is None:
            self._poll.unregister(self._pipe.reader)
            self._pipe = None
