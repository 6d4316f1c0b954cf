"""Any invalid argument yields an error code: nothing crashes, nothing is kept, nothing is written."""

import ctypes
from typing import Any

import pytest
import raw
from attempts import (
    FAILS_WITH_NULL,
    FAILS_WITH_NUMBER,
    IDENTIFIER,
    MALFORMED_TEXT,
    MUST_CALL_BACK,
    NOUNS,
    NUMBERS,
    OPTIONS,
    Attempt,
    alive,  # noqa: F401
    released,  # noqa: F401
)
from jacquard import Status
from jacquard._native import callbacks, handles, prototypes, structs
from jacquard._native.library import library


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
