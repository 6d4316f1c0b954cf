"""A connected tag."""

from __future__ import annotations

from ctypes import POINTER, byref, sizeof
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from ._core import arguments, convert
from ._core.calls import Reference, check, status_error
from ._core.queue import Queue
from ._native import callbacks, handles, structs
from ._native.library import library
from .enums import Status
from .values import Battery, TagInfo

if TYPE_CHECKING:
    from .manager import Manager

Answer = TypeVar("Answer")


class Tag:
    """A tag during one life of its link. After the link is lost its commands raise StaleTagError; the connection has
    a new tag when it is back."""

    def __init__(self, manager: Manager, reference: Reference[handles.Tag]) -> None:
        self._manager = manager
        self._reference = reference
        info = POINTER(structs.TagInfo)()
        check(library().jacquard_tag_get_info(reference.handle, byref(info)))
        self._info = convert.tag_info(info)

    @property
    def info(self) -> TagInfo:
        """What the tag said of itself while connecting."""
        return self._info

    async def battery(self, *, timeout: float | None = None) -> Battery:
        """Asks for the battery. None: the library's own time limit."""
        return await self._ask("jacquard_tag_read_battery", callbacks.BatteryCallback, convert.battery, timeout)

    async def _ask(
        self, function: str, callback: Any, converted: Callable[[Any], Answer], timeout: float | None
    ) -> Answer:
        """Sends a command and waits for its answer; leaving early withdraws it."""
        options = structs.RequestOptions(
            sizeof(structs.RequestOptions), 0 if timeout is None else arguments.milliseconds(timeout)
        )
        answers: Queue[Answer] = Queue(self._manager._driver)

        def answer(value: Any, error: Any) -> None:
            if error:
                answers.end(convert.error(error))
            else:
                answers.put(converted(value))

        with self._manager._start(
            function,
            self._reference.handle,
            byref(options),
            handlers={callback: answer},
            on_end=answers.end,
            gives=handles.Request,
        ):
            value = await answers.get()
        if value is None:
            raise status_error(Status.CLOSED)
        return value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tag) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> int | None:
        return self._reference.handle.value

    def __repr__(self) -> str:
        return f"<jacquard.Tag {self._info.serial or self._info.address}>"
