"""The tag itself, or a piece of gear that it sits in."""

from __future__ import annotations

from ctypes import POINTER, byref

from ._core import convert
from ._core.ask import ask, done
from ._core.calls import Reference, check
from ._core.context import Context
from ._native import callbacks, handles, structs
from ._native.library import library
from .enums import Capability, TouchMode
from .haptic import Haptic
from .led import Led
from .values import ComponentInfo


class Component:
    """The tag itself, or gear for as long as it stays attached: then its commands raise StaleGearError. A command for
    an ability that it lacks raises UnsupportedError."""

    def __init__(self, context: Context, reference: Reference[handles.Component]) -> None:
        self._context = context
        self._reference = reference

    @property
    def info(self) -> ComponentInfo:
        """What is known of it, without asking it."""
        info = POINTER(structs.ComponentInfo)()
        check(library().jacquard_component_get_info(self._reference.handle, byref(info)))
        return convert.component_info(info)

    def supports(self, capability: Capability) -> bool:
        return bool(check(library().jacquard_component_supports(self._reference.handle, capability)))

    async def read_info(self, *, timeout: float | None = None) -> ComponentInfo:
        """Asks it for its version and manufacturing id anew."""
        return await ask(
            self._context,
            "jacquard_component_read_info",
            self._reference.handle,
            callback=callbacks.ComponentInfoCallback,
            converted=convert.component_info,
            timeout=timeout,
        )

    async def led(self, pattern: Led, *, timeout: float | None = None) -> None:
        """Plays an LED pattern."""
        await ask(
            self._context,
            "jacquard_component_play_led",
            self._reference.handle,
            byref(pattern._struct()),
            callback=callbacks.DoneCallback,
            converted=done,
            timeout=timeout,
        )

    async def haptic(self, haptic: Haptic, *, timeout: float | None = None) -> None:
        """Vibrates."""
        await ask(
            self._context,
            "jacquard_component_play_haptic",
            self._reference.handle,
            byref(haptic._struct()),
            callback=callbacks.DoneCallback,
            converted=done,
            timeout=timeout,
        )

    async def set_touch_mode(self, mode: TouchMode, *, timeout: float | None = None) -> None:
        """Chooses between gestures, where attaching starts, and touch data."""
        await ask(
            self._context,
            "jacquard_component_set_touch_mode",
            self._reference.handle,
            mode,
            callback=callbacks.DoneCallback,
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
