"""The tag itself, or a piece of gear that it sits in."""

from __future__ import annotations

from .. import component as core
from .._core.poll_driver import PollDriver
from ..enums import Capability, TouchMode
from ..haptic import Haptic
from ..led import Led
from ..values import ComponentInfo


class Component:
    """The tag itself, or gear for as long as it stays attached. See jacquard.Component."""

    def __init__(self, driver: PollDriver, component: core.Component) -> None:
        self._driver = driver
        self._component = component

    @property
    def info(self) -> ComponentInfo:
        """What is known of it, without asking it."""
        return self._component.info

    def supports(self, capability: Capability) -> bool:
        return self._component.supports(capability)

    def read_info(self, *, timeout: float | None = None) -> ComponentInfo:
        """Asks it for its version and manufacturing id anew."""
        return self._driver.run(self._component.read_info(timeout=timeout))

    def led(self, pattern: Led, *, timeout: float | None = None) -> None:
        """Plays an LED pattern."""
        self._driver.run(self._component.led(pattern, timeout=timeout))

    def haptic(self, haptic: Haptic, *, timeout: float | None = None) -> None:
        """Vibrates."""
        self._driver.run(self._component.haptic(haptic, timeout=timeout))

    def set_touch_mode(self, mode: TouchMode, *, timeout: float | None = None) -> None:
        """Chooses between gestures, where attaching starts, and touch data."""
        self._driver.run(self._component.set_touch_mode(mode, timeout=timeout))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Component) and self._component == other._component

    def __hash__(self) -> int:
        return hash(self._component)

    def __repr__(self) -> str:
        return repr(self._component)
