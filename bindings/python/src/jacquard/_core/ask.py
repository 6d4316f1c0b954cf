"""Commands: sent, waited for, and withdrawn when nobody waits any more."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, sizeof
from typing import TYPE_CHECKING, Any, TypeVar

from .._native import handles, structs
from ..enums import Status
from . import arguments, convert
from .calls import status_error
from .queue import Queue

if TYPE_CHECKING:
    from ..manager import Manager

Answer = TypeVar("Answer")


def done() -> None:
    """The value of a command that only succeeds or fails."""


async def ask(
    manager: Manager,
    function: str,
    *operands: Any,
    callback: Any,
    converted: Callable[..., Answer],
    timeout: float | None,
) -> Answer:
    """Calls one of the functions that end in (options, callback, user_data, destroy, request)."""
    options = structs.RequestOptions(
        sizeof(structs.RequestOptions), 0 if timeout is None else arguments.milliseconds(timeout)
    )
    return await complete(manager, function, *operands, byref(options), callback=callback, converted=converted)


async def complete(
    manager: Manager, function: str, *operands: Any, callback: Any, converted: Callable[..., Answer]
) -> Answer:
    """Calls one of the functions that end in (callback, user_data, destroy, request). The last argument of their
    callbacks is the error."""
    answers: Queue[tuple[Answer]] = Queue(manager._driver)

    def answer(*values_and_error: Any) -> None:
        *values, error = values_and_error
        if error:
            answers.end(convert.error(error))
        else:
            answers.put((converted(*values),))

    with manager._start(
        function,
        *operands,
        handlers={callback: answer},
        on_end=answers.end,
        gives=handles.Request,
    ):
        answered = await answers.get()
    if answered is None:
        raise status_error(Status.CLOSED)
    return answered[0]
