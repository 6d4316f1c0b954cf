"""Loadable firmware modules."""

from __future__ import annotations

from ctypes import sizeof
from typing import Any

from ._core import arguments, convert
from ._core.checks import constructed
from ._dataclass import dataclass
from ._native import structs
from .enums import TagStatus

LARGEST = (1 << 32) - 1


@constructed
@dataclass(frozen=True)
class Module:
    """A loadable firmware module. It is identified by vendor, product and module ID."""

    vendor_id: int
    product_id: int
    module_id: int
    name: str = ""
    version: tuple[int, int, int] = (0, 0, 0)
    enabled: bool = False
    size: int = 0

    def _struct(self) -> structs.Module:
        return structs.Module(
            struct_size=sizeof(structs.Module),
            vendor_id=arguments.number("vendor_id", self.vendor_id, 0, LARGEST),
            product_id=arguments.number("product_id", self.product_id, 0, LARGEST),
            module_id=arguments.number("module_id", self.module_id, 0, LARGEST),
            name=arguments.text(self.name),
        )


@dataclass(frozen=True)
class ModuleLoad:
    """The tag's report that it has loaded a module, whichever program requested it, or failed to. `status` is OK if the
    module runs."""

    module: Module
    status: TagStatus


def modules(pointers: Any, count: int) -> list[Module]:
    return [module(pointers[index].contents) for index in range(count)]


def module(struct: Any) -> Module:
    return Module(
        vendor_id=struct.vendor_id,
        product_id=struct.product_id,
        module_id=struct.module_id,
        name=convert.text(struct.name),
        version=convert.version(struct.version),
        enabled=bool(struct.enabled),
        size=struct.size,
    )
