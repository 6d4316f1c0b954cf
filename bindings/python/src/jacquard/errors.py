"""One exception per status, in the header's four groups.

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
    "AdapterRefusedError", "AlreadyConnectedError", "BluezUnavailableError", "BondLostError", "BusAddressError",
    "BusUnavailableError", "BusyError", "CaptureInProgressError", "ClosedError", "ConnectFailedError",
    "ConnectionLostError", "DamagedFirmwareError", "DamagedSessionError", "DeviceGoneError", "DowngradeError",
    "ErrorDetails", "FirmwareImageError", "FirmwareManifestError", "ForkedError", "GattError", "GearMissingError",
    "InUseError", "IncompleteGattError", "InternalError", "InvalidArgumentError", "InvalidHandleError", "JacquardError",
    "LinkError", "LowBatteryError", "LowStorageError", "MachineError", "MalformedResponseError", "MisuseError",
    "ModuleMissingError", "NoAdapterError", "NotBoundError", "NotFoundError", "NotInstalledError", "OtherImageError",
    "OtherOwnerError", "PairingRefusedError", "PermissionDeniedError", "PoweredOffError", "ProtocolVersionError",
    "ServiceUnavailableError", "StaleGearError", "StaleTagError", "StateFileError", "SystemResourceError", "TagError",
    "TagStatusError", "TimeoutError", "UnchangedError", "UnsupportedError", "UpdateInProgressError", "UsageError",
    "WrongCodeError", "WrongProductError",
]


class InvalidArgumentError(UsageError, ValueError):
    """An argument is NULL, malformed, of unknown size or out of range."""


class InvalidHandleError(UsageError):
    """The object was released, is made up, or is of another type."""


class BusyError(UsageError):
    """Another program or service does what excludes this, and the message names it; or the tag is transferring or erasing a recording."""


class ClosedError(UsageError):
    """The manager, connection or scan that owns this object has been closed."""


class SystemResourceError(UsageError):
    """The kernel could not provide a resource; see details.system_errno."""


class TimeoutError(UsageError, builtins.TimeoutError):
    """No response within the time limit."""


class InternalError(UsageError):
    """A bug in this library; please report it."""


class ForkedError(UsageError):
    """The object was created before fork(), in the parent process."""


class MisuseError(UsageError):
    """The call is not possible in this state: the loop is already running, or the object is in use by another call."""


class BusAddressError(MachineError):
    """The D-Bus address is malformed, or its transport is not unix:."""


class BusUnavailableError(MachineError):
    """No D-Bus daemon is reachable at the address."""


class BluezUnavailableError(MachineError):
    """The name org.bluez has no owner: bluetoothd is not running."""


class PermissionDeniedError(MachineError):
    """The bus policy or bluetoothd denies access to this user."""


class NoAdapterError(MachineError):
    """No Bluetooth adapter, or not the one asked for."""


class PoweredOffError(MachineError):
    """The adapter is powered off."""


class AdapterRefusedError(MachineError):
    """The controller currently refuses to scan or connect."""


class StateFileError(MachineError):
    """The known tags cannot be read or written; see message and details.system_errno."""


class ServiceUnavailableError(MachineError):
    """The service has ended, does not respond, or is of another version."""


class NotFoundError(LinkError):
    """The tag was not found in time, the identifier is that of a device that is not a tag, or there is no such object."""


class ConnectFailedError(LinkError):
    """The link could not be established."""


class ConnectionLostError(LinkError):
    """An established link was lost."""


class DeviceGoneError(LinkError):
    """BlueZ removed the device."""


class IncompleteGattError(LinkError):
    """The Jacquard service or one of its characteristics is missing."""


class BondLostError(LinkError):
    """The tag has lost the bond that this machine still has; as the reason of PREPARING: it may have."""


class GattError(LinkError):
    """A GATT operation failed; see details.att_code."""


class StaleTagError(LinkError):
    """The tag object belongs to an earlier link."""


class StaleGearError(LinkError):
    """The gear was detached from the tag."""


class WrongCodeError(LinkError):
    """The code does not match the tag's serial number."""


class PairingRefusedError(LinkError):
    """The tag or bluetoothd refused to pair."""


class OtherOwnerError(LinkError):
    """The tag is bound to another owner on this machine."""


class NotBoundError(LinkError):
    """The tag requires a bond or is bound here, but BlueZ has no bond with it; as the reason of PREPARING: this may be so."""


class InUseError(LinkError):
    """A program that does not share the tag, or one of another user, is using it."""


class AlreadyConnectedError(LinkError):
    """This manager already has a connection to the tag."""


class MalformedResponseError(TagError):
    """A required part of the tag's response is missing."""


class ProtocolVersionError(TagError):
    """The tag does not speak protocol 2."""


class TagStatusError(TagError):
    """The tag responded with an error; see details.tag_status."""


class UnsupportedError(TagError):
    """The component lacks this capability; nothing was sent."""


class UnchangedError(TagError):
    """The tag already has this name; nothing was sent."""


class CaptureInProgressError(TagError):
    """The tag is recording or streaming motion."""


class LowBatteryError(TagError):
    """The tag's battery is too low: 50 % for motion, 20 % for firmware."""


class LowStorageError(TagError):
    """The tag has too little free storage for a recording."""


class ModuleMissingError(TagError):
    """The motion module is not installed on the tag."""


class DamagedSessionError(TagError):
    """A session has the wrong size or checksum, or is not a motion file."""


class FirmwareImageError(TagError):
    """A firmware image is unreadable, empty or too large."""


class FirmwareManifestError(TagError):
    """A firmware image and its manifest differ, or the manifest is malformed."""


class WrongProductError(TagError):
    """The firmware image is for another product."""


class GearMissingError(TagError):
    """The gear that the firmware image is for is not attached."""


class UpdateInProgressError(TagError):
    """The firmware of the tag is being updated."""


class OtherImageError(TagError):
    """A part of another firmware image is on the tag."""


class DowngradeError(TagError):
    """The firmware image is older than the installed firmware."""


class DamagedFirmwareError(TagError):
    """The tag stored the firmware image incorrectly; nothing was installed."""


class NotInstalledError(TagError):
    """The firmware was transferred, but the tag does not have its version."""


BY_STATUS: dict[Status, type[JacquardError]] = {
    Status.INVALID_ARGUMENT: InvalidArgumentError, Status.INVALID_HANDLE: InvalidHandleError, Status.BUSY: BusyError,
    Status.CLOSED: ClosedError, Status.SYSTEM: SystemResourceError, Status.TIMEOUT: TimeoutError,
    Status.INTERNAL: InternalError, Status.FORKED: ForkedError, Status.MISUSE: MisuseError,
    Status.BUS_ADDRESS: BusAddressError, Status.BUS_UNAVAILABLE: BusUnavailableError,
    Status.BLUEZ_UNAVAILABLE: BluezUnavailableError, Status.PERMISSION_DENIED: PermissionDeniedError,
    Status.NO_ADAPTER: NoAdapterError, Status.POWERED_OFF: PoweredOffError, Status.ADAPTER_REFUSED: AdapterRefusedError,
    Status.STATE_FILE: StateFileError, Status.SERVICE_UNAVAILABLE: ServiceUnavailableError,
    Status.NOT_FOUND: NotFoundError, Status.CONNECT_FAILED: ConnectFailedError,
    Status.CONNECTION_LOST: ConnectionLostError, Status.DEVICE_GONE: DeviceGoneError,
    Status.INCOMPLETE_GATT: IncompleteGattError, Status.BOND_LOST: BondLostError, Status.GATT: GattError,
    Status.STALE_TAG: StaleTagError, Status.STALE_GEAR: StaleGearError, Status.WRONG_CODE: WrongCodeError,
    Status.PAIRING_REFUSED: PairingRefusedError, Status.OTHER_OWNER: OtherOwnerError, Status.NOT_BOUND: NotBoundError,
    Status.IN_USE: InUseError, Status.ALREADY_CONNECTED: AlreadyConnectedError,
    Status.MALFORMED_RESPONSE: MalformedResponseError, Status.PROTOCOL_VERSION: ProtocolVersionError,
    Status.TAG_STATUS: TagStatusError, Status.UNSUPPORTED: UnsupportedError, Status.UNCHANGED: UnchangedError,
    Status.CAPTURE_IN_PROGRESS: CaptureInProgressError, Status.LOW_BATTERY: LowBatteryError,
    Status.LOW_STORAGE: LowStorageError, Status.MODULE_MISSING: ModuleMissingError,
    Status.DAMAGED_SESSION: DamagedSessionError, Status.FIRMWARE_IMAGE: FirmwareImageError,
    Status.FIRMWARE_MANIFEST: FirmwareManifestError, Status.WRONG_PRODUCT: WrongProductError,
    Status.GEAR_MISSING: GearMissingError, Status.UPDATE_IN_PROGRESS: UpdateInProgressError,
    Status.OTHER_IMAGE: OtherImageError, Status.DOWNGRADE: DowngradeError,
    Status.DAMAGED_FIRMWARE: DamagedFirmwareError, Status.NOT_INSTALLED: NotInstalledError,
}


def error_from(details: ErrorDetails) -> JacquardError:
    """The exception for a status."""
    return BY_STATUS.get(details.code, JacquardError)(details)
