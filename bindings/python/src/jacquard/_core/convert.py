"""Converts the library's structs to values. They are valid during one callback only, so everything is copied."""

from __future__ import annotations

import datetime
from typing import Any

from ..enums import AdapterState, Capability, Status, TagStatus
from ..errors import ErrorDetails, JacquardError, error_from
from ..values import Adapter, Advertisement, Battery, ComponentInfo, KnownTag, TagInfo

RSSI_UNKNOWN = 127


def text(value: bytes | None) -> str:
    return (value or b"").decode(errors="replace")


def optional_text(value: bytes | None) -> str | None:
    return None if value is None else text(value)


def version(numbers: Any) -> tuple[int, int, int]:
    major, minor, point = numbers
    return major, minor, point


def error(pointer: Any) -> JacquardError | None:
    if not pointer:
        return None
    struct = pointer.contents
    return error_from(
        ErrorDetails(
            code=Status(struct.code),
            message=text(struct.message),
            advice=text(struct.advice),
            system_errno=struct.system_errno,
            att_code=struct.att_code,
            tag_status=TagStatus(struct.tag_status),
            tag_status_name=optional_text(struct.tag_status_name),
            dbus_name=optional_text(struct.dbus_name),
        )
    )


def adapter(pointer: Any) -> Adapter:
    struct = pointer.contents
    return Adapter(AdapterState(struct.state), text(struct.address), text(struct.name), error(struct.error))


def advertisement(pointer: Any) -> Advertisement:
    struct = pointer.contents
    return Advertisement(
        identifier=text(struct.identifier),
        serial=text(struct.serial),
        name=text(struct.name),
        address=text(struct.address),
        rssi=None if struct.rssi == RSSI_UNKNOWN else struct.rssi,
        bonded=bool(struct.bonded),
        connected=bool(struct.connected),
    )


def advertisements(pointers: Any, count: int) -> list[Advertisement]:
    return [advertisement(pointers[index]) for index in range(count)]


def battery(pointer: Any) -> Battery:
    struct = pointer.contents
    return Battery(struct.percent, bool(struct.charging))


def tag_info(pointer: Any) -> TagInfo:
    struct = pointer.contents
    return TagInfo(
        identifier=text(struct.identifier),
        address=text(struct.address),
        name=text(struct.name),
        serial=text(struct.serial),
        uuid=text(struct.uuid),
        vendor=text(struct.vendor),
        model=text(struct.model),
        vendor_id=struct.vendor_id,
        product_id=struct.product_id,
        revision=struct.revision,
        firmware=version(struct.firmware),
        bootloader=version(struct.bootloader),
        faulty_firmware=bool(struct.faulty_firmware),
    )


def component_info(pointer: Any) -> ComponentInfo:
    struct = pointer.contents
    return ComponentInfo(
        id=struct.id,
        vendor_id=struct.vendor_id,
        product_id=struct.product_id,
        vendor=text(struct.vendor),
        product=text(struct.product),
        vendor_text=text(struct.vendor_text),
        product_text=text(struct.product_text),
        capabilities=Capability(struct.capabilities),
        uuid=text(struct.uuid),
        firmware=version(struct.firmware),
    )


def known_tag(pointer: Any) -> KnownTag:
    struct = pointer.contents
    return KnownTag(
        identifier=text(struct.identifier),
        address=text(struct.address),
        serial=text(struct.serial),
        name=text(struct.name),
        owner=text(struct.owner) or None,
        profile={
            text(struct.profile[index].key): text(struct.profile[index].value) for index in range(struct.profile_count)
        },
        bound_at=moment(struct.bound_at),
        last_connected=moment(struct.last_connected),
        wanted=bool(struct.wanted),
    )


def known_tags(pointers: Any, count: int) -> list[KnownTag]:
    return [known_tag(pointers[index]) for index in range(count)]


def moment(seconds: int) -> datetime.datetime:
    """The file may contain any number, including times outside datetime's range."""
    start = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    try:
        return start + datetime.timedelta(seconds=seconds)
    except OverflowError:
        return start
