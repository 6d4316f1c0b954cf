"""bluetoothd's objects, without the library: what they show, and calls that only experiments make."""

from __future__ import annotations

import asyncio
from typing import Any, Callable

from jacquard_apps.system.together import within

from .answer import Interrupted
from .trace import CHARACTERISTIC, DEVICE, Trace

BLUEZ, MANAGER = "org.bluez", "org.freedesktop.DBus.ObjectManager"
PROPERTIES, DAEMON = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus"
# bluetoothd gives up connecting after 40 s.
REPLY = 45.0


class CallFailed(Interrupted):
    """bluetoothd refused a call."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(f"{name}: {text}")
        self.name = name


class Bus:
    """Use it with `async with`."""

    def __init__(self) -> None:
        self._traces: dict[str, Trace] = {}
        self._agent: tuple[str, Callable[[str], bool]] = ("", lambda member: False)

    async def __aenter__(self) -> Bus:
        from dbus_fast import BusType
        from dbus_fast.aio.message_bus import MessageBus

        self.bus: Any = await MessageBus(bus_type=BusType.SYSTEM).connect()
        self.bus.add_message_handler(self._received)
        await self.call(DAEMON, "/org/freedesktop/DBus", DAEMON, "AddMatch", "s", [f"type='signal',sender='{BLUEZ}'"])
        return self

    async def __aexit__(self, *error: object) -> None:
        self.bus.disconnect()

    async def call(
        self, destination: str, path: str, interface: str, member: str, signature: str = "", body: Any = ()
    ) -> list[Any]:
        from dbus_fast import Message, MessageType

        message = Message(
            destination=destination, path=path, interface=interface, member=member, signature=signature, body=list(body)
        )
        try:
            reply = await within(REPLY, self.bus.call(message))
        except (asyncio.TimeoutError, OSError, EOFError) as error:
            raise Interrupted(f"bluetoothd does not reply to {member}") from error
        if reply.message_type is MessageType.ERROR:
            raise CallFailed(str(reply.error_name), str(reply.body[0]) if reply.body else member)
        return list(reply.body)

    async def objects(self) -> dict[str, dict[str, dict[str, Any]]]:
        (found,) = await self.call(BLUEZ, "/", MANAGER, "GetManagedObjects")
        return {path: plain(interfaces) for path, interfaces in found.items()}

    async def device_path(self, address: str) -> str | None:
        """The path of a device by its address."""
        for path, interfaces in (await self.objects()).items():
            if interfaces.get(DEVICE, {}).get("Address", "").upper() == address.upper():
                return path
        return None

    async def properties(self, path: str, interface: str = DEVICE) -> dict[str, Any]:
        (found,) = await self.call(BLUEZ, path, PROPERTIES, "GetAll", "s", [interface])
        return dict(plain(found))

    async def follow(self, path: str, trace: Trace) -> None:
        """From now on the trace has everything that is signalled about this device."""
        self._traces[path] = trace
        for one, interfaces in (await self.objects()).items():
            if one.startswith(path):
                trace.add_object(one, interfaces)

    def forget(self, path: str) -> None:
        self._traces.pop(path, None)

    def answer_agent(self, interface: str, accepts: Callable[[str], bool]) -> None:
        """From now on, calls to a pairing agent of this program are accepted or rejected."""
        self._agent = interface, accepts

    def _received(self, message: Any) -> Any:
        if message.message_type.name == "METHOD_CALL" and message.interface == self._agent[0]:
            return self._reply(message)
        if message.message_type.name != "SIGNAL":
            return None
        if message.member in ("InterfacesAdded", "InterfacesRemoved"):
            path = str(message.body[0])
        else:
            path = message.path or ""
        for device, trace in self._traces.items():
            if path == device or path.startswith(device + "/"):
                tell(trace, path, message)
        return None

    def _reply(self, message: Any) -> Any:
        from dbus_fast import Message

        if self._agent[1](message.member):
            return Message.new_method_return(message)
        return Message.new_error(message, "org.bluez.Error.Rejected", "only noted")


def tell(trace: Trace, path: str, message: Any) -> None:
    if message.member == "InterfacesAdded":
        trace.add_object(path, plain(message.body[1]))
    elif message.member == "InterfacesRemoved":
        trace.remove_object(path)
    elif message.member == "Disconnected":
        trace.ended(str(message.body[0]))
    elif message.member == "PropertiesChanged":
        changed = plain(message.body[1])
        if message.body[0] == CHARACTERISTIC and "Value" in changed:
            trace.value(path, bytes(changed["Value"]))
        elif message.body[0] == DEVICE:
            trace.device(changed)


def plain(value: Any) -> Any:
    """A value without its variants."""
    if hasattr(value, "signature") and hasattr(value, "value"):
        return plain(value.value)
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list) else value
