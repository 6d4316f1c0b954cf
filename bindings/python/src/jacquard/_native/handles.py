"""The header's handle types, as separate classes, so that ctypes does not return plain numbers for them.

Generated from jacquard.h by bindings/python/generator; do not edit.
"""

from ctypes import c_void_p


class Manager(c_void_p):
    """jacquard_manager *"""


class Scan(c_void_p):
    """jacquard_scan *"""


class Connection(c_void_p):
    """jacquard_connection *"""


class Tag(c_void_p):
    """jacquard_tag *"""


class Subscription(c_void_p):
    """jacquard_subscription *"""


class Request(c_void_p):
    """jacquard_request *"""


class Component(c_void_p):
    """jacquard_component *"""


class Firmware(c_void_p):
    """jacquard_firmware *"""


class MotionReader(c_void_p):
    """jacquard_motion_reader *"""


class MotionWriter(c_void_p):
    """jacquard_motion_writer *"""


class TouchTracker(c_void_p):
    """jacquard_touch_tracker *"""
