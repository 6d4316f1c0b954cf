"""Firmware: images, and updates of a tag, its gear and its modules."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_uint8, c_uint32, cast, sizeof
from typing import Any

from ._core import arguments, convert
from ._core.calls import Reference, check, status_error
from ._core.checks import constructed
from ._core.context import Context
from ._core.queue import Queue
from ._dataclass import dataclass
from ._native import handles, structs
from ._native.library import library
from .enums import Status, UpdateMode, UpdateOutcome, UpdatePhase

LARGEST = 0xFFFFFFFF
UNKNOWN = -1


@constructed
class Firmware:
    """A firmware image, read and checked as a whole. Created by read() or from bytes; what it is for comes from the
    arguments, from a manifest, or from both, which must then agree."""

    def __init__(
        self,
        data: bytes,
        *,
        vendor_id: int | None = None,
        product_id: int | None = None,
        module_id: int = 0,
        version: tuple[int, int, int] | None = None,
        manifest: str | None = None,
    ) -> None:
        """data: as the tag stores it. manifest: the text of a manifest."""
        source = identified(vendor_id, product_id, module_id, version, manifest)
        bytes_in_c = (c_uint8 * len(data)).from_buffer_copy(data) if data else (c_uint8 * 1)()
        source.data, source.data_size = cast(bytes_in_c, POINTER(c_uint8)), len(data)
        self._load(source)

    def _load(self, source: structs.FirmwareSource) -> None:
        handle = handles.Firmware()
        check(library().jacquard_firmware_new(byref(source), byref(handle)))
        self._reference = Reference(handle)
        pointer = POINTER(structs.FirmwareInfo)()
        check(library().jacquard_firmware_get_info(handle, byref(pointer)))
        info = pointer.contents
        self.vendor_id: int = info.vendor_id
        self.product_id: int = info.product_id
        self.module_id: int = info.module_id
        self.version: tuple[int, int, int] = convert.version(info.version)
        self.size: int = info.size
        self.checksum: int = info.checksum
        self.sha256: str = bytes(info.sha256).hex()

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        vendor_id: int | None = None,
        product_id: int | None = None,
        module_id: int = 0,
        version: tuple[int, int, int] | None = None,
        manifest: str | None = None,
    ) -> Firmware:
        """Reads a file, and the manifest beside it, if there is one: the same name with .json appended."""
        firmware = cls.__new__(cls)
        source = identified(vendor_id, product_id, module_id, version, manifest)
        source.path = arguments.text(os.fspath(path))
        firmware._load(source)
        return firmware

    @property
    def manifest(self) -> str:
        """The text of a manifest of this image."""
        members: dict[str, Any] = {"vendor_id": part(self.vendor_id), "product_id": part(self.product_id)}
        if self.module_id:
            members["module_id"] = part(self.module_id)
        members["version"] = ".".join(map(str, self.version))
        members.update(size=self.size, sha256=self.sha256, crc16=self.checksum)
        return json.dumps(members, indent=2) + "\n"

    def __repr__(self) -> str:
        version = ".".join(map(str, self.version))
        return f"<Firmware {part(self.vendor_id)} {part(self.product_id)} {version}, {self.size} bytes>"


def part(number: int) -> str:
    """An ID as manifests have it: 11-78-30-c8."""
    return number.to_bytes(4, "big").hex("-")


def identified(
    vendor_id: int | None,
    product_id: int | None,
    module_id: int,
    version: tuple[int, int, int] | None,
    manifest: str | None,
) -> structs.FirmwareSource:
    source = structs.FirmwareSource(struct_size=sizeof(structs.FirmwareSource), manifest=arguments.text(manifest))
    if vendor_id is None and product_id is None and version is None and not module_id:
        return source
    if vendor_id is None or product_id is None or version is None:
        raise TypeError("vendor_id, product_id and version are stated together, or all in a manifest")
    source.identified = 1
    source.vendor_id = arguments.number("vendor_id", vendor_id, 0, LARGEST)
    source.product_id = arguments.number("product_id", product_id, 0, LARGEST)
    source.module_id = arguments.number("module_id", module_id, 0, LARGEST)
    source.version = (c_uint32 * 3)(*[arguments.number("version", number, 0, LARGEST) for number in version])
    return source


@dataclass(frozen=True)
class UpdateProgress:
    """The progress of an update. `image` is the index of the image; `rate` is in bytes per second, and `remaining` in
    seconds: None while they are not known."""

    phase: UpdatePhase
    image: int
    done: int
    total: int
    rate: float | None
    remaining: float | None


@dataclass(frozen=True)
class UpdateResult:
    """The outcome of an image. `stored`: how many of its bytes are on the tag. `stale_services`: bluetoothd uses the
    services of the previous firmware; restart it, or bind the tag again."""

    outcome: UpdateOutcome
    before: tuple[int, int, int]
    after: tuple[int, int, int]
    stored: int
    stale_services: bool = False


async def update(
    context: Context,
    connection: handles.Connection,
    images: Sequence[Firmware],
    options: structs.UpdateOptions,
    progress: Callable[[UpdateProgress], object] | None,
) -> list[UpdateResult]:
    ends: Queue[list[UpdateResult]] = Queue(context.driver)

    def advance(pointer: Any) -> None:
        if progress is not None:
            progress(progress_of(pointer.contents))

    def end(results: Any, count: int, error: Any) -> None:
        if error:
            ends.end(convert.error(error))
        else:
            ends.put([result_of(results[index].contents) for index in range(count)])

    given = (handles.Firmware * len(images))(*[image._reference.handle for image in images])
    with context.start(
        library().jacquard_connection_update_firmware,
        connection,
        given,
        len(images),
        byref(options),
        handlers=[advance, end],
        on_end=ends.end,
    ):
        results = await ends.get()
    if results is None:
        raise status_error(Status.CLOSED)
    return results


def options_of(mode: UpdateMode, allow_downgrade: bool, overwrite: bool, least_battery: int) -> structs.UpdateOptions:
    return structs.UpdateOptions(
        struct_size=sizeof(structs.UpdateOptions),
        mode=mode,
        allow_downgrade=allow_downgrade,
        overwrite=overwrite,
        least_battery=arguments.number("least_battery", least_battery, 10, 100),
    )


def progress_of(struct: Any) -> UpdateProgress:
    return UpdateProgress(
        phase=UpdatePhase(struct.phase),
        image=struct.image,
        done=struct.stored,
        total=struct.total,
        rate=struct.bytes_per_second or None,
        remaining=None if struct.seconds_left == UNKNOWN else struct.seconds_left,
    )


def result_of(struct: Any) -> UpdateResult:
    return UpdateResult(
        outcome=UpdateOutcome(struct.outcome),
        before=convert.version(struct.before),
        after=convert.version(struct.after),
        stored=struct.stored,
        stale_services=bool(struct.stale_services),
    )
