"""Find, connect to and use Jacquard tags.

This is the asyncio face; jacquard.blocking is the same without a loop.
"""

from .connection import Connection
from .enums import AdapterState, LogLevel, Phase, ScanEnd, Status
from .errors import (
    AdapterRefusedError,
    BluezUnavailableError,
    BondLostError,
    BusAddressError,
    BusUnavailableError,
    BusyError,
    ClosedError,
    ConnectFailedError,
    ConnectionLostError,
    DeviceGoneError,
    ErrorDetails,
    GattError,
    IncompleteGattError,
    InternalError,
    InvalidArgumentError,
    InvalidHandleError,
    JacquardError,
    LinkError,
    MachineError,
    MalformedResponseError,
    NoAdapterError,
    NotFoundError,
    PermissionDeniedError,
    PoweredOffError,
    ProtocolVersionError,
    StaleTagError,
    SystemResourceError,
    TagError,
    TagStatusError,
    TimeoutError,
    UsageError,
)
from .manager import Manager
from .stream import Stream
from .tag import Tag
from .values import Adapter, Advertisement, Battery, ConnectionState, TagInfo

__version__ = "0.1.0"

__all__ = [
    "Adapter",
    "AdapterRefusedError",
    "AdapterState",
    "Advertisement",
    "Battery",
    "BluezUnavailableError",
    "BondLostError",
    "BusAddressError",
    "BusUnavailableError",
    "BusyError",
    "ClosedError",
    "ConnectFailedError",
    "Connection",
    "ConnectionLostError",
    "ConnectionState",
    "DeviceGoneError",
    "ErrorDetails",
    "GattError",
    "IncompleteGattError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidHandleError",
    "JacquardError",
    "LinkError",
    "LogLevel",
    "MachineError",
    "MalformedResponseError",
    "Manager",
    "NoAdapterError",
    "NotFoundError",
    "PermissionDeniedError",
    "Phase",
    "PoweredOffError",
    "ProtocolVersionError",
    "ScanEnd",
    "StaleTagError",
    "Status",
    "Stream",
    "SystemResourceError",
    "Tag",
    "TagError",
    "TagInfo",
    "TagStatusError",
    "TimeoutError",
    "UsageError",
]
