"""The header's functions: name, result, parameters."""

from ctypes import POINTER, c_char_p, c_int, c_uint, c_uint32, c_void_p
from typing import Any

from . import callbacks, handles, structs

PROTOTYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "jacquard_version": (c_uint32, ()),
    "jacquard_version_string": (c_char_p, ()),
    "jacquard_status_text": (c_char_p, (c_int,)),
    "jacquard_status_name": (c_char_p, (c_int,)),
    "jacquard_manager_new": (c_int, (POINTER(structs.ManagerOptions), POINTER(handles.Manager))),
    "jacquard_manager_ref": (handles.Manager, (handles.Manager,)),
    "jacquard_manager_unref": (handles.Manager, (handles.Manager,)),
    "jacquard_manager_get_fd": (c_int, (handles.Manager,)),
    "jacquard_manager_dispatch": (c_int, (handles.Manager,)),
    "jacquard_manager_start": (c_int, (handles.Manager,)),
    "jacquard_manager_on_log": (
        c_int,
        (
            handles.Manager,
            c_uint,
            callbacks.LogCallback,
            c_void_p,
            callbacks.DestroyCallback,
            POINTER(handles.Subscription),
        ),
    ),
    "jacquard_manager_on_adapter": (
        c_int,
        (
            handles.Manager,
            callbacks.AdapterCallback,
            c_void_p,
            callbacks.DestroyCallback,
            POINTER(handles.Subscription),
        ),
    ),
    "jacquard_adapter_state_name": (c_char_p, (c_uint,)),
    "jacquard_manager_scan": (
        c_int,
        (
            handles.Manager,
            POINTER(structs.ScanOptions),
            callbacks.AdvertisementCallback,
            callbacks.ScanEndCallback,
            c_void_p,
            callbacks.DestroyCallback,
            POINTER(handles.Scan),
        ),
    ),
    "jacquard_scan_ref": (handles.Scan, (handles.Scan,)),
    "jacquard_scan_unref": (handles.Scan, (handles.Scan,)),
    "jacquard_scan_stop": (c_int, (handles.Scan,)),
    "jacquard_phase_name": (c_char_p, (c_uint,)),
    "jacquard_manager_connect": (
        c_int,
        (
            handles.Manager,
            c_char_p,
            POINTER(structs.ConnectOptions),
            callbacks.ConnectionCallback,
            c_void_p,
            callbacks.DestroyCallback,
            POINTER(handles.Connection),
        ),
    ),
    "jacquard_connection_ref": (handles.Connection, (handles.Connection,)),
    "jacquard_connection_unref": (handles.Connection, (handles.Connection,)),
    "jacquard_connection_disconnect": (c_int, (handles.Connection,)),
    "jacquard_connection_on_state": (
        c_int,
        (
            handles.Connection,
            callbacks.ConnectionCallback,
            c_void_p,
            callbacks.DestroyCallback,
            POINTER(handles.Subscription),
        ),
    ),
    "jacquard_subscription_ref": (handles.Subscription, (handles.Subscription,)),
    "jacquard_subscription_unref": (handles.Subscription, (handles.Subscription,)),
    "jacquard_subscription_cancel": (c_int, (handles.Subscription,)),
    "jacquard_tag_ref": (handles.Tag, (handles.Tag,)),
    "jacquard_tag_unref": (handles.Tag, (handles.Tag,)),
    "jacquard_tag_get_info": (c_int, (handles.Tag, POINTER(POINTER(structs.TagInfo)))),
    "jacquard_request_ref": (handles.Request, (handles.Request,)),
    "jacquard_request_unref": (handles.Request, (handles.Request,)),
    "jacquard_request_cancel": (c_int, (handles.Request,)),
    "jacquard_tag_read_battery": (
        c_int,
        (
            handles.Tag,
            POINTER(structs.RequestOptions),
            callbacks.BatteryCallback,
            c_void_p,
            callbacks.DestroyCallback,
            POINTER(handles.Request),
        ),
    ),
    "jacquard_connection_on_battery": (
        c_int,
        (
            handles.Connection,
            callbacks.BatteryEventCallback,
            c_void_p,
            callbacks.DestroyCallback,
            POINTER(handles.Subscription),
        ),
    ),
}
