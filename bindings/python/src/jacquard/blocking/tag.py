"""A connected tag."""

from __future__ import annotations

from .. import tag as core
from .._core.poll_driver import PollDriver
from ..configuration import Configuration
from ..enums import ValueType
from ..led import Led
from ..module import Module
from ..stored_value import Value
from ..values import Battery, TagInfo
from .component import Component


class Tag:
    """A tag during one life of its link. See jacquard.Tag."""

    def __init__(self, driver: PollDriver, tag: core.Tag) -> None:
        self._driver = driver
        self._tag = tag

    @property
    def info(self) -> TagInfo:
        """What the tag said of itself while connecting."""
        return self._tag.info

    @property
    def component(self) -> Component:
        """The tag itself as a component."""
        return Component(self._driver, self._tag.component)

    def battery(self, *, timeout: float | None = None) -> Battery:
        """Asks for the battery. None, here and below: the library's own time limit."""
        return self._driver.run(self._tag.battery(timeout=timeout))

    def led(self, pattern: Led, *, timeout: float | None = None) -> None:
        """Plays an LED pattern on the tag itself."""
        self._driver.run(self._tag.led(pattern, timeout=timeout))

    def rename(self, name: str, *, timeout: float | None = None) -> None:
        """Renames the tag; it comes back under the new name, as another tag object."""
        self._driver.run(self._tag.rename(name, timeout=timeout))

    def request_disconnect(
        self, *, delay: float = 0, only_on_motion: bool = False, timeout: float | None = None
    ) -> None:
        """Asks the tag to drop the link, in whole seconds from now, and perhaps to stay away until it is moved."""
        self._driver.run(self._tag.request_disconnect(delay=delay, only_on_motion=only_on_motion, timeout=timeout))

    def set_value(
        self,
        key: str,
        value: Value,
        *,
        type: ValueType | None = None,
        vendor_id: int = 0,
        product_id: int = 0,
        timeout: float | None = None,
    ) -> None:
        """Stores a value of one's own on the tag."""
        self._driver.run(
            self._tag.set_value(key, value, type=type, vendor_id=vendor_id, product_id=product_id, timeout=timeout)
        )

    def get_value(
        self, key: str, *, vendor_id: int = 0, product_id: int = 0, timeout: float | None = None
    ) -> Value | None:
        """Reads what set_value() stored; None when there is nothing."""
        return self._driver.run(self._tag.get_value(key, vendor_id=vendor_id, product_id=product_id, timeout=timeout))

    def configuration(self, *, timeout: float | None = None) -> Configuration:
        """Reads the tag's configuration."""
        return self._driver.run(self._tag.configuration(timeout=timeout))

    def configure(self, changes: Configuration, *, timeout: float | None = None) -> Configuration:
        """Changes what is not None; returns what the tag says it has now."""
        return self._driver.run(self._tag.configure(changes, timeout=timeout))

    def modules(self, *, timeout: float | None = None) -> list[Module]:
        """The firmware modules that are on the tag."""
        return self._driver.run(self._tag.modules(timeout=timeout))

    def load_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Loads a module, and waits until it runs."""
        self._driver.run(self._tag.load_module(module, timeout=timeout))

    def unload_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Unloads a module; it stays on the tag."""
        self._driver.run(self._tag.unload_module(module, timeout=timeout))

    def delete_module(self, module: Module, *, timeout: float | None = None) -> None:
        """Deletes a module from the tag."""
        self._driver.run(self._tag.delete_module(module, timeout=timeout))

    def send_request(self, request: bytes, *, timeout: float | None = None) -> bytes:
        """Sends a serialised Request; returns the serialised Response, whatever its status."""
        return self._driver.run(self._tag.send_request(request, timeout=timeout))

    def send_raw_data(self, packet: bytes, *, timeout: float | None = None) -> None:
        """Sends a packet on the raw data channel, and waits until it is written."""
        self._driver.run(self._tag.send_raw_data(packet, timeout=timeout))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tag) and self._tag == other._tag

    def __hash__(self) -> int:
        return hash(self._tag)

    def __repr__(self) -> str:
        return repr(self._tag)
