"""Registrations by number.

The library receives a number as user_data, never a Python object. All registrations of a callback type share one ctypes
closure, so each only needs a dictionary entry, which `destroy` removes.
"""

import functools
import itertools
from typing import Any, Callable

from .._native import callbacks

Report = Callable[[BaseException], None]


class Registration:
    """The entry of one number: handlers by callback type, and the handler of their exceptions."""

    def __init__(self, handlers: dict[Any, Callable[..., None]], on_end: Callable[[], None], report: Report) -> None:
        self.handlers = handlers
        self.on_end = on_end
        self.report = report


_registrations: dict[int, Registration] = {}
_numbers = itertools.count(1)


def register(registration: Registration) -> int:
    number = next(_numbers)
    _registrations[number] = registration
    return number


def forget(number: int) -> None:
    """Removes a registration that the library refused, for which it does not call destroy."""
    _registrations.pop(number, None)


def count() -> int:
    return len(_registrations)


@functools.cache
def trampoline(type: Any) -> Any:
    """The closure of a callback type, created on first use. Its last argument is the number."""

    def call(*arguments: Any) -> None:
        registration = _registrations.get(arguments[-1])
        if registration is None:
            return
        try:
            registration.handlers[type](*arguments[:-1])
        except BaseException as exception:
            registration.report(exception)

    def call_with_result(*arguments: Any) -> int:
        """The same for callbacks that return whether they succeeded: 0 or another number."""
        registration = _registrations.get(arguments[-1])
        if registration is None:
            return 1
        try:
            registration.handlers[type](*arguments[:-1])
            return 0
        except BaseException as exception:
            registration.report(exception)
            return 1

    def call_with_one(argument: Any, number: int) -> None:
        """The same for events; it is faster, because events are frequent."""
        registration = _registrations.get(number)
        if registration is None:
            return
        try:
            registration.handlers[type](argument)
        except BaseException as exception:
            registration.report(exception)

    if type._restype_ is not None:
        return type(call_with_result)
    return type(call_with_one if len(type._argtypes_) == 2 else call)


def end(number: int) -> None:
    registration = _registrations.pop(number, None)
    if registration is None:
        return
    try:
        registration.on_end()
    except BaseException as exception:
        registration.report(exception)


destroy = callbacks.DestroyCallback(end)
