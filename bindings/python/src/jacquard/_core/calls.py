"""Calling the library: results become exceptions, handles become references that are released once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from ctypes import byref
from types import TracebackType
from typing import Any, Callable, Generic, TypeVar

from .._native.library import library
from ..enums import Status
from ..errors import ErrorDetails, JacquardError, error_from
from . import convert
from .registry import Registration, Report, c_function, destroy, forget, register

Noun = TypeVar("Noun")


def status_error(status: int) -> JacquardError:
    code = Status(status)
    return error_from(ErrorDetails(code, library().jacquard_status_text(code).decode()))


def check(status: int) -> int:
    """Call it immediately after the function failed, because the next failure replaces the library's last error."""
    if status < 0:
        error = convert.error(library().jacquard_last_error())
        raise error if error and error.code == status else status_error(status)
    return status


def not_open(noun: str) -> RuntimeError:
    return RuntimeError(
        f"this {noun} is not open: enter it with `async with`, or `with` in jacquard.blocking; "
        "or call open(), and close() at the end"
    )


def no_callback(type: Any) -> Any:
    """NULL of a callback type."""
    return type()


def noun(type: Any) -> str:
    """The name in the header's functions: motion_reader for MotionReader."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type.__name__).lower()


class Reference(Generic[Noun]):
    """One reference to a handle of the library. It may be closed twice, and is closed when garbage-collected."""

    def __init__(self, handle: Noun) -> None:
        self._handle: Noun | None = handle
        self._unref: Callable[[Noun], Any] = getattr(library(), f"jacquard_{noun(type(handle))}_unref")

    @property
    def handle(self) -> Noun:
        if self._handle is None:
            raise status_error(Status.CLOSED)
        return self._handle

    def close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            self._unref(handle)

    def __enter__(self) -> Reference[Noun]:
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


# The functions that call back end in (callbacks, user_data, destroy, handle). They are passed as ctypes has them, with
# the types of the header.


def callback_types(function: Any, count: int) -> list[Any]:
    """The types of the callbacks of a function."""
    return list(function.argtypes[-3 - count : -3])


def start(
    function: Any,
    *arguments: Any,
    handlers: Sequence[Callable[..., None]],
    on_end: Callable[[], None],
    report: Report,
) -> Reference[Any]:
    """Calls a function that calls back; the handlers are in the order of its callbacks."""
    types = callback_types(function, len(handlers))
    functions = [c_function(type, handler, report) for type, handler in zip(types, handlers)]
    return registered(function, *arguments, functions=functions, on_end=on_end, report=report)


def registered(
    function: Any, *arguments: Any, functions: list[Any], on_end: Callable[[], None], report: Report
) -> Reference[Any]:
    """Like `start`, with C functions that let no exception through."""
    number = register(Registration(functions, on_end, report))
    handle = function.argtypes[-1]._type_()
    try:
        check(function(*arguments, *functions, number, destroy, byref(handle)))
    except BaseException:
        forget(number)
        raise
    return Reference(handle)
