"""The library through plain ctypes, as a careless program would use it."""

from __future__ import annotations

import ctypes
import os
import select
import time
from typing import Any, Callable

from jacquard._native import callbacks, handles, structs
from jacquard._native.library import library

NO_DESTROY = callbacks.DestroyCallback()
SENTINEL = 0x5EED


class Destroyed:
    """Counts the calls of one `destroy`."""

    def __init__(self) -> None:
        self.count = 0
        self.callback = callbacks.DestroyCallback(self._call)

    def _call(self, user_data: int | None) -> None:
        self.count += 1


class Calls:
    """A callback of any type that remembers its arguments' first word or value."""

    def __init__(self, type: Any, action: Callable[..., None] = lambda *arguments: None) -> None:
        self.count = 0
        self._action = action
        self.callback = type(self._call)

    def _call(self, *arguments: Any) -> None:
        self.count += 1
        self._action(*arguments)


def new_manager(bus_address: str) -> handles.Manager:
    options = structs.ManagerOptions(ctypes.sizeof(structs.ManagerOptions), 0, bus_address.encode(), None)
    manager = handles.Manager()
    assert library().jacquard_manager_new(ctypes.byref(options), ctypes.byref(manager)) == 0
    return manager


def dispatch_until(manager: handles.Manager, done: Callable[[], bool], seconds: float = 20) -> None:
    poll = select.poll()
    poll.register(library().jacquard_manager_get_fd(manager), select.POLLIN)
    deadline = time.monotonic() + seconds
    while not done():
        assert poll.poll(max(0.0, deadline - time.monotonic()) * 1000), "nothing happened in time"
        assert library().jacquard_manager_dispatch(manager) == 0


def a_callback(type: Any) -> Any:
    """A callback that does nothing and is never freed."""
    return _kept.setdefault(type, type(lambda *arguments: None))


_kept: dict[Any, Any] = {}


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def threads() -> int:
    return len(os.listdir("/proc/self/task"))
