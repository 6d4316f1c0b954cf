"""Any invalid argument yields an error code: nothing crashes, nothing is kept, nothing is written."""

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


def test_there_is_a_valid_handle_of_every_type(alive: dict[Any, Any]) -> None:
    assert {noun.__name__ for noun in alive} == {name for name in vars(handles) if name[0].isupper()}


@pytest.mark.parametrize("name", FAILS_WITH_NUMBER)
def test_null_for_a_handle_is_an_invalid_argument(name: str, alive: dict[Any, Any]) -> None:
    Attempt(name, alive).replaced(prototypes.PROTOTYPES[name][1][0], None).must_fail(Status.INVALID_ARGUMENT)


@pytest.mark.parametrize("name", FAILS_WITH_NUMBER)
def test_a_made_up_number_is_an_invalid_handle(name: str, alive: dict[Any, Any]) -> None:
    for number in NUMBERS:
        Attempt(name, alive).replaced(prototypes.PROTOTYPES[name][1][0], number).must_fail(Status.INVALID_HANDLE)


@pytest.mark.parametrize("name", FAILS_WITH_NUMBER)
def test_a_handle_of_another_type_is_an_invalid_handle(name: str, alive: dict[Any, Any]) -> None:
    wanted = prototypes.PROTOTYPES[name][1][0]
    for other in NOUNS:
        if other is not wanted:
            Attempt(name, alive).replaced(wanted, alive[other].value).must_fail(Status.INVALID_HANDLE)


@pytest.mark.parametrize("name", FAILS_WITH_NUMBER)
def test_a_released_handle_is_an_invalid_handle(
    name: str, alive: dict[Any, Any], released: dict[Any, int]
) -> None:
    for number in released.values():
        Attempt(name, alive).replaced(prototypes.PROTOTYPES[name][1][0], number).must_fail(Status.INVALID_HANDLE)


@pytest.mark.parametrize("name", FAILS_WITH_NULL)
def test_ref_and_unref_of_anything_else_return_null(name: str, alive: dict[Any, Any], released: dict[Any, int]) -> None:
    wanted = prototypes.PROTOTYPES[name][1][0]
    others = [handle.value for noun, handle in alive.items() if noun is not wanted]
    for number in [None, *NUMBERS, *others, *released.values()]:
        assert getattr(library(), name)(number).value is None


@pytest.mark.parametrize("name, type", MUST_CALL_BACK)
def test_null_for_a_required_callback_is_an_invalid_argument(name: str, type: Any, alive: dict[Any, Any]) -> None:
    Attempt(name, alive).replaced(type, type()).must_fail(Status.INVALID_ARGUMENT)


@pytest.mark.parametrize(
    "name, type",
    [
        ("jacquard_manager_new", ctypes.POINTER(handles.Manager)),
        ("jacquard_manager_connect", ctypes.POINTER(handles.Connection)),
        ("jacquard_tag_get_info", ctypes.POINTER(ctypes.POINTER(structs.TagInfo))),
    ],
)
def test_null_for_a_required_output_is_an_invalid_argument(name: str, type: Any, alive: dict[Any, Any]) -> None:
    Attempt(name, alive).replaced(type, None).must_fail(Status.INVALID_ARGUMENT)


@pytest.mark.parametrize("struct", OPTIONS, ids=lambda struct: struct.__name__)
@pytest.mark.parametrize("size", [0, 1, 3, 4, "one less", 1 << 16, 0x7FFF_FFFF, 0xFFFF_FFFF])
def test_a_struct_of_an_unknown_size_is_refused(struct: Any, size: Any, alive: dict[Any, Any]) -> None:
    options = struct(ctypes.sizeof(struct) - 1 if size == "one less" else size)
    Attempt(OPTIONS[struct], alive).replaced(ctypes.POINTER(struct), options).must_fail(Status.INVALID_ARGUMENT)


# In a struct that the library fills, unknown fields are ignored.
@pytest.mark.parametrize(
    "struct", [struct for struct in OPTIONS if struct is not structs.Counters], ids=lambda struct: struct.__name__
)
def test_a_newer_struct_with_an_unknown_field_set_is_refused(struct: Any, alive: dict[Any, Any]) -> None:
    class Newer(ctypes.Structure):
        _fields_ = [("known", struct), ("added", ctypes.c_uint64)]

    newer = Newer(struct(ctypes.sizeof(Newer)), 1)
    options = ctypes.cast(ctypes.byref(newer), ctypes.POINTER(struct))
    Attempt(OPTIONS[struct], alive).replaced(ctypes.POINTER(struct), options).must_fail(Status.INVALID_ARGUMENT)


@pytest.mark.parametrize(
    "struct", [struct for struct in OPTIONS if "reserved" in dir(struct)], ids=lambda struct: struct.__name__
)
def test_a_reserved_field_that_is_not_zero_is_refused(struct: Any, alive: dict[Any, Any]) -> None:
    options = struct(ctypes.sizeof(struct), reserved=1)
    Attempt(OPTIONS[struct], alive).replaced(ctypes.POINTER(struct), options).must_fail(Status.INVALID_ARGUMENT)


@pytest.mark.parametrize("level", [0, 4, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF])
def test_a_log_level_that_does_not_exist_is_refused(level: int, alive: dict[Any, Any]) -> None:
    Attempt("jacquard_manager_on_log", alive).replaced(ctypes.c_uint, level).must_fail(Status.INVALID_ARGUMENT)


@pytest.mark.parametrize("number", [-(1 << 31), -1000, -8, -1, 0, 1, 7, 999, (1 << 31) - 1])
def test_every_number_has_a_name(number: int) -> None:
    for name in ("status_text", "status_name", "phase_name", "adapter_state_name"):
        assert getattr(library(), f"jacquard_{name}")(number).decode()


@pytest.mark.parametrize("text", [b"", b"01ZK", IDENTIFIER[:-1], IDENTIFIER + b"0", b"g" * 36, b"-" * 36])
def test_an_identifier_that_is_not_a_uuid_is_refused(text: bytes, alive: dict[Any, Any]) -> None:
    Attempt("jacquard_manager_connect", alive).replaced(ctypes.c_char_p, text).must_fail(Status.INVALID_ARGUMENT)


@pytest.mark.parametrize("text", MALFORMED_TEXT.values(), ids=MALFORMED_TEXT)
def test_malformed_and_overlong_text_is_refused(text: bytes, alive: dict[Any, Any]) -> None:
    size = ctypes.sizeof(structs.ManagerOptions)
    address, adapter = structs.ManagerOptions(size, 0, text, None), structs.ManagerOptions(size, 0, None, text)
    serial = structs.ScanOptions(ctypes.sizeof(structs.ScanOptions), 0, text)
    refused = (Status.INVALID_ARGUMENT, Status.BUS_ADDRESS)
    manager_options = ctypes.POINTER(structs.ManagerOptions)
    Attempt("jacquard_manager_new", alive).replaced(manager_options, address).must_fail(*refused)
    Attempt("jacquard_manager_new", alive).replaced(manager_options, adapter).must_fail(Status.INVALID_ARGUMENT)
    Attempt("jacquard_manager_connect", alive).replaced(ctypes.c_char_p, text).must_fail(Status.INVALID_ARGUMENT)
    scan = Attempt("jacquard_manager_scan", alive).replaced(ctypes.POINTER(structs.ScanOptions), serial)
    scan.must_fail(Status.INVALID_ARGUMENT)


@pytest.mark.parametrize(
    "address", [b"tcp:host=127.0.0.1,port=1", b"unix:", b"nonsense", b"unix:path=/x;tcp:host=h,port=2", b"autolaunch:"]
)
def test_a_bus_address_without_a_unix_socket_is_refused(address: bytes, alive: dict[Any, Any]) -> None:
    options = structs.ManagerOptions(ctypes.sizeof(structs.ManagerOptions), 0, address, None)
    attempt = Attempt("jacquard_manager_new", alive).replaced(ctypes.POINTER(structs.ManagerOptions), options)
    attempt.must_fail(Status.BUS_ADDRESS, Status.INVALID_ARGUMENT)


@pytest.mark.parametrize("adapter", [b"hci0", b"00:11:22:33:44", b"00:11:22:33:44:5", b"00:11:22:33:44:GG", b""])
def test_an_adapter_that_is_not_an_address_is_refused(adapter: bytes, alive: dict[Any, Any]) -> None:
    options = structs.ManagerOptions(ctypes.sizeof(structs.ManagerOptions), 0, None, adapter)
    attempt = Attempt("jacquard_manager_new", alive).replaced(ctypes.POINTER(structs.ManagerOptions), options)
    attempt.must_fail(Status.INVALID_ARGUMENT)


@pytest.mark.parametrize("rssi", [-(1 << 31), -128, 21, 127, (1 << 31) - 1])
def test_a_signal_strength_out_of_range_is_refused(rssi: int, alive: dict[Any, Any]) -> None:
    options = structs.ScanOptions(ctypes.sizeof(structs.ScanOptions), 0, None, rssi)
    attempt = Attempt("jacquard_manager_scan", alive).replaced(ctypes.POINTER(structs.ScanOptions), options)
    attempt.must_fail(Status.INVALID_ARGUMENT)


def test_the_handles_still_work_afterwards(alive: dict[Any, Any]) -> None:
    answers = raw.Calls(callbacks.BatteryCallback)
    assert not library().jacquard_tag_read_battery(
        alive[handles.Tag],
        None,
        answers.callback,
        None,
        raw.NO_DESTROY,
        ctypes.POINTER(handles.Request)(),
    )
    raw.dispatch_until(alive[handles.Manager], lambda: answers.count == 1)
