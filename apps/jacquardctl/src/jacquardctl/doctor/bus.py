"""Queries bluetoothd's objects once, through libdbus, which the library needs anyway."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_int, c_uint, c_void_p
from types import TracebackType
from typing import Any

WELL_KNOWN = "unix:path=/run/dbus/system_bus_socket"
TIMEOUT_MS = 3000
PLAIN: dict[str, Any] = {
    "y": ctypes.c_uint8,
    "b": ctypes.c_uint32,
    "n": ctypes.c_int16,
    "q": ctypes.c_uint16,
    "i": ctypes.c_int32,
    "u": ctypes.c_uint32,
    "x": ctypes.c_int64,
    "t": ctypes.c_uint64,
    "d": ctypes.c_double,
    "s": c_char_p,
    "o": c_char_p,
    "g": c_char_p,
}


class Error(ctypes.Structure):
    """DBusError"""

    _fields_ = [("name", c_char_p), ("message", c_char_p), ("flags", c_uint), ("padding", c_void_p)]


class Iterator(ctypes.Structure):
    """DBusMessageIter: opaque, and not larger than this on any machine."""

    _fields_ = [("room", c_void_p * 32)]


# Errors that libdbus makes itself: like those of a filter, they have no sender.
OF_LIBDBUS = {f"org.freedesktop.DBus.Error.{name}" for name in ("NoReply", "Timeout", "Disconnected")}


class BusError(Exception):
    """The bus or the called service returned an error."""


class Filtered(BusError):
    """A filter between this program and the bus, such as that of a sandbox, returned an error: the bus would have filled
    in the sender."""


def libdbus() -> Any:
    library = ctypes.CDLL("libdbus-1.so.3")
    for name, result, parameters in (
        ("dbus_connection_open_private", c_void_p, (c_char_p, POINTER(Error))),
        ("dbus_bus_register", c_uint, (c_void_p, POINTER(Error))),
        ("dbus_connection_set_exit_on_disconnect", None, (c_void_p, c_uint)),
        ("dbus_connection_close", None, (c_void_p,)),
        ("dbus_connection_unref", None, (c_void_p,)),
        ("dbus_message_new_method_call", c_void_p, (c_char_p, c_char_p, c_char_p, c_char_p)),
        ("dbus_connection_send_with_reply", c_uint, (c_void_p, c_void_p, POINTER(c_void_p), c_int)),
        ("dbus_pending_call_block", None, (c_void_p,)),
        ("dbus_pending_call_steal_reply", c_void_p, (c_void_p,)),
        ("dbus_pending_call_unref", None, (c_void_p,)),
        ("dbus_set_error_from_message", c_uint, (POINTER(Error), c_void_p)),
        ("dbus_message_get_sender", c_char_p, (c_void_p,)),
        ("dbus_message_unref", None, (c_void_p,)),
        ("dbus_message_iter_init", c_uint, (c_void_p, POINTER(Iterator))),
        ("dbus_message_iter_get_arg_type", c_int, (POINTER(Iterator),)),
        ("dbus_message_iter_next", c_uint, (POINTER(Iterator),)),
        ("dbus_message_iter_recurse", None, (POINTER(Iterator), POINTER(Iterator))),
        ("dbus_message_iter_get_basic", None, (POINTER(Iterator), c_void_p)),
        ("dbus_error_free", None, (POINTER(Error),)),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
    return library


class Bus:
    """A private connection for a `with` block. Its calls block: use it outside the event loop."""

    def __init__(self) -> None:
        self._library = libdbus()

    def __enter__(self) -> Bus:
        error = Error()
        # Not dbus_bus_get_private(): it reads the environment only once per process.
        address = os.environ.get("DBUS_SYSTEM_BUS_ADDRESS") or WELL_KNOWN
        self._connection = self._library.dbus_connection_open_private(address.encode(), byref(error))
        if not self._connection:
            raise self._told(error)
        self._library.dbus_connection_set_exit_on_disconnect(self._connection, 0)
        if not self._library.dbus_bus_register(self._connection, byref(error)):
            self.__exit__(None, None, None)
            raise self._told(error)
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._library.dbus_connection_close(self._connection)
        self._library.dbus_connection_unref(self._connection)

    def call(self, name: str, path: str, interface: str, method: str) -> Any:
        """Calls a method without arguments and returns the first value of the reply."""
        words = [word.encode() for word in (name, path, interface, method)]
        message = self._library.dbus_message_new_method_call(*words)
        pending, error = c_void_p(), Error()
        self._library.dbus_connection_send_with_reply(self._connection, message, byref(pending), TIMEOUT_MS)
        self._library.dbus_message_unref(message)
        if not pending:
            raise BusError("disconnected")
        self._library.dbus_pending_call_block(pending)
        reply = self._library.dbus_pending_call_steal_reply(pending)
        self._library.dbus_pending_call_unref(pending)
        try:
            if self._library.dbus_set_error_from_message(byref(error), reply):
                is_plain = error.name.decode() in OF_LIBDBUS or self._library.dbus_message_get_sender(reply)
                raise self._told(error, BusError if is_plain else Filtered)
            cursor = Iterator()
            return self._value(cursor) if self._library.dbus_message_iter_init(reply, byref(cursor)) else None
        finally:
            self._library.dbus_message_unref(reply)

    def _told(self, error: Error, kind: type[BusError] = BusError) -> BusError:
        text = f"{(error.name or b'').decode()}: {(error.message or b'').decode(errors='replace')}"
        self._library.dbus_error_free(byref(error))
        return kind(text)

    def _value(self, cursor: Iterator) -> Any:
        type = chr(self._library.dbus_message_iter_get_arg_type(byref(cursor)))
        if type in PLAIN:
            room = PLAIN[type]()
            self._library.dbus_message_iter_get_basic(byref(cursor), byref(room))
            if isinstance(room, c_char_p):
                return (room.value or b"").decode(errors="replace")
            return bool(room.value) if type == "b" else room.value
        if type not in "avre":
            return None
        inside = Iterator()
        self._library.dbus_message_iter_recurse(byref(cursor), byref(inside))
        entries = chr(self._library.dbus_message_iter_get_arg_type(byref(inside))) == "e"
        values = []
        while self._library.dbus_message_iter_get_arg_type(byref(inside)):
            values.append(self._value(inside))
            self._library.dbus_message_iter_next(byref(inside))
        if type == "v":
            return values[0]
        return dict(values) if entries else tuple(values) if type in "re" else values
