"""Sends commands, waits for them, and cancels them when the caller stops waiting."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, sizeof
from typing import Any, TypeVar

from .._native import structs
from ..enums import Status
from . import arguments, convert
from .calls import status_error
from .context import Context
from .queue import Queue

Answer = TypeVar("Answer")


def done() -> None:
    """The value of a command without a result."""


async def ask(
    context: Context,
    function: Any,
    *operands: Any,
    converted: Callable[..., Answer],
    timeout: float | None,
) -> Answer:
    """Calls one of the functions that end in (options, callback, user_data, destroy, request)."""
    options = structs.RequestOptions(
        sizeof(structs.RequestOptions), 0 if timeout is None else arguments.milliseconds("timeout", timeout)
    )
    return await complete(context, function, *operands, byref(options), converted=converted)


async def complete(
    context: Context, function: Any, *operands: Any, converted: Callable[..., Answer]
) -> Answer:
    """Calls one of the functions that end in (callback, user_data, destroy, request). The last argument of their
    callbacks is the error."""
    answers: Queue[tuple[Answer]] = Queue(context.driver)

    def answer(*values_and_error: Any) -> None:
        *values, error = values_and_error
        if error:
            answers.end(convert.error(error))
        else:
            answers.put((converted(*values),))

    with context.start(function, *operands, handlers=[answer], on_end=answers.end):
        answered = await answers.get()
    if answered is None:
        raise status_error(Status.CLOSED)
    return answered[0]
