"""A connected tag."""

from __future__ import annotations

from ctypes import POINTER, byref, c_uint8
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from ._core import arguments, convert
from ._core.ask import ask, done
from ._core.calls import Reference, check
from ._core.checks import checked
from ._core.context import Context
from ._native import handles, structs
from ._native.library import library
from .component import Component
from .configuration import Configuration, configuration
from .enums import Status, ValueType
from .event_sources import data
from .module import Module, modules
from .stored_value import Value, stored_value, struct_of
from .values import Battery, TagInfo

# Loaded when used.
if TYPE_CHECKING:
    from .led import Led
    from .motion import MotionSettings, MotionStatus, Session

Answer = TypeVar("Answer")
LARGEST_ID = (1 << 32) - 1


@checked
class Tag:
    """A tag for the duration of one link. After the link is lost its commands raise StaleTagError; the connection has a
    new tag after reconnecting."""

    def __init__(self, context: Context, reference: Reference[handles.Tag]) -> None:
        self._context = context
        self._reference = reference
        info = POINTER(structs.TagInfo)()
        check(library().jacquard_tag_get_info(reference.handle, byref(info)))
        self._info = convert.tag_info(info)

    @property
    def info(self) -> TagInfo:
        """The tag's report about itself, made while connecting."""
        return self._info

    @property
    def component(self) -> Component:
        """The tag itself as a component."""
        component = handles.Component()
        check(library().jacquard_tag_get_component(self._reference.handle, byref(component)))
        return Component(self._context, Reference(component))

    @property
    def components(self) -> list[Component]:
        """The tag itself, then the gear that it is attached to, if any, as far as it is known without a request."""
        known: list[Component] = []
        while True:
            component = handles.Component()
            status = library().jacquard_tag_get_component_at(self._reference.handle, len(known), byref(component))
            if status == Status.NOT_FOUND:
                return known
            check(status)
            known.append(Component(self._context, Reference(component)))

    async def battery(self, *, timeout: float | None = None) -> Battery:
        """Reads the battery level. timeout=None, here and below: the library's default."""
        return await self._ask(
            library().jacquard_tag_read_battery,
            converted=convert.battery,
            timeout=timeout,
        )

    async def led(self, pattern: Led, *, timeout: float | None = None) -> None:
        """Plays an LED pattern on the tag itself."""
        await self.component.led(pattern, timeout=timeout)

    async def rename(self, name: str, *, timeout: float | None = None) -> None:
        """Renames the tag: 1 to 21 bytes of UTF-8. Returns when the link is down; connection.tag() is then the tag
        under its new name, as another object. UnchangedError: the tag already has this name."""
        await self._do(library().jacquard_tag_rename, arguments.text(name), timeout=timeout)

    async def request_disconnect(
        self, *, delay: float = 0, only_on_motion: bool = False, timeout: float | None = None
    ) -> None:
        """Asks the tag to drop the link after a delay in whole seconds, and optionally to stay away until it is
        moved. Without a delay, returns when the link is down."""
        seconds = arguments.number("delay", round(delay), 0, LARGEST_ID)
        await self._do(library().jacquard_tag_request_disconnect, seconds, only_on_motion, timeout=timeout)

    async def write_value(
        self,
        key: str,
        value: Value,
        *,
        type: ValueType | None = None,
        vendor_id: int = 0,
        product_id: int = 0,
        timeout: float | None = None,
    ) -> None:
        """Stores a value on the tag. type=None: the smallest type that fits. The IDs identify the owner of the key."""
        await self._do(
            library().jacquard_tag_write_value,
            *whose_key(vendor_id, product_id),
            arguments.text(key),
            byref(struct_of(value, type)),
            timeout=timeout,
        )

    async def read_value(
        self, key: str, *, vendor_id: int = 0, product_id: int = 0, timeout: float | None = None
    ) -> Value | None:
        """Reads a value stored with write_value(); None if nothing is stored."""
        return await self._ask(
            library().jacquard_tag_read_value,
            *whose_key(vendor_id, product_id),
            arguments.text(key),
            converted=stored_value,
            timeout=timeout,
        )

    async def configuration(self, *, timeout: float | None = None) -> Configuration:
        """Reads the tag's configuration."""
        return await self._ask(
            library().jacquard_tag_read_configuration,
            converted=configuration,
            timeout=timeout,
        )

    async def configure(self, changes: Configuration, *, timeout: float | None = None) -> Configuration:
        """Writes the fields that are not None; returns the configuration as the tag now reports it."""
        return await self._ask(
            library().jacquard_tag_write_configuration,
            byref(changes._struct()),
            converted=configuration,
            timeout=timeout,
        )

    async def modules(self, *, timeout: float | None = None) -> list[Module]:
        """Returns the firmware modules installed on the tag."""
        return await self._ask(
            library().jacquard_tag_list_modules,
            converted=modules,
            timeout=timeout,
        )

    async def load_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Loads a module and waits until it runs."""
        await self._do(library().jacquard_tag_load_module, byref(module._struct()), timeout=timeout)

    async def unload_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Unloads a module; it stays installed."""
        await self._do(library().jacquard_tag_unload_module, byref(module._struct()), timeout=timeout)

    async def delete_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Deletes a module from the tag."""
        await self._do(library().jacquard_tag_delete_module, byref(module._struct()), timeout=timeout)

    async def prepare_motion(self, *, timeout: float | None = None) -> None:
        """Loads the motion module unless it is already loaded. While it is loaded, motion does not wake the tag, and
        its battery drains quickly. ModuleMissingError: the tag does not have the module."""
        await self._do(library().jacquard_tag_prepare_motion, timeout=timeout)

    async def release_motion(self, *, timeout: float | None = None) -> None:
        """Unloads the motion module, so that motion wakes the tag again. CaptureInProgressError: the tag records or
        streams, possibly for another program."""
        await self._do(library().jacquard_tag_release_motion, timeout=timeout)

    async def start_recording(
        self, session: str | Session, settings: MotionSettings | None = None, *, timeout: float | None = None
    ) -> None:
        """Starts a recording on the tag, identified by a name or by several labels. It continues without a link.
        Errors: CaptureInProgressError, LowBatteryError, LowStorageError."""
        from .motion import MotionSettings, Session

        given = Session(session) if isinstance(session, str) else session
        settings = settings or MotionSettings()
        await self._do(
            library().jacquard_tag_start_recording, byref(given._struct()), byref(settings._struct()), timeout=timeout
        )

    async def stop_motion(self, *, timeout: float | None = None) -> None:
        """Stops a recording, a stream or a download, whichever program started it."""
        await self._do(library().jacquard_tag_stop_motion, timeout=timeout)

    async def motion_status(self, *, timeout: float | None = None) -> MotionStatus:
        """Reads the state of the tag's motion capture."""
        from .motion import status

        return await self._ask(
            library().jacquard_tag_read_motion_status,
            converted=status,
            timeout=timeout,
        )

    async def sessions(self, *, timeout: float | None = None) -> list[Session]:
        """Returns the recordings on the tag, oldest first. Connection.download() downloads one."""
        from .motion import sessions

        return await self._ask(
            library().jacquard_tag_list_sessions,
            converted=sessions,
            timeout=timeout,
        )

    async def erase_session(self, session: Session, *, timeout: float | None = None) -> None:
        """Erases a recording on the tag and waits until it is erased, which may take a minute. Nothing else erases
        recordings."""
        await self._do(library().jacquard_tag_erase_session, byref(session._struct()), timeout=timeout)

    async def erase_all_sessions(self, *, timeout: float | None = None) -> None:
        """Erases all recordings on the tag."""
        await self._do(library().jacquard_tag_erase_all_sessions, timeout=timeout)

    async def send_request(self, request: bytes, *, timeout: float | None = None) -> bytes:
        """Sends a serialised Request; the library fills in its ID. Returns the serialised Response, whatever its
        status."""
        return await self._ask(
            library().jacquard_tag_send_request,
            *buffer(request),
            converted=lambda pointer: data(pointer.contents),
            timeout=timeout,
        )

    async def send_raw_data(self, packet: bytes, *, timeout: float | None = None) -> None:
        """Sends a packet on the raw data channel and waits until it has been written."""
        await self._do(library().jacquard_tag_send_raw_data, *buffer(packet), timeout=timeout)

    async def _ask(
        self, function: Any, *operands: Any, converted: Callable[..., Answer], timeout: float | None
    ) -> Answer:
        return await ask(
            self._context,
            function,
            self._reference.handle,
            *operands,
            converted=converted,
            timeout=timeout,
        )

    async def _do(self, function: Any, *operands: Any, timeout: float | None) -> None:
        await self._ask(function, *operands, converted=done, timeout=timeout)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tag) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> int | None:
        return self._reference.handle.value

    def __repr__(self) -> str:
        return f"<jacquard.Tag {self._info.serial or self._info.address}>"


def whose_key(vendor_id: int, product_id: int) -> tuple[int, int]:
    return (
        arguments.number("vendor_id", vendor_id, 0, LARGEST_ID),
        arguments.number("product_id", product_id, 0, LARGEST_ID),
    )


def buffer(data: bytes) -> tuple[Any, int]:
    return (c_uint8 * len(data)).from_buffer_copy(data), len(data)
