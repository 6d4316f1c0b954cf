"""What can go wrong: one exception per status, in the header's four families.

Generated from jacquard.h by bindings/python/generator; do not edit.
"""

from __future__ import annotations

import builtins

from .enums import Status
from .error import (
    ErrorDetails,
    JacquardError,
    LinkError,
    MachineError,
    TagError,
    UsageError,
)

__all__ = [
    "AdapterRefusedError",
    "BluezUnavailableError",
    "BondLostError",
    "BusAddressError",
    "BusUnavailableError",
    "BusyError",
    "ClosedError",
    "ConnectFailedError",
    "ConnectionLostError",
    "DeviceGoneError",
    "ErrorDetails",
    "ForkedError",
    "GattError",
    "InUseError",
    "IncompleteGattError",
    "InternalError",
    "InvalidArgumentError",
    "InvalidHandleError",
    "JacquardError",
    "LinkError",
    "MachineError",
    "MalformedResponseError",
    "NoAdapterError",
    "NotBoundError",
    "NotFoundError",
    "OtherOwnerError",
    "PairingRefusedError",
    "PermissionDeniedError",
    "PoweredOffError",
    "ProtocolVersionError",
    "StaleGearError",
    "StaleTagError",
    "StateFileError",
    "SystemResourceError",
    "TagError",
    "TagStatusError",
    "TimeoutError",
    "UnchangedError",
    "UnsupportedError",
    "UsageError",
    "WrongCodeError",
]


class InvalidArgumentError(UsageError, ValueError):
    """An argument is NULL, malformed, of unknown size or out of range."""


class InvalidHandleError(UsageError):
    """Given back already, never handed out, or of another noun."""


class BusyError(UsageError):
    """Dispatch is running already, or the loop has a thread of its own."""


class ClosedError(UsageError):
    """The manager, connection or scan that this belongs to has ended."""


class SystemResourceError(UsageError):
    """The kernel refused a resource; see details.system_errno."""


class TimeoutError(UsageError, builtins.TimeoutError):
    """No answer within the deadline."""


class InternalError(UsageError):
    """A mistake of this library; please report it."""


class ForkedError(UsageError):
    """The object belongs to the process before fork()."""


class BusAddressError(MachineError):
    """The D-Bus address is malformed or not of a unix: transport."""


class BusUnavailableError(MachineError):
    """No D-Bus daemon answers at the address."""


class BluezUnavailableError(MachineError):
    """Nobody owns org.bluez: bluetoothd does not run."""


class PermissionDeniedError(MachineError):
    """The bus policy or bluetoothd refuses this user."""


class NoAdapterError(MachineError):
    """No Bluetooth adapter, or not the one asked for."""


class PoweredOffError(MachineError):
    """The adapter is switched off."""


class AdapterRefusedError(MachineError):
    """The controller refuses to scan or connect for now."""


class StateFileError(MachineError):
    """The known tags cannot be read or written; see message and details.system_errno."""


class NotFoundError(LinkError):
    """The tag was not seen in time."""


class ConnectFailedError(LinkError):
    """The link could not be made."""


class ConnectionLostError(LinkError):
    """The link was there and is gone."""


class DeviceGoneError(LinkError):
    """BlueZ forgot the device in between."""


class IncompleteGattError(LinkError):
    """The Jacquard service or one of its characteristics is missing."""


class BondLostError(LinkError):
    """The tag no longer knows the bond that this machine has."""


class GattError(LinkError):
    """A GATT operation failed; see details.att_code."""


class StaleTagError(LinkError):
    """This tag object belongs to a link that has ended."""


class StaleGearError(LinkError):
    """This gear was taken off the tag."""


class WrongCodeError(LinkError):
    """The code is not that of the tag's serial number."""


class PairingRefusedError(LinkError):
    """The tag or bluetoothd refused to pair."""


class OtherOwnerError(LinkError):
    """The tag is bound to another owner on this machine."""


class NotBoundError(LinkError):
    """The tag demands a bond, or is bound here, and BlueZ has no bond with it."""


class InUseError(LinkError):
    """Another manager or process has a connection to this tag by this library."""


class MalformedResponseError(TagError):
    """The answer lacks what it must hold."""


class ProtocolVersionError(TagError):
    """The tag does not speak protocol 2."""


class TagStatusError(TagError):
    """The tag answered with an error; see details.tag_status."""


class UnsupportedError(TagError):
    """The component has no such ability; nothing was sent."""


class UnchangedError(TagError):
    """The tag has this name already; nothing was sent."""


BY_STATUS: dict[Status, type[JacquardError]] = {
    Status.INVALID_ARGUMENT: InvalidArgumentError,
    Status.INVALID_HANDLE: InvalidHandleError,
    Status.BUSY: BusyError,
    Status.CLOSED: ClosedError,
    Status.SYSTEM: SystemResourceError,
    Status.TIMEOUT: TimeoutError,
    Status.INTERNAL: InternalError,
    Status.FORKED: ForkedError,
    Status.BUS_ADDRESS: BusAddressError,
    Status.BUS_UNAVAILABLE: BusUnavailableError,
    Status.BLUEZ_UNAVAILABLE: BluezUnavailableError,
    Status.PERMISSION_DENIED: PermissionDeniedError,
    Status.NO_ADAPTER: NoAdapterError,
    Status.POWERED_OFF: PoweredOffError,
    Status.ADAPTER_REFUSED: AdapterRefusedError,
    Status.STATE_FILE: StateFileError,
    Status.NOT_FOUND: NotFoundError,
    Status.CONNECT_FAILED: ConnectFailedError,
    Status.CONNECTION_LOST: ConnectionLostError,
    Status.DEVICE_GONE: DeviceGoneError,
    Status.INCOMPLETE_GATT: IncompleteGattError,
    Status.BOND_LOST: BondLostError,
    Status.GATT: GattError,
    Status.STALE_TAG: StaleTagError,
    Status.STALE_GEAR: StaleGearError,
    Status.WRONG_CODE: WrongCodeError,
    Status.PAIRING_REFUSED: PairingRefusedError,
    Status.OTHER_OWNER: OtherOwnerError,
    Status.NOT_BOUND: NotBoundError,
    Status.IN_USE: InUseError,
    Status.MALFORMED_RESPONSE: MalformedResponseError,
    Status.PROTOCOL_VERSION: ProtocolVersionError,
    Status.TAG_STATUS: TagStatusError,
    Status.UNSUPPORTED: UnsupportedError,
    Status.UNCHANGED: UnchangedError,
}


def error_from(details: ErrorDetails) -> JacquardError:
    """The exception for a status."""
    return BY_STATUS.get(details.code, JacquardError)(details)
