"""Exceptions contain everything in the library's errors."""

from __future__ import annotations

import builtins
import ctypes
from typing import Any, Callable

import jacquard
import jacquard.blocking
import pytest
from jacquard import Status
from jacquard._core import convert
from jacquard._native import structs
from jacquard._native.library import library
from jacquard.errors import BY_STATUS, ErrorDetails

FAMILIES = {
    range(-19, 0): jacquard.UsageError,
    range(-39, -19): jacquard.MachineError,
    range(-59, -39): jacquard.LinkError,
    range(-79, -59): jacquard.TagError,
}


def a_struct(code: int) -> structs.Error:
    return structs.Error(
        code=code,
        system_errno=2,
        att_code=0x0E,
        tag_status=8,
        tag_status_name=b"BAD_PARAMETER",
        dbus_name=b"org.bluez.Error.Failed",
        message="It fell – apart.".encode(),
        advice=b"Try again.",
    )


@pytest.mark.parametrize(
    "status", [status for status in Status if status is not Status.OK], ids=lambda status: status.name
)
def test_each_status_has_its_own_exception_in_its_group(status: Status) -> None:
    error = convert.error(ctypes.pointer(a_struct(status)))
    assert error is not None
    assert type(error) is BY_STATUS[status]
    assert list(BY_STATUS.values()).count(type(error)) == 1
    (family,) = [family for numbers, family in FAMILIES.items() if status in numbers]
    assert isinstance(error, family)
    words = "".join(word.capitalize() for word in status.name.split("_"))
    assert type(error).__name__ in (f"{words}Error", "SystemResourceError")
    assert getattr(jacquard, type(error).__name__) is type(error)
    assert library().jacquard_status_name(status).decode() == f"JACQUARD_ERROR_{status.name}"


def test_every_field_of_the_struct_is_converted() -> None:
    assert [name for name, *_ in structs.Error._fields_] == [
        "code",
        "system_errno",
        "att_code",
        "tag_status",
        "tag_status_name",
        "dbus_name",
        "message",
        "advice",
    ]
    error = convert.error(ctypes.pointer(a_struct(Status.GATT)))
    assert error is not None
    assert error.details == ErrorDetails(
        code=Status.GATT,
        system_errno=2,
        att_code=0x0E,
        tag_status=jacquard.TagStatus(8),
        tag_status_name="BAD_PARAMETER",
        dbus_name="org.bluez.Error.Failed",
        message="It fell – apart.",
        advice="Try again.",
    )
    assert (error.code, error.message, error.advice) == (Status.GATT, "It fell – apart.", "Try again.")
    assert str(error) == "It fell – apart. Try again."


def test_fields_that_do_not_apply_are_omitted() -> None:
    error = convert.error(ctypes.pointer(structs.Error(code=Status.TIMEOUT, message=b"Late.", advice=b"")))
    assert error is not None
    assert error.details == ErrorDetails(Status.TIMEOUT, "Late.")
    assert str(error) == "Late."


def test_a_status_of_a_newer_library_has_the_base_class() -> None:
    error = convert.error(ctypes.pointer(a_struct(-99)))
    assert type(error) is jacquard.JacquardError
    assert error.code == -99
    assert error.code.name == "UNKNOWN_-99"


def test_exceptions_also_have_built_in_base_classes() -> None:
    """Programs that only know Python's own exceptions still catch the right ones."""
    assert issubclass(jacquard.InvalidArgumentError, ValueError)
    assert issubclass(jacquard.TimeoutError, builtins.TimeoutError)
    assert issubclass(jacquard.JacquardError, Exception)


def test_a_refused_argument_is_explained() -> None:
    with pytest.raises(jacquard.InvalidArgumentError, match="adapter is not a Bluetooth address such as 00:11:22"):
        jacquard.blocking.Manager(adapter="hci0").open()


@pytest.mark.parametrize(
    "use",
    [
        lambda manager: manager.find(),
        lambda manager: manager.scan(),
        lambda manager: manager.known(),
        lambda manager: manager.connected(),
        lambda manager: manager.scanning_changes(),
        lambda manager: manager.adapter_states(),
        lambda manager: manager.connect("ae7dc88c-1437-5d1e-a862-ce1037371c9a").open(),
    ],
)
def test_a_manager_that_was_never_opened_is_explained(use: Callable[[Any], Any]) -> None:
    with pytest.raises(RuntimeError, match=r"this manager is not open: .*open\(\), and close\(\)"):
        use(jacquard.blocking.Manager())


def test_a_connection_that_was_never_opened_is_explained() -> None:
    with jacquard.blocking.Manager(bus_address="unix:path=/nonexistent") as manager:
        connection = manager.connect("ae7dc88c-1437-5d1e-a862-ce1037371c9a")
        with pytest.raises(RuntimeError, match=r"this connection is not open: .*open\(\), and close\(\)"):
            connection.tag()
