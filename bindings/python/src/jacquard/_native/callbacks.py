"""The header's callback types. user_data is a number here: see _core.registry."""

from ctypes import CFUNCTYPE, POINTER, c_uint, c_void_p

from . import handles, structs

DestroyCallback = CFUNCTYPE(None, c_void_p)
LogCallback = CFUNCTYPE(None, POINTER(structs.Log), c_void_p)
AdapterCallback = CFUNCTYPE(None, POINTER(structs.Adapter), c_void_p)
AdvertisementCallback = CFUNCTYPE(None, handles.Scan, POINTER(structs.Advertisement), c_void_p)
ScanEndCallback = CFUNCTYPE(None, handles.Scan, c_uint, POINTER(structs.Error), c_void_p)
ConnectionCallback = CFUNCTYPE(None, POINTER(structs.ConnectionState), c_void_p)
BatteryCallback = CFUNCTYPE(None, POINTER(structs.Battery), POINTER(structs.Error), c_void_p)
BatteryEventCallback = CFUNCTYPE(None, POINTER(structs.Battery), c_void_p)
