"""The header's callback types.

Generated from jacquard.h by bindings/python/generator; do not edit.
"""

from ctypes import CFUNCTYPE, POINTER, c_int32, c_size_t, c_void_p

from . import structs
from .event_callback import event_callback

DestroyCallback = CFUNCTYPE(None, c_void_p)
LogCallback = CFUNCTYPE(None, POINTER(structs.Log), c_void_p)
AdapterCallback = CFUNCTYPE(None, POINTER(structs.Adapter), c_void_p)
AdvertisementCallback = CFUNCTYPE(None, POINTER(structs.Advertisement), c_void_p)
ScanEndCallback = CFUNCTYPE(None, POINTER(structs.ScanResult), c_void_p)
ScanningCallback = CFUNCTYPE(None, POINTER(structs.Scanning), c_void_p)
AdvertisementsCallback = CFUNCTYPE(
    None, POINTER(POINTER(structs.Advertisement)), c_size_t, POINTER(structs.Error), c_void_p,
)
ConnectionCallback = event_callback(structs.ConnectionState)
KnownTagsCallback = CFUNCTYPE(None, POINTER(POINTER(structs.KnownTag)), c_size_t, POINTER(structs.Error), c_void_p)
DoneCallback = CFUNCTYPE(None, POINTER(structs.Error), c_void_p)
RestorationsCallback = CFUNCTYPE(
    None, POINTER(POINTER(structs.Restoration)), c_size_t, POINTER(structs.Error), c_void_p,
)
BatteryCallback = CFUNCTYPE(None, POINTER(structs.Battery), POINTER(structs.Error), c_void_p)
BatteryEventCallback = event_callback(structs.BatteryEvent)
ComponentInfoCallback = CFUNCTYPE(None, POINTER(structs.ComponentInfo), POINTER(structs.Error), c_void_p)
GearCallback = event_callback(structs.Gear)
TouchModeCallback = event_callback(structs.TouchModeReport)
GestureCallback = event_callback(structs.Gesture)
TouchCallback = event_callback(structs.Touch)
NameCallback = event_callback(structs.Name)
UpdateProgressCallback = CFUNCTYPE(None, POINTER(structs.UpdateProgress), c_void_p)
UpdateCallback = CFUNCTYPE(None, POINTER(POINTER(structs.UpdateResult)), c_size_t, POINTER(structs.Error), c_void_p)
MotionStatusCallback = CFUNCTYPE(None, POINTER(structs.MotionStatus), POINTER(structs.Error), c_void_p)
SessionsCallback = CFUNCTYPE(None, POINTER(POINTER(structs.Session)), c_size_t, POINTER(structs.Error), c_void_p)
DownloadDataCallback = CFUNCTYPE(c_int32, POINTER(structs.DownloadData), c_void_p)
DownloadCallback = CFUNCTYPE(None, POINTER(structs.Download), POINTER(structs.Error), c_void_p)
MotionCallback = CFUNCTYPE(None, POINTER(structs.MotionEvent), c_void_p)
MotionPartCallback = CFUNCTYPE(None, POINTER(structs.MotionPart), c_void_p)
BytesCallback = event_callback(structs.Bytes)
ResponseCallback = CFUNCTYPE(None, POINTER(structs.Bytes), POINTER(structs.Error), c_void_p)
ValueCallback = CFUNCTYPE(None, POINTER(structs.Value), POINTER(structs.Error), c_void_p)
ConfigurationCallback = CFUNCTYPE(None, POINTER(structs.Configuration), POINTER(structs.Error), c_void_p)
ModulesCallback = CFUNCTYPE(None, POINTER(POINTER(structs.Module)), c_size_t, POINTER(structs.Error), c_void_p)
ModuleLoadCallback = event_callback(structs.ModuleLoad)
