"""The header's structs, in its order. Every enumeration of it that lies in a struct is an unsigned int in C."""

from ctypes import POINTER, Structure, c_char_p, c_int32, c_uint, c_uint32

from . import handles


class Error(Structure):
    """jacquard_error"""

    _fields_ = [
        ("code", c_int32),
        ("system_errno", c_int32),
        ("att_code", c_int32),
        ("tag_status", c_int32),
        ("tag_status_name", c_char_p),
        ("dbus_name", c_char_p),
        ("message", c_char_p),
        ("advice", c_char_p),
    ]


class ManagerOptions(Structure):
    """jacquard_manager_options"""

    _fields_ = [
        ("struct_size", c_uint32),
        ("bus_address", c_char_p),
        ("adapter", c_char_p),
    ]


class Log(Structure):
    """jacquard_log"""

    _fields_ = [
        ("level", c_uint),
        ("part", c_char_p),
        ("message", c_char_p),
    ]


class Adapter(Structure):
    """jacquard_adapter"""

    _fields_ = [
        ("manager", handles.Manager),
        ("state", c_uint),
        ("address", c_char_p),
        ("name", c_char_p),
        ("error", POINTER(Error)),
    ]


class ScanOptions(Structure):
    """jacquard_scan_options"""

    _fields_ = [
        ("struct_size", c_uint32),
        ("timeout_ms", c_uint32),
        ("serial", c_char_p),
        ("minimum_rssi", c_int32),
        ("every_report", c_uint32),
        ("wait_for_adapter", c_uint32),
    ]


class Advertisement(Structure):
    """jacquard_advertisement"""

    _fields_ = [
        ("manager", handles.Manager),
        ("identifier", c_char_p),
        ("serial", c_char_p),
        ("name", c_char_p),
        ("address", c_char_p),
        ("rssi", c_int32),
        ("bonded", c_uint32),
        ("connected", c_uint32),
    ]


class ConnectOptions(Structure):
    """jacquard_connect_options"""

    _fields_ = [
        ("struct_size", c_uint32),
        ("timeout_ms", c_uint32),
        ("wait_for_adapter", c_uint32),
    ]


class ConnectionState(Structure):
    """jacquard_connection_state"""

    _fields_ = [
        ("manager", handles.Manager),
        ("connection", handles.Connection),
        ("tag", handles.Tag),
        ("phase", c_uint),
        ("step", c_uint32),
        ("total_steps", c_uint32),
        ("attempt", c_uint32),
        ("reason", POINTER(Error)),
    ]


class TagInfo(Structure):
    """jacquard_tag_info"""

    _fields_ = [
        ("identifier", c_char_p),
        ("address", c_char_p),
        ("name", c_char_p),
        ("serial", c_char_p),
        ("uuid", c_char_p),
        ("vendor", c_char_p),
        ("model", c_char_p),
        ("vendor_id", c_uint32),
        ("product_id", c_uint32),
        ("revision", c_uint32),
        ("firmware", c_uint32 * 3),
        ("bootloader", c_uint32 * 3),
    ]


class RequestOptions(Structure):
    """jacquard_request_options"""

    _fields_ = [
        ("struct_size", c_uint32),
        ("timeout_ms", c_uint32),
    ]


class Battery(Structure):
    """jacquard_battery"""

    _fields_ = [
        ("percent", c_uint32),
        ("charging", c_uint32),
    ]
