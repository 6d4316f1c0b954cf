"""The header's functions: name, result, parameters.

Generated from jacquard.h by bindings/python/generator; do not edit.
"""

from ctypes import POINTER, c_char_p, c_int32, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any

from . import callbacks, handles, structs

PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "jacquard_version": (c_uint32, ()),
    "jacquard_version_string": (c_char_p, ()),
    "jacquard_status_text": (c_char_p, (c_int32,)),
    "jacquard_status_name": (c_char_p, (c_int32,)),
    "jacquard_last_error": (POINTER(structs.Error), ()),
    "jacquard_manager_new": (c_int32, (POINTER(structs.ManagerOptions), POINTER(handles.Manager))),
    "jacquard_manager_ref": (handles.Manager, (handles.Manager,)),
    "jacquard_manager_unref": (handles.Manager, (handles.Manager,)),
    "jacquard_manager_get_fd": (c_int32, (handles.Manager,)),
    "jacquard_manager_dispatch": (c_int32, (handles.Manager,)),
    "jacquard_manager_start": (c_int32, (handles.Manager,)),
    "jacquard_manager_on_log": (c_int32, (
        handles.Manager, c_uint32, callbacks.LogCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Subscription),
    )),
    "jacquard_manager_on_adapter": (c_int32, (
        handles.Manager, callbacks.AdapterCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Subscription),
    )),
    "jacquard_adapter_state_name": (c_char_p, (c_uint32,)),
    "jacquard_manager_scan": (c_int32, (
        handles.Manager, POINTER(structs.ScanOptions), callbacks.AdvertisementCallback, callbacks.ScanEndCallback,
        c_void_p, callbacks.DestroyCallback, POINTER(handles.Scan),
    )),
    "jacquard_scan_ref": (handles.Scan, (handles.Scan,)),
    "jacquard_scan_unref": (handles.Scan, (handles.Scan,)),
    "jacquard_scan_stop": (c_int32, (handles.Scan,)),
    "jacquard_scan_is_running": (c_int32, (handles.Scan,)),
    "jacquard_manager_is_scanning": (c_int32, (handles.Manager,)),
    "jacquard_manager_on_scanning": (c_int32, (
        handles.Manager, callbacks.ScanningCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Subscription),
    )),
    "jacquard_manager_list_connected": (c_int32, (
        handles.Manager, POINTER(structs.ListConnectedOptions), callbacks.AdvertisementsCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_phase_name": (c_char_p, (c_uint32,)),
    "jacquard_manager_connect": (c_int32, (
        handles.Manager, c_char_p, POINTER(structs.ConnectOptions), callbacks.ConnectionCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Connection),
    )),
    "jacquard_manager_bind": (c_int32, (
        handles.Manager, c_char_p, POINTER(structs.BindOptions), callbacks.ConnectionCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Connection),
    )),
    "jacquard_connection_ref": (handles.Connection, (handles.Connection,)),
    "jacquard_connection_unref": (handles.Connection, (handles.Connection,)),
    "jacquard_connection_disconnect": (c_int32, (handles.Connection,)),
    "jacquard_connection_on_state": (c_int32, (
        handles.Connection, callbacks.ConnectionCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Subscription),
    )),
    "jacquard_manager_on_connection": (c_int32, (
        handles.Manager, callbacks.ConnectionCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Subscription),
    )),
    "jacquard_manager_find_connection": (c_int32, (handles.Manager, c_char_p, POINTER(handles.Connection))),
    "jacquard_connection_get_phase": (c_int32, (handles.Connection,)),
    "jacquard_subscription_ref": (handles.Subscription, (handles.Subscription,)),
    "jacquard_subscription_unref": (handles.Subscription, (handles.Subscription,)),
    "jacquard_subscription_cancel": (c_int32, (handles.Subscription,)),
    "jacquard_manager_list_known": (c_int32, (
        handles.Manager, POINTER(structs.ListKnownOptions), callbacks.KnownTagsCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_manager_update_known": (c_int32, (
        handles.Manager, c_char_p, POINTER(structs.ProfileEntry), c_size_t, POINTER(structs.UpdateKnownOptions),
        callbacks.DoneCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_manager_unbind": (c_int32, (
        handles.Manager, c_char_p, POINTER(structs.UnbindOptions), callbacks.DoneCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_manager_on_restore": (c_int32, (
        handles.Manager, callbacks.RestorationsCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Subscription),
    )),
    "jacquard_tag_ref": (handles.Tag, (handles.Tag,)),
    "jacquard_tag_unref": (handles.Tag, (handles.Tag,)),
    "jacquard_tag_get_info": (c_int32, (handles.Tag, POINTER(POINTER(structs.TagInfo)))),
    "jacquard_request_ref": (handles.Request, (handles.Request,)),
    "jacquard_request_unref": (handles.Request, (handles.Request,)),
    "jacquard_request_cancel": (c_int32, (handles.Request,)),
    "jacquard_tag_read_battery": (c_int32, (
        handles.Tag, POINTER(structs.RequestOptions), callbacks.BatteryCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Request),
    )),
    "jacquard_connection_on_battery": (c_int32, (
        handles.Connection, callbacks.BatteryEventCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Subscription),
    )),
    "jacquard_component_ref": (handles.Component, (handles.Component,)),
    "jacquard_component_unref": (handles.Component, (handles.Component,)),
    "jacquard_tag_get_component": (c_int32, (handles.Tag, POINTER(handles.Component))),
    "jacquard_tag_get_component_at": (c_int32, (handles.Tag, c_uint32, POINTER(handles.Component))),
    "jacquard_component_get_info": (c_int32, (handles.Component, POINTER(POINTER(structs.ComponentInfo)))),
    "jacquard_component_read_info": (c_int32, (
        handles.Component, POINTER(structs.RequestOptions), callbacks.ComponentInfoCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_connection_on_gear": (c_int32, (
        handles.Connection, callbacks.GearCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Subscription),
    )),
    "jacquard_component_play_led": (c_int32, (
        handles.Component, POINTER(structs.LedPattern), POINTER(structs.RequestOptions), callbacks.DoneCallback,
        c_void_p, callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_component_play_haptic": (c_int32, (
        handles.Component, POINTER(structs.Haptic), POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_component_set_touch_mode": (c_int32, (
        handles.Component, c_uint32, POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_connection_on_touch_mode": (c_int32, (
        handles.Connection, callbacks.TouchModeCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Subscription),
    )),
    "jacquard_gesture_name": (c_char_p, (c_uint32,)),
    "jacquard_connection_on_gesture": (c_int32, (
        handles.Connection, callbacks.GestureCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Subscription),
    )),
    "jacquard_connection_on_touch": (c_int32, (
        handles.Connection, callbacks.TouchCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Subscription),
    )),
    "jacquard_tag_rename": (c_int32, (
        handles.Tag, c_char_p, POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_connection_on_name": (c_int32, (
        handles.Connection, callbacks.NameCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Subscription),
    )),
    "jacquard_tag_request_disconnect": (c_int32, (
        handles.Tag, c_uint32, c_uint32, POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_connection_get_rssi": (c_int32, (handles.Connection, POINTER(c_int32))),
    "jacquard_connection_get_counters": (c_int32, (handles.Connection, POINTER(structs.Counters))),
    "jacquard_firmware_new": (c_int32, (POINTER(structs.FirmwareSource), POINTER(handles.Firmware))),
    "jacquard_firmware_ref": (handles.Firmware, (handles.Firmware,)),
    "jacquard_firmware_unref": (handles.Firmware, (handles.Firmware,)),
    "jacquard_firmware_get_info": (c_int32, (handles.Firmware, POINTER(POINTER(structs.FirmwareInfo)))),
    "jacquard_connection_update_firmware": (c_int32, (
        handles.Connection, POINTER(handles.Firmware), c_size_t, POINTER(structs.UpdateOptions),
        callbacks.UpdateProgressCallback, callbacks.UpdateCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Request),
    )),
    "jacquard_tag_prepare_motion": (c_int32, (
        handles.Tag, POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Request),
    )),
    "jacquard_tag_release_motion": (c_int32, (
        handles.Tag, POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Request),
    )),
    "jacquard_tag_start_recording": (c_int32, (
        handles.Tag, POINTER(structs.Session), POINTER(structs.MotionSettings), POINTER(structs.RequestOptions),
        callbacks.DoneCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_tag_stop_motion": (c_int32, (
        handles.Tag, POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Request),
    )),
    "jacquard_tag_read_motion_status": (c_int32, (
        handles.Tag, POINTER(structs.RequestOptions), callbacks.MotionStatusCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_tag_list_sessions": (c_int32, (
        handles.Tag, POINTER(structs.RequestOptions), callbacks.SessionsCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Request),
    )),
    "jacquard_tag_erase_session": (c_int32, (
        handles.Tag, POINTER(structs.Session), POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_tag_erase_all_sessions": (c_int32, (
        handles.Tag, POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Request),
    )),
    "jacquard_connection_download_session": (c_int32, (
        handles.Connection, POINTER(structs.Session), POINTER(structs.DownloadOptions), callbacks.DownloadDataCallback,
        callbacks.DownloadCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_connection_stream_motion": (c_int32, (
        handles.Connection, POINTER(structs.MotionSettings), callbacks.MotionCallback, callbacks.DoneCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_motion_reader_new": (c_int32, (POINTER(structs.MotionReaderOptions), POINTER(handles.MotionReader))),
    "jacquard_motion_reader_ref": (handles.MotionReader, (handles.MotionReader,)),
    "jacquard_motion_reader_unref": (handles.MotionReader, (handles.MotionReader,)),
    "jacquard_motion_reader_read": (c_int32, (
        handles.MotionReader, POINTER(c_uint8), c_size_t, callbacks.MotionPartCallback, c_void_p,
    )),
    "jacquard_motion_reader_get_end": (c_int32, (handles.MotionReader, POINTER(c_uint64))),
    "jacquard_motion_writer_new": (c_int32, (
        POINTER(structs.Session), POINTER(structs.MotionSettings), POINTER(handles.MotionWriter),
    )),
    "jacquard_motion_writer_ref": (handles.MotionWriter, (handles.MotionWriter,)),
    "jacquard_motion_writer_unref": (handles.MotionWriter, (handles.MotionWriter,)),
    "jacquard_motion_writer_start": (c_int32, (handles.MotionWriter, c_uint32)),
    "jacquard_motion_writer_add": (c_int32, (handles.MotionWriter, POINTER(structs.MotionCounts), c_size_t)),
    "jacquard_motion_writer_end": (c_int32, (handles.MotionWriter, c_uint32)),
    "jacquard_motion_writer_take": (c_int32, (handles.MotionWriter, POINTER(POINTER(c_uint8)), POINTER(c_size_t))),
    "jacquard_tag_send_request": (c_int32, (
        handles.Tag, POINTER(c_uint8), c_size_t, POINTER(structs.RequestOptions), callbacks.ResponseCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_connection_on_notification": (c_int32, (
        handles.Connection, callbacks.BytesCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Subscription),
    )),
    "jacquard_connection_on_raw_data": (c_int32, (
        handles.Connection, callbacks.BytesCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Subscription),
    )),
    "jacquard_connection_on_raw_value": (c_int32, (
        handles.Connection, callbacks.BytesCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Subscription),
    )),
    "jacquard_tag_send_raw_data": (c_int32, (
        handles.Tag, POINTER(c_uint8), c_size_t, POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_tag_write_value": (c_int32, (
        handles.Tag, c_uint32, c_uint32, c_char_p, POINTER(structs.Value), POINTER(structs.RequestOptions),
        callbacks.DoneCallback, c_void_p, callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_tag_read_value": (c_int32, (
        handles.Tag, c_uint32, c_uint32, c_char_p, POINTER(structs.RequestOptions), callbacks.ValueCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_tag_read_configuration": (c_int32, (
        handles.Tag, POINTER(structs.RequestOptions), callbacks.ConfigurationCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_tag_write_configuration": (c_int32, (
        handles.Tag, POINTER(structs.Configuration), POINTER(structs.RequestOptions), callbacks.ConfigurationCallback,
        c_void_p, callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_tag_list_modules": (c_int32, (
        handles.Tag, POINTER(structs.RequestOptions), callbacks.ModulesCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Request),
    )),
    "jacquard_tag_load_module": (c_int32, (
        handles.Tag, POINTER(structs.Module), POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_tag_unload_module": (c_int32, (
        handles.Tag, POINTER(structs.Module), POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_tag_delete_module": (c_int32, (
        handles.Tag, POINTER(structs.Module), POINTER(structs.RequestOptions), callbacks.DoneCallback, c_void_p,
        callbacks.DestroyCallback, POINTER(handles.Request),
    )),
    "jacquard_connection_on_module_load": (c_int32, (
        handles.Connection, callbacks.ModuleLoadCallback, c_void_p, callbacks.DestroyCallback,
        POINTER(handles.Subscription),
    )),
    "jacquard_service_run": (c_int32, (POINTER(structs.ServiceOptions), callbacks.LogCallback, c_void_p)),
    "jacquard_touch_tracker_new": (c_int32, (POINTER(structs.TouchTrackerOptions), POINTER(handles.TouchTracker))),
    "jacquard_touch_tracker_ref": (handles.TouchTracker, (handles.TouchTracker,)),
    "jacquard_touch_tracker_unref": (handles.TouchTracker, (handles.TouchTracker,)),
    "jacquard_touch_tracker_process": (c_int32, (
        handles.TouchTracker, c_uint32, POINTER(c_uint8), c_size_t, c_int64, POINTER(structs.TouchPoint), c_size_t,
    )),
    "jacquard_touch_tracker_cancel": (c_int32, (handles.TouchTracker, c_int64, POINTER(structs.TouchPoint), c_size_t)),
    "jacquard_touch_tracker_gestures": (c_int32, (handles.TouchTracker, POINTER(structs.TouchGesture), c_size_t)),
    "jacquard_touch_tracker_get_health": (c_int32, (handles.TouchTracker, POINTER(structs.SleeveHealth))),
}
