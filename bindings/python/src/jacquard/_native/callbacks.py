"""The header's callback types.

Generated from jacquard.h by bindings/python/generator; do not edit.
"""

from ctypes import CFUNCTYPE, POINTER, c_size_t, c_uint32, c_void_p

from . import handles, structs

DestroyCallback = CFUNCTYPE(None, c_void_p)
LogCallback = CFUNCTYPE(None, POINTER(structs.Log), c_void_p)
AdapterCallback = CFUNCTYPE(None, POINTER(structs.Adapter), c_void_p)
AdvertisementCallback = CFUNCTYPE(None, handles.Scan, POINTER(structs.Advertisement), c_void_p)
ScanEndCallback = CFUNCTYPE(None, handles.Scan, c_uint32, POINTER(structs.Error), c_void_p)
ConnectionCallback = CFUNCTYPE(None, POINTER(structs.ConnectionState), c_void_p)
KnownTagsCallback = CFUNCTYPE(None, POINTER(POINTER(structs.KnownTag)), c_size_t, POINTER(structs.Error), c_void_p)
DoneCallback = CFUNCTYPE(None, POINTER(structs.Error), c_void_p)
RestorationCallback = CFUNCTYPE(None, POINTER(structs.Restoration), c_void_p)
BatteryCallback = CFUNCTYPE(None, POINTER(structs.Battery), POINTER(structs.Error), c_void_p)
BatteryEventCallback = CFUNCTYPE(None, POINTER(structs.Battery), c_void_p)
ComponentInfoCallback = CFUNCTYPE(None, POINTER(structs.ComponentInfo), POINTER(structs.Error), c_void_p)
GearCallback = CFUNCTYPE(None, POINTER(structs.Gear), c_void_p)
GestureCallback = CFUNCTYPE(None, POINTER(structs.Gesture), c_void_p)
TouchCallback = CFUNCTYPE(None, POINTER(structs.Touch), c_void_p)
NameCallback = CFUNCTYPE(None, POINTER(structs.Name), c_void_p)
ValueCallback = CFUNCTYPE(None, POINTER(structs.Value), POINTER(structs.Error), c_void_p)
ConfigurationCallback = CFUNCTYPE(None, POINTER(structs.Configuration), POINTER(structs.Error), c_void_p)
ModulesCallback = CFUNCTYPE(None, POINTER(POINTER(structs.Module)), c_size_t, POINTER(structs.Error), c_void_p)
BytesCallback = CFUNCTYPE(None, POINTER(structs.Bytes), c_void_p)
ResponseCallback = CFUNCTYPE(None, POINTER(structs.Bytes), POINTER(structs.Error), c_void_p)
