"""Immutable copies of the library's structs."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Generic, TypeVar

from ._dataclass import dataclass
from .enums import AdapterState, Capability, DisconnectReason, Phase
from .errors import JacquardError

AnyTag = TypeVar("AnyTag", covariant=True)
AnyConnection = TypeVar("AnyConnection", covariant=True)


@dataclass(frozen=True)
class Adapter:
    """The adapter in use, or why there is none."""

    state: AdapterState
    address: str
    name: str
    error: JacquardError | None = None

    @property
    def usable(self) -> bool:
        return self.state is AdapterState.POWERED_ON


@dataclass(frozen=True)
class Advertisement:
    """A tag that was found. `rssi` is None if its signal strength is unknown."""

    identifier: str
    serial: str
    name: str
    address: str
    rssi: int | None
    bonded: bool
    connected: bool


@dataclass(frozen=True)
class ConnectionState(Generic[AnyTag]):
    """The state of a connection. `tag` is set when the phase is CONNECTED, a new one after each reconnection. `reason`
    is why the last attempt or link ended, `disconnect_reason` why the last link ended. `service_process` is the
    process of the service if this program uses the tag through it."""

    phase: Phase
    step: int
    total_steps: int
    attempt: int
    tag: AnyTag | None = None
    reason: JacquardError | None = None
    disconnect_reason: DisconnectReason = DisconnectReason.NONE
    identifier: str = ""
    service_process: int | None = None


@dataclass(frozen=True)
class TagInfo:
    """The tag's report about itself, made while connecting."""

    identifier: str
    address: str
    name: str
    serial: str
    uuid: str
    vendor: str
    model: str
    vendor_id: int
    product_id: int
    revision: int
    firmware: tuple[int, int, int]
    bootloader: tuple[int, int, int]
    # Firmware that the vendor's programs replaced before they connected.
    faulty_firmware: bool = False


@dataclass(frozen=True)
class Battery:
    """The tag's battery, which is also delivered as an event."""

    percent: int
    charging: bool

    def __str__(self) -> str:
        return f"{self.percent}%, charging" if self.charging else f"{self.percent}%"


@dataclass(frozen=True)
class ComponentInfo:
    """Information about the tag itself or its gear. `id` is only valid for one attachment."""

    id: int
    vendor_id: int
    product_id: int
    vendor: str
    product: str
    vendor_text: str
    product_text: str
    capabilities: Capability
    uuid: str
    firmware: tuple[int, int, int]


@dataclass(frozen=True)
class Counters:
    """Counts of data that a connection has received and dropped since it was created."""

    links: int
    notifications: int
    responses: int
    raw_packets: int
    dropped_fragments: int
    dropped_notifications: int
    dropped_responses: int
    dropped_copies: int
    doubtful_values: int
    interruptions: int


@dataclass(frozen=True)
class KnownTag:
    """A tag that is bound to this machine. `owner` is None if it has none. `wanted` is True if it is wanted under the
    manager's restore_id."""

    identifier: str
    address: str
    serial: str
    name: str
    owner: str | None
    profile: Mapping[str, str]
    bound_at: datetime.datetime
    last_connected: datetime.datetime
    wanted: bool


@dataclass(frozen=True)
class Restoration(Generic[AnyConnection]):
    """A tag that was wanted when the last manager with this restore_id ended. `known` is None if it is not bound here;
    `connection` is None unless the manager has auto_connect."""

    identifier: str
    known: KnownTag | None = None
    connection: AnyConnection | None = None
