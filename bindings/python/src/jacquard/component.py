"""The tag itself, or the gear that it is attached to."""

from __future__ import annotations

from ctypes import POINTER, byref
from typing import TYPE_CHECKING

from ._core import convert
from ._core.ask import ask, done
from ._core.calls import Reference, check
from ._core.checks import checked
from ._core.context import Context
from ._native import handles, structs
from ._native.library import library
from .enums import Capability, TouchMode
from .values import ComponentInfo

# Loaded when used.
if TYPE_CHECKING:
    from .haptic import Haptic
    from .led import Led


@checked
class Component:
    """The tag itself, or its gear while it is attached; after that its commands raise StaleGearError. A command that
    requires a missing capability raises UnsupportedError."""

    def __init__(self, context: Context, reference: Reference[handles.Component]) -> None:
        self._context = context
        self._reference = reference

    @property
    def info(self) -> ComponentInfo:
        """Information about the component, available without a request."""
        info = POINTER(structs.ComponentInfo)()
        check(library().jacquard_component_get_info(self._reference.handle, byref(info)))
        return convert.component_info(info)

    def supports(self, capability: Capability) -> bool:
        return capability in self.info.capabilities

    async def read_info(self, *, timeout: float | None = None) -> ComponentInfo:
        """Re-reads the component's version and manufacturing ID."""
        return await ask(
            self._context,
            library().jacquard_component_read_info,
            self._reference.handle,
            converted=convert.component_info,
            timeout=timeout,
        )

    async def led(self, pattern: Led, *, timeout: float | None = None) -> None:
        """Plays an LED pattern."""
        await ask(
            self._context,
            library().jacquard_component_play_led,
            self._reference.handle,
            byref(pattern._struct()),
            converted=done,
            timeout=timeout,
        )

    async def haptic(self, haptic: Haptic, *, timeout: float | None = None) -> None:
        """Plays a vibration."""
        await ask(
            self._context,
            library().jacquard_component_play_haptic,
            self._reference.handle,
            byref(haptic._struct()),
            converted=done,
            timeout=timeout,
        )

    async def set_touch_mode(self, mode: TouchMode, *, timeout: float | None = None) -> None:
        """Selects gestures, the mode of newly attached gear, or touch data."""
        await ask(
            self._context,
            library().jacquard_component_set_touch_mode,
            self._reference.handle,
            mode,
            converted=done,
            timeout=timeout,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Component) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> int | None:
        return self._reference.handle.value

    def __repr__(self) -> str:
        info = self.info
        return f"<jacquard.Component {info.product or info.product_text}>"
