"""The header's enumerations."""

import enum


class OpenEnum(enum.IntEnum):
    """Accepts numbers that a newer library may send: they become members called UNKNOWN_<number>."""

    @classmethod
    def _missing_(cls, value: object) -> "OpenEnum":
        if not isinstance(value, int):
            raise ValueError(f"{value!r} is not a {cls.__name__}")
        member = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{value}"
        member._value_ = value
        return member


class Status(OpenEnum):
    """jacquard_status"""

    OK = 0

    INVALID_ARGUMENT = -1
    INVALID_HANDLE = -2
    BUSY = -3
    CLOSED = -4
    SYSTEM = -5
    TIMEOUT = -6
    INTERNAL = -7

    BUS_ADDRESS = -20
    BUS_UNAVAILABLE = -21
    BLUEZ_UNAVAILABLE = -22
    PERMISSION_DENIED = -23
    NO_ADAPTER = -24
    POWERED_OFF = -25
    ADAPTER_REFUSED = -26

    NOT_FOUND = -40
    CONNECT_FAILED = -41
    CONNECTION_LOST = -42
    DEVICE_GONE = -43
    INCOMPLETE_GATT = -44
    BOND_LOST = -45
    GATT = -46
    STALE_TAG = -47

    MALFORMED_RESPONSE = -60
    PROTOCOL_VERSION = -61
    TAG_STATUS = -62


class LogLevel(OpenEnum):
    """jacquard_log_level"""

    WARNING = 1
    INFO = 2
    DEBUG = 3


class AdapterState(OpenEnum):
    """jacquard_adapter_state"""

    UNKNOWN = 0
    RESETTING = 1
    UNSUPPORTED = 2
    UNAUTHORIZED = 3
    POWERED_OFF = 4
    POWERED_ON = 5


class ScanEnd(OpenEnum):
    """jacquard_scan_end"""

    TIMED_OUT = 1
    POWERED_OFF = 2
    ADAPTER_GONE = 3
    PERMISSION_DENIED = 4
    ERROR = 5


class Phase(OpenEnum):
    """jacquard_phase"""

    DISCONNECTED = 0
    PREPARING = 1
    CONNECTING = 2
    AUTHENTICATING = 3
    INITIALIZING = 4
    CONFIGURING = 5
    CONNECTED = 6
