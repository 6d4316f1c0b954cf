"""State that a manager shares with all its objects: the driver, the handle, and exceptions from callbacks."""

from __future__ import annotations

from typing import Any, Callable

from .._native import handles
from ..enums import Status
from .calls import Reference, callback_types, not_open, registered, start, status_error
from .driver import Driver


class Context:
    def __init__(self) -> None:
        self._driver: Driver | None = None
        self._reference: Reference[handles.Manager] | None = None
        self.exceptions: list[BaseException] = []

    def open(self, driver: Driver, reference: Reference[handles.Manager]) -> None:
        self._driver, self._reference = driver, reference

    def close(self) -> None:
        """Callbacks may run, for the last time, until this returns."""
        reference, self._reference = self._reference, None
        if reference is not None:
            self.driver.detach()
            reference.close()
            self.report_exceptions()

    @property
    def is_open(self) -> bool:
        return self._reference is not None

    @property
    def driver(self) -> Driver:
        if self._driver is None:
            raise not_open("manager")
        return self._driver

    @property
    def handle(self) -> handles.Manager:
        if self._reference is None:
            raise not_open("manager") if self._driver is None else status_error(Status.CLOSED)
        return self._reference.handle

    def start(self, function: Any, *arguments: Any, **registration: Any) -> Reference[Any]:
        """See calls.start."""
        return start(function, *arguments, report=self.exceptions.append, **registration)

    def subscribe(
        self,
        function: Any,
        handle: Any,
        converted: Callable[[int, Context], Any],
        deliver: Callable[[Any], object],
        on_end: Callable[[], None],
    ) -> Reference[handles.Subscription]:
        """Delivers events, converted from their addresses. A single function does it, because events are frequent."""
        report = self.exceptions.append

        def call(address: int, _: Any) -> None:
            try:
                deliver(converted(address, self))
            except BaseException as exception:
                report(exception)

        (callback,) = callback_types(function, 1)
        return registered(function, handle, functions=[callback(call)], on_end=on_end, report=report)

    def report_exceptions(self) -> None:
        while self.exceptions:
            self.driver.report(self.exceptions.pop(0))
