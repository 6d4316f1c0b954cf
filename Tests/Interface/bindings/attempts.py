"""Calls of the library with valid arguments, of which a test replaces one: handles that are alive, and released ones."""

import ctypes
import inspect
from collections.abc import Iterator
from typing import Any

import pytest
import raw
from jacquard import Status
from jacquard._core.calls import noun
from jacquard._native import callbacks, handles, prototypes, structs
from jacquard._native.library import library
from simulator import Simulator

NOUNS = [
    handles.Manager,
    handles.Scan,
    handles.Connection,
    handles.Tag,
    handles.Component,
    handles.Subscription,
    handles.Request,
    handles.MotionReader,
    handles.MotionWriter,
]
TAKES_HANDLE = [name for name, (_, ps) in prototypes.PROTOTYPES.items() if ps and ps[0] in NOUNS]
FAILS_WITH_NUMBER = [name for name in TAKES_HANDLE if prototypes.PROTOTYPES[name][0] is ctypes.c_int]
FAILS_WITH_NULL = [name for name in TAKES_HANDLE if prototypes.PROTOTYPES[name][0] in NOUNS]
# The header allows NULL for these callbacks.
OPTIONAL_CALLBACKS = [callbacks.DestroyCallback, callbacks.ScanEndCallback, callbacks.DoneCallback]
MUST_CALL_BACK = [
    (name, type)
    for name in FAILS_WITH_NUMBER
    for type in prototypes.PROTOTYPES[name][1]
    if issubclass(type, ctypes._CFuncPtr)  # type: ignore[attr-defined]
    and type not in OPTIONAL_CALLBACKS
    and name != "jacquard_manager_connect"
]
NUMBERS = [1, 7, 8, 64, 4096, 0xDEADBEEF, 0x7FFF_FFFF_FFFF, 1 << 63, (1 << 64) - 1, (1 << 64) - 8]

# Structs with struct_size, and a function that takes each.
OPTIONS = {
    type._type_: name
    for name, (_, parameters) in reversed(prototypes.PROTOTYPES.items())
    for type in parameters
    if hasattr(type, "_type_") and getattr(type._type_, "_fields_", [("",)])[0][0] == "struct_size"
}
IDENTIFIER = b"f81d4fae-7dec-51d0-a765-00a0c91e6bf6"
MALFORMED_TEXT = {
    "a lone continuation byte": b"\x80",
    "an overlong NUL": b"\xc0\x80",
    "a surrogate": b"\xed\xa0\x80",
    "beyond Unicode": b"\xf5\x80\x80\x80",
    "cut short": b"01ZK\xe2\x82",
    "a megabyte": b"A" * (1 << 20),
}


@pytest.fixture(scope="module")
def alive(simulator_for_module: Simulator) -> Iterator[dict[Any, Any]]:
    """One valid handle of each type."""
    manager = raw.new_manager(simulator_for_module.bus_address)
    identifiers: list[bytes] = []
    tags: list[handles.Tag] = []
    seen = raw.Calls(
        callbacks.AdvertisementCallback, lambda found, _: identifiers.append(found.contents.identifier)
    )


    def keep_tag(address: int, _: int) -> None:
        tag = structs.ConnectionState.from_address(address).tag
        if tag:
            tags.append(library().jacquard_tag_ref(tag))

    state = raw.Calls(callbacks.ConnectionCallback, keep_tag)
    kept = (seen, state)
    scan = handles.Scan()
    nothing = callbacks.ScanEndCallback()
    assert not library().jacquard_manager_scan(
        manager, None, seen.callback, nothing, None, raw.NO_DESTROY, ctypes.byref(scan)
    )
    raw.dispatch_until(manager, lambda: bool(identifiers))
    connection = handles.Connection()
    assert not library().jacquard_manager_connect(
        manager, identifiers[0], None, state.callback, None, raw.NO_DESTROY, ctypes.byref(connection)
    )
    raw.dispatch_until(manager, lambda: bool(tags))
    subscription, request = handles.Subscription(), handles.Request()
    assert not library().jacquard_connection_on_battery(
        connection,
        raw.a_callback(callbacks.BatteryEventCallback),
        None,
        raw.NO_DESTROY,
        ctypes.byref(subscription),
    )
    assert not library().jacquard_tag_read_battery(
        tags[0], None, raw.a_callback(callbacks.BatteryCallback), None, raw.NO_DESTROY, ctypes.byref(request)
    )
    component = handles.Component()
    assert not library().jacquard_tag_get_component(tags[0], ctypes.byref(component))
    reader, writer = handles.MotionReader(), handles.MotionWriter()
    session = structs.Session(ctypes.sizeof(structs.Session), name=b"name")
    assert not library().jacquard_motion_reader_new(None, ctypes.byref(reader))
    assert not library().jacquard_motion_writer_new(ctypes.byref(session), None, ctypes.byref(writer))
    firmware, byte = handles.Firmware(), (ctypes.c_uint8 * 1)()
    source = structs.FirmwareSource(ctypes.sizeof(structs.FirmwareSource), identified=1, data=byte, data_size=1)
    assert not library().jacquard_firmware_new(ctypes.byref(source), ctypes.byref(firmware))
    tracker = handles.TouchTracker()
    assert not library().jacquard_touch_tracker_new(None, ctypes.byref(tracker))
    living = [manager, scan, connection, tags[0], component, subscription, request, tracker, reader, writer, firmware]
    yield {type(handle): handle for handle in living}
    for handle in reversed(living):
        getattr(library(), f"jacquard_{noun(type(handle))}_unref")(handle)
    del kept


@pytest.fixture(scope="module")
def released(simulator_for_module: Simulator) -> dict[Any, int]:
    """A released handle of each type."""
    manager = raw.new_manager(simulator_for_module.bus_address)
    scan, connection, subscription = handles.Scan(), handles.Connection(), handles.Subscription()
    library().jacquard_manager_scan(
        manager,
        None,
        raw.a_callback(callbacks.AdvertisementCallback),
        callbacks.ScanEndCallback(),
        None,
        raw.NO_DESTROY,
        ctypes.byref(scan),
    )
    library().jacquard_manager_connect(
        manager, IDENTIFIER, None, callbacks.ConnectionCallback(), None, raw.NO_DESTROY, ctypes.byref(connection)
    )
    library().jacquard_connection_on_battery(
        connection,
        raw.a_callback(callbacks.BatteryEventCallback),
        None,
        raw.NO_DESTROY,
        ctypes.byref(subscription),
    )
    living = [subscription, connection, scan, manager]
    for handle in living:
        assert handle.value
        getattr(library(), f"jacquard_{type(handle).__name__.lower()}_unref")(handle)
    return {type(handle): handle.value or 0 for handle in living}


pointer = ctypes.POINTER
OPTIONAL_STRUCTS = [
    pointer(struct)
    for struct in (structs.ManagerOptions, structs.ScanOptions, structs.ConnectOptions, structs.RequestOptions)
]


class Attempt:
    """A call whose arguments are valid except for the tested ones."""

    def __init__(self, name: str, alive: dict[Any, Any]) -> None:
        self.name = name
        self.destroyed = raw.Destroyed()
        self.output = ctypes.c_void_p(raw.SENTINEL)
        self.arguments = [self._valid(type, alive) for type in prototypes.PROTOTYPES[name][1]]

    def _valid(self, type: Any, alive: dict[Any, Any]) -> Any:
        if type in NOUNS:
            return alive[type]
        if type is callbacks.DestroyCallback:
            return self.destroyed.callback
        if issubclass(type, ctypes._CFuncPtr):  # type: ignore[attr-defined]
            return raw.a_callback(type)
        if type is ctypes.c_char_p:
            return IDENTIFIER
        if type is ctypes.c_uint:
            return 1
        if type in OPTIONAL_STRUCTS:
            return None
        if type in (pointer(struct) for struct in OPTIONS):
            return type._type_(ctypes.sizeof(type._type_))
        if type is pointer(ctypes.c_uint8):
            return (ctypes.c_uint8 * 1)()
        if type is ctypes.c_size_t:
            return 1
        if self._is_output(type):
            return ctypes.cast(ctypes.byref(self.output), type)
        return None

    @staticmethod
    def _is_output(type: Any) -> bool:
        target = getattr(type, "_type_", None)
        return target in NOUNS or (inspect.isclass(target) and issubclass(target, ctypes._Pointer))

    def replaced(self, parameter_type: Any, value: Any) -> "Attempt":
        self.arguments[prototypes.PROTOTYPES[self.name][1].index(parameter_type)] = value
        return self

    def result(self) -> Any:
        return getattr(library(), self.name)(*self.arguments)

    def must_fail(self, *allowed: Status) -> None:
        assert self.result() in allowed
        assert self.destroyed.count == 0, "destroy was called for a registration that was refused"
        assert self.output.value == raw.SENTINEL, "an output was written by a call that failed"
