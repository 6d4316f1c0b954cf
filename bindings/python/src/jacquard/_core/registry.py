"""Registrations of callbacks by number.

The library receives C functions, which are kept until it calls `destroy`, and a number as user_data, never a Python
object.
"""

from __future__ import annotations

import itertools
from typing import Any, Callable

from .._native import callbacks

Report = Callable[[BaseException], None]


class Registration:
    """The C functions of one number, what to do at its end, and the handler of exceptions."""

    def __init__(self, functions: list[Any], on_end: Callable[[], None], report: Report) -> None:
        self.functions = functions
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


def c_function(type: Any, handler: Callable[..., None], report: Report) -> Any:
    """A C function of a callback type, which calls the handler without the user data. No exception leaves it."""

    def call(*arguments: Any) -> None:
        try:
            handler(*arguments[:-1])
        except BaseException as exception:
            report(exception)

    def call_with_result(*arguments: Any) -> int:
        """Like `call`, for callbacks that return whether they succeeded: 0 or another number."""
        try:
            handler(*arguments[:-1])
            return 0
        except BaseException as exception:
            report(exception)
            return 1

    return type(call if type._restype_ is None else call_with_result)


def end(number: int) -> None:
    registration = _registrations.pop(number, None)
    if registration is None:
        return
    try:
        registration.on_end()
    except BaseException as exception:
        registration.report(exception)


destroy = callbacks.DestroyCallback(end)
