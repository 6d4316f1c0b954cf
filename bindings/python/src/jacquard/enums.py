"""The header's enumerations.

Generated from jacquard.h by bindings/python/generator; do not edit.
"""

from ._enumerations import OpenEnum, OpenFlag, OpenName


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
    FORKED = -8
    MISUSE = -9
    BUS_ADDRESS = -20
    BUS_UNAVAILABLE = -21
    BLUEZ_UNAVAILABLE = -22
    PERMISSION_DENIED = -23
    NO_ADAPTER = -24
    POWERED_OFF = -25
    ADAPTER_REFUSED = -26
    STATE_FILE = -27
    SERVICE_UNAVAILABLE = -28
    NOT_FOUND = -40
    CONNECT_FAILED = -41
    CONNECTION_LOST = -42
    DEVICE_GONE = -43
    INCOMPLETE_GATT = -44
    BOND_LOST = -45
    GATT = -46
    STALE_TAG = -47
    STALE_GEAR = -48
    WRONG_CODE = -49
    PAIRING_REFUSED = -50
    OTHER_OWNER = -51
    NOT_BOUND = -52
    IN_USE = -53
    ALREADY_CONNECTED = -54
    MALFORMED_RESPONSE = -60
    PROTOCOL_VERSION = -61
    TAG_STATUS = -62
    UNSUPPORTED = -63
    UNCHANGED = -64
    CAPTURE_IN_PROGRESS = -65
    LOW_BATTERY = -66
    LOW_STORAGE = -67
    MODULE_MISSING = -68
    DAMAGED_SESSION = -69
    FIRMWARE_IMAGE = -70
    FIRMWARE_MANIFEST = -71
    WRONG_PRODUCT = -72
    GEAR_MISSING = -73
    UPDATE_IN_PROGRESS = -74
    OTHER_IMAGE = -75
    DOWNGRADE = -76
    DAMAGED_FIRMWARE = -77
    NOT_INSTALLED = -78


class TagStatus(OpenEnum):
    """jacquard_tag_status"""

    OK = 0
    UNSUPPORTED = 1
    BAD_PARAMETER = 2
    BATTERY_LOW = 3
    HARDWARE_FAILURE = 4
    NOT_AUTHENTICATED = 5
    WRONG_DEVICE_TYPE = 6
    INVALID_STATE = 7
    FLASH_ACCESS_FAILED = 8
    CHECKSUM_MISMATCH = 9
    BUSY = 10
    LOW_MEMORY = 15
    TIMEOUT = 253
    HOST_FAILURE = 254
    UNKNOWN_FAILURE = 255


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
    STOPPED = 6


class Phase(OpenEnum):
    """jacquard_phase"""

    DISCONNECTED = 0
    PREPARING = 1
    CONNECTING = 2
    AUTHENTICATING = 3
    INITIALIZING = 4
    CONFIGURING = 5
    CONNECTED = 6


class DisconnectReason(OpenEnum):
    """jacquard_disconnect_reason"""

    NONE = 0
    UNKNOWN = 1
    TIMEOUT = 2
    LOCAL = 3
    REMOTE = 4
    AUTHENTICATION = 5
    SUSPEND = 6
    POWERED_OFF = 7
    SERVICE_GONE = 8


class Capability(OpenFlag):
    """jacquard_capability"""

    LED = 1
    GESTURE = 2
    TOUCH = 4
    HAPTIC = 8


class LedType(OpenEnum):
    """jacquard_led_type"""

    SOLID = 1
    BREATHING = 2
    PULSING = 3
    SINGLE_BLINK = 4
    DOUBLE_BLINK = 5
    TRIPLE_BLINK = 6
    CUSTOM = 7


class HapticType(OpenEnum):
    """jacquard_haptic_type"""

    HALT = 0
    SINE_INCREASE = 1
    SINE_DECREASE = 2
    LINEAR_INCREASE = 3
    LINEAR_DECREASE = 4
    PARABOLIC_INCREASE = 5
    PARABOLIC_DECREASE = 6
    CONSTANT = 7


class TouchMode(OpenEnum):
    """jacquard_touch_mode"""

    GESTURE = 1
    CONTINUOUS = 2


class GestureType(OpenName):
    """jacquard_gesture_type"""

    NONE = 0
    DOUBLE_TAP = 1
    BRUSH_IN = 2
    BRUSH_OUT = 3
    PULSE_CHECK = 4
    PULSE_TAP = 5
    LONG_COVER = 6
    COVER = 7
    GENIE = 8
    PINCH_IN = 9
    PINCH_OUT = 10
    TRIPLE_TAP = 12
    BRUSH_UP = 13
    BRUSH_DOWN = 14


class UpdateMode(OpenEnum):
    """jacquard_update_mode"""

    INSTALL = 0
    CHECK = 1
    TRANSFER = 2


class UpdatePhase(OpenEnum):
    """jacquard_update_phase"""

    CHECKING = 0
    TRANSFERRING = 1
    EXECUTING = 2
    RESTARTING = 3
    WAITING = 4


class UpdateOutcome(OpenEnum):
    """jacquard_update_outcome"""

    PENDING = 0
    TRANSFERRED = 1
    INSTALLED = 2
    ALREADY_INSTALLED = 3


class MotionFilter(OpenEnum):
    """jacquard_motion_filter"""

    NORMAL = 0
    OVERSAMPLING2 = 1
    OVERSAMPLING4 = 2


class MotionActivity(OpenEnum):
    """jacquard_motion_activity"""

    IDLE = 0
    RECORDING = 1
    STREAMING = 2
    CAPTURING = 3
    TRANSFERRING = 4
    ERASING = 5
    FAILED = 6


class MotionEventType(OpenEnum):
    """jacquard_motion_event_type"""

    SAMPLES = 1
    GAP = 2
    RESTART = 3


class MotionPartType(OpenEnum):
    """jacquard_motion_part_type"""

    HEADER = 1
    START = 2
    SAMPLES = 3
    END = 4
    STRAY = 5


class MotionEnd(OpenEnum):
    """jacquard_motion_end"""

    COMPLETE = 0
    INCOMPLETE = 1
    DAMAGED = 2


class ValueType(OpenEnum):
    """jacquard_value_type"""

    BOOL = 1
    UINT32 = 2
    UINT64 = 3
    INT32 = 4
    INT64 = 5
    FLOAT = 6
    DOUBLE = 7
    STRING = 8


class ConfigurationField(OpenFlag):
    """jacquard_configuration_field"""

    NAME = 1
    TX_POWER = 2
    TX_POWER_MAXIMUM = 4
    FAST_INTERVAL = 8
    FAST_DURATION = 16
    MEDIUM_INTERVAL = 32
    MEDIUM_DURATION = 64
    SLOW_INTERVAL = 128
    SLOW_DURATION = 256
    CONNECTION_INTERVAL_MINIMUM = 512
    CONNECTION_INTERVAL_MAXIMUM = 1024
    QUEUE_DEPTH = 2048
    MOTION_ENABLED = 4096
    MOTION_SENSITIVITY = 8192
    MOTION_THRESHOLD = 16384
    MOTION_TIMEOUT = 32768
    MOTION_GEAR_POWER = 65536
    MOTION_LINK = 131072


class TouchPhase(OpenEnum):
    """jacquard_touch_phase"""

    BEGAN = 1
    MOVED = 2
    ENDED = 3
    CANCELLED = 4


class TouchGestureType(OpenName):
    """jacquard_touch_gesture_type"""

    TAP = 1
    DOUBLE_TAP = 2
    HOLD = 3
    PRESS = 4
    SWIPE_IN = 5
    SWIPE_OUT = 6
    SCRUB = 7
    TWO_FINGER_TAP = 8
    SPREAD = 9
    PINCH = 10
    COVER = 11


class LineHealth(OpenEnum):
    """jacquard_line_health"""

    GOOD = 1
    WEAK = 2
    DEAD = 3
    STUCK = 4
