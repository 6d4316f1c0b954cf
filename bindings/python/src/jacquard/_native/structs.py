"""The header's structs.

Generated from jacquard.h by bindings/python/generator; do not edit.
"""

from ctypes import (
    POINTER,
    Structure,
    c_char_p,
    c_double,
    c_float,
    c_int16,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
)

from . import handles


class Error(Structure):
    """jacquard_error"""
    _fields_ = [
        ("code", c_int32), ("system_errno", c_int32), ("att_code", c_int32), ("tag_status", c_int32),
        ("tag_status_name", c_char_p), ("dbus_name", c_char_p), ("message", c_char_p), ("advice", c_char_p),
    ]


class ManagerOptions(Structure):
    """jacquard_manager_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("reserved", c_uint32), ("bus_address", c_char_p), ("adapter", c_char_p),
        ("state_directory", c_char_p), ("restore_id", c_char_p), ("auto_connect", c_uint32), ("exclusive", c_uint32),
    ]


class Log(Structure):
    """jacquard_log"""
    _fields_ = [
        ("level", c_uint32), ("reserved", c_uint32), ("part", c_char_p), ("message", c_char_p),
    ]


class Adapter(Structure):
    """jacquard_adapter"""
    _fields_ = [
        ("manager", handles.Manager), ("state", c_uint32), ("reserved", c_uint32), ("address", c_char_p),
        ("name", c_char_p), ("error", POINTER(Error)),
    ]


class ScanOptions(Structure):
    """jacquard_scan_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("timeout_ms", c_uint32), ("serial", c_char_p), ("minimum_rssi", c_int32),
        ("every_report", c_uint32), ("wait_for_adapter", c_uint32), ("reserved", c_uint32),
    ]


class Advertisement(Structure):
    """jacquard_advertisement"""
    _fields_ = [
        ("manager", handles.Manager), ("scan", handles.Scan), ("identifier", c_char_p), ("serial", c_char_p),
        ("name", c_char_p), ("address", c_char_p), ("rssi", c_int32), ("bonded", c_uint32), ("connected", c_uint32),
        ("reserved", c_uint32),
    ]


class ScanResult(Structure):
    """jacquard_scan_result"""
    _fields_ = [
        ("manager", handles.Manager), ("scan", handles.Scan), ("reason", c_uint32), ("reserved", c_uint32),
        ("error", POINTER(Error)),
    ]


class Scanning(Structure):
    """jacquard_scanning"""
    _fields_ = [
        ("manager", handles.Manager), ("scanning", c_uint32), ("reserved", c_uint32),
    ]


class ListConnectedOptions(Structure):
    """jacquard_list_connected_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("reserved", c_uint32),
    ]


class ConnectOptions(Structure):
    """jacquard_connect_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("timeout_ms", c_uint32), ("wait_for_adapter", c_uint32), ("reserved", c_uint32),
        ("owner", c_char_p), ("serial", c_char_p),
    ]


class ConnectionState(Structure):
    """jacquard_connection_state"""
    _fields_ = [
        ("manager", handles.Manager), ("connection", handles.Connection), ("tag", handles.Tag), ("phase", c_uint32),
        ("step", c_uint32), ("total_steps", c_uint32), ("attempt", c_uint32), ("reason", POINTER(Error)),
        ("disconnect_reason", c_uint32), ("service_process", c_int32), ("identifier", c_char_p),
    ]


class ProfileEntry(Structure):
    """jacquard_profile_entry"""
    _fields_ = [
        ("key", c_char_p), ("value", c_char_p),
    ]


class BindOptions(Structure):
    """jacquard_bind_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("timeout_ms", c_uint32), ("wait_for_adapter", c_uint32), ("reserved", c_uint32),
        ("code", c_char_p), ("owner", c_char_p), ("profile", POINTER(ProfileEntry)), ("profile_count", c_size_t),
    ]


class KnownTag(Structure):
    """jacquard_known_tag"""
    _fields_ = [
        ("manager", handles.Manager), ("identifier", c_char_p), ("address", c_char_p), ("serial", c_char_p),
        ("name", c_char_p), ("owner", c_char_p), ("profile", POINTER(ProfileEntry)), ("profile_count", c_size_t),
        ("bound_at", c_int64), ("last_connected", c_int64), ("wanted", c_uint32), ("reserved", c_uint32),
    ]


class ListKnownOptions(Structure):
    """jacquard_list_known_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("reserved", c_uint32), ("identifier", c_char_p),
    ]


class UpdateKnownOptions(Structure):
    """jacquard_update_known_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("reserved", c_uint32),
    ]


class UnbindOptions(Structure):
    """jacquard_unbind_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("reserved", c_uint32),
    ]


class Restoration(Structure):
    """jacquard_restoration"""
    _fields_ = [
        ("manager", handles.Manager), ("identifier", c_char_p), ("known", POINTER(KnownTag)),
        ("connection", handles.Connection),
    ]


class TagInfo(Structure):
    """jacquard_tag_info"""
    _fields_ = [
        ("identifier", c_char_p), ("address", c_char_p), ("name", c_char_p), ("serial", c_char_p), ("uuid", c_char_p),
        ("vendor", c_char_p), ("model", c_char_p), ("vendor_id", c_uint32), ("product_id", c_uint32),
        ("revision", c_uint32), ("firmware", c_uint32 * 3), ("bootloader", c_uint32 * 3), ("faulty_firmware", c_uint32),
    ]


class RequestOptions(Structure):
    """jacquard_request_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("timeout_ms", c_uint32),
    ]


class Battery(Structure):
    """jacquard_battery"""
    _fields_ = [
        ("percent", c_uint32), ("charging", c_uint32),
    ]


class BatteryEvent(Structure):
    """jacquard_battery_event"""
    _fields_ = [
        ("connection", handles.Connection), ("battery", POINTER(Battery)),
    ]


class ComponentInfo(Structure):
    """jacquard_component_info"""
    _fields_ = [
        ("id", c_uint32), ("vendor_id", c_uint32), ("product_id", c_uint32), ("capabilities", c_uint32),
        ("vendor", c_char_p), ("product", c_char_p), ("vendor_text", c_char_p), ("product_text", c_char_p),
        ("uuid", c_char_p), ("firmware", c_uint32 * 3), ("reserved", c_uint32),
    ]


class Gear(Structure):
    """jacquard_gear"""
    _fields_ = [
        ("connection", handles.Connection), ("component", handles.Component),
    ]


class LedFrame(Structure):
    """jacquard_led_frame"""
    _fields_ = [
        ("red", c_uint8), ("green", c_uint8), ("blue", c_uint8), ("reserved", c_uint8), ("duration_ms", c_uint32),
    ]


class LedPattern(Structure):
    """jacquard_led_pattern"""
    _fields_ = [
        ("struct_size", c_uint32), ("type", c_uint32), ("frames", POINTER(LedFrame)), ("frame_count", c_size_t),
        ("duration_ms", c_uint32), ("intensity", c_uint32), ("toggle", c_uint32), ("resumable", c_uint32),
        ("halt_all", c_uint32), ("reserved", c_uint32),
    ]


class Haptic(Structure):
    """jacquard_haptic"""
    _fields_ = [
        ("struct_size", c_uint32), ("type", c_uint32), ("on_ms", c_uint32), ("off_ms", c_uint32),
        ("amplitude", c_uint32), ("repeats", c_uint32),
    ]


class TouchModeReport(Structure):
    """jacquard_touch_mode_report"""
    _fields_ = [
        ("connection", handles.Connection), ("mode", c_uint32), ("process", c_int32),
    ]


class Gesture(Structure):
    """jacquard_gesture"""
    _fields_ = [
        ("connection", handles.Connection), ("type", c_uint32), ("may_be_copy", c_uint32), ("name", c_char_p),
        ("arrival_ns", c_int64),
    ]


class Touch(Structure):
    """jacquard_touch"""
    _fields_ = [
        ("connection", handles.Connection), ("sequence", c_uint32), ("proximity", c_uint8), ("lines", c_uint8 * 12),
        ("reserved", c_uint8 * 7), ("arrival_ns", c_int64),
    ]


class Name(Structure):
    """jacquard_name"""
    _fields_ = [
        ("connection", handles.Connection), ("name", c_char_p),
    ]


class Counters(Structure):
    """jacquard_counters"""
    _fields_ = [
        ("struct_size", c_uint32), ("links", c_uint32), ("notifications", c_uint64), ("responses", c_uint64),
        ("raw_packets", c_uint64), ("dropped_fragments", c_uint64), ("dropped_notifications", c_uint64),
        ("dropped_responses", c_uint64), ("dropped_copies", c_uint64), ("doubtful_values", c_uint64),
        ("interruptions", c_uint64),
    ]


class FirmwareSource(Structure):
    """jacquard_firmware_source"""
    _fields_ = [
        ("struct_size", c_uint32), ("from_descriptor", c_uint32), ("descriptor", c_int32), ("identified", c_uint32),
        ("vendor_id", c_uint32), ("product_id", c_uint32), ("module_id", c_uint32), ("version", c_uint32 * 3),
        ("path", c_char_p), ("data", POINTER(c_uint8)), ("data_size", c_size_t), ("manifest", c_char_p),
    ]


class FirmwareInfo(Structure):
    """jacquard_firmware_info"""
    _fields_ = [
        ("vendor_id", c_uint32), ("product_id", c_uint32), ("module_id", c_uint32), ("version", c_uint32 * 3),
        ("size", c_uint32), ("checksum", c_uint32), ("sha256", c_uint8 * 32),
    ]


class UpdateOptions(Structure):
    """jacquard_update_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("mode", c_uint32), ("allow_downgrade", c_uint32), ("overwrite", c_uint32),
        ("least_battery", c_uint32), ("reserved", c_uint32),
    ]


class UpdateProgress(Structure):
    """jacquard_update_progress"""
    _fields_ = [
        ("phase", c_uint32), ("image", c_uint32), ("stored", c_uint32), ("total", c_uint32),
        ("bytes_per_second", c_double), ("seconds_left", c_double),
    ]


class UpdateResult(Structure):
    """jacquard_update_result"""
    _fields_ = [
        ("outcome", c_uint32), ("before", c_uint32 * 3), ("after", c_uint32 * 3), ("stored", c_uint32),
        ("stale_services", c_uint32),
    ]


class MotionSettings(Structure):
    """jacquard_motion_settings"""
    _fields_ = [
        ("struct_size", c_uint32), ("filter", c_uint32), ("accelerometer_rate", c_double), ("gyroscope_rate", c_double),
        ("accelerometer_range", c_double), ("gyroscope_range", c_double),
    ]


class Session(Structure):
    """jacquard_session"""
    _fields_ = [
        ("struct_size", c_uint32), ("reserved", c_uint32), ("name", c_char_p), ("campaign", c_char_p),
        ("group", c_char_p), ("subject", c_char_p), ("product", c_char_p), ("size", c_uint32), ("checksum", c_int32),
    ]


class MotionStatus(Structure):
    """jacquard_motion_status"""
    _fields_ = [
        ("activity", c_uint32), ("code", c_uint32), ("text", c_char_p),
    ]


class DownloadOptions(Structure):
    """jacquard_download_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("to_descriptor", c_uint32), ("descriptor", c_int32), ("reserved", c_uint32),
        ("received", POINTER(c_uint8)), ("received_size", c_size_t),
    ]


class DownloadData(Structure):
    """jacquard_download_data"""
    _fields_ = [
        ("data", POINTER(c_uint8)), ("size", c_size_t), ("received", c_uint32), ("total", c_uint32),
    ]


class Download(Structure):
    """jacquard_download"""
    _fields_ = [
        ("size", c_uint32), ("checksum_seed", c_int32),
    ]


class MotionSample(Structure):
    """jacquard_motion_sample"""
    _fields_ = [
        ("acceleration", c_int16 * 3), ("rotation", c_int16 * 3), ("raw_ticks", c_uint32), ("ticks", c_int64),
        ("arrival_ns", c_int64), ("time_ns", c_int64),
    ]


class MotionEvent(Structure):
    """jacquard_motion_event"""
    _fields_ = [
        ("connection", handles.Connection), ("type", c_uint32), ("reserved", c_uint32),
        ("samples", POINTER(MotionSample)), ("count", c_size_t), ("ticks_per_second", c_double),
        ("samples_per_second", c_double), ("missing", c_uint64), ("missing_uncertainty", c_uint64),
    ]


class MotionCounts(Structure):
    """jacquard_motion_counts"""
    _fields_ = [
        ("acceleration", c_int16 * 3), ("rotation", c_int16 * 3), ("ticks", c_uint32),
    ]


class MotionPart(Structure):
    """jacquard_motion_part"""
    _fields_ = [
        ("type", c_uint32), ("number", c_uint32), ("session", POINTER(Session)), ("settings", POINTER(MotionSettings)),
        ("samples", POINTER(MotionCounts)), ("count", c_size_t),
    ]


class MotionReaderOptions(Structure):
    """jacquard_motion_reader_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("reserved", c_uint32),
    ]


class Bytes(Structure):
    """jacquard_bytes"""
    _fields_ = [
        ("connection", handles.Connection), ("data", POINTER(c_uint8)), ("size", c_size_t),
    ]


class Value(Structure):
    """jacquard_value"""
    _fields_ = [
        ("struct_size", c_uint32), ("type", c_uint32), ("number", c_uint64), ("integer", c_int64), ("real", c_double),
        ("text", c_char_p),
    ]


class Configuration(Structure):
    """jacquard_configuration"""
    _fields_ = [
        ("struct_size", c_uint32), ("fields", c_uint32), ("name", c_char_p), ("tx_power", c_int32),
        ("tx_power_maximum", c_int32), ("fast_interval_ms", c_float), ("fast_duration_s", c_uint32),
        ("medium_interval_ms", c_float), ("medium_duration_s", c_uint32), ("slow_interval_ms", c_float),
        ("slow_duration_s", c_uint32), ("connection_interval_minimum", c_uint32),
        ("connection_interval_maximum", c_uint32), ("queue_depth", c_uint32), ("motion_enabled", c_uint32),
        ("motion_sensitivity", c_uint32), ("motion_threshold", c_uint32), ("motion_timeout_ms", c_uint32),
        ("motion_gear_power", c_uint32), ("motion_link", c_uint32), ("reserved", c_uint32),
    ]


class Module(Structure):
    """jacquard_module"""
    _fields_ = [
        ("struct_size", c_uint32), ("vendor_id", c_uint32), ("product_id", c_uint32), ("module_id", c_uint32),
        ("name", c_char_p), ("version", c_uint32 * 3), ("enabled", c_uint32), ("size", c_uint32),
        ("reserved", c_uint32),
    ]


class ModuleLoad(Structure):
    """jacquard_module_load"""
    _fields_ = [
        ("connection", handles.Connection), ("module", POINTER(Module)), ("tag_status", c_int32),
        ("reserved", c_uint32),
    ]


class ServiceOptions(Structure):
    """jacquard_service_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("reserved", c_uint32), ("bus_address", c_char_p), ("socket_path", c_char_p),
        ("has_socket", c_uint32), ("socket", c_int32), ("has_stop", c_uint32), ("stop", c_int32),
        ("linger_ms", c_uint32), ("idle_ms", c_uint32),
    ]


class TouchPoint(Structure):
    """jacquard_touch_point"""
    _fields_ = [
        ("time_ns", c_int64), ("id", c_uint32), ("phase", c_uint32), ("position", c_int32), ("width", c_uint32),
        ("strength", c_uint32), ("speed", c_int32), ("reserved", c_uint32 * 4),
    ]


class TouchGesture(Structure):
    """jacquard_touch_gesture"""
    _fields_ = [
        ("time_ns", c_int64), ("type", c_uint32), ("id", c_uint32), ("other_id", c_uint32), ("position", c_int32),
        ("distance", c_int32), ("speed", c_int32), ("reserved", c_uint32 * 4),
    ]


class TouchTrackerOptions(Structure):
    """jacquard_touch_tracker_options"""
    _fields_ = [
        ("struct_size", c_uint32), ("reserved", c_uint32),
    ]


class SleeveHealth(Structure):
    """jacquard_sleeve_health"""
    _fields_ = [
        ("struct_size", c_uint32), ("lines", c_uint32 * 12),
    ]
