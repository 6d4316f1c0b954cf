"""Calls a method on D-Bus."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

from ..action import Action, ActionError, Resources, Run, toml, written
from ..bus import DAEMON, LIBRARY, SessionBus, SystemBus
from ..table import Table, shown

KEYS = ("dbus",)
BUSES = {"session": SessionBus, "system": SystemBus}
NAME = re.compile(r"(?=.{3,255}$)[A-Za-z_-][A-Za-z0-9_-]*(\.[A-Za-z_-][A-Za-z0-9_-]*)+|:[0-9.]+")
OBJECT = re.compile(r"/|(/[A-Za-z0-9_]+)+")
MEMBER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,254}")
TYPES = {bool: "b", int: "i", float: "d", str: "s"}


@dataclasses.dataclass(frozen=True)
class Call(Action):
    bus: str
    destination: str
    path: str
    interface: str
    member: str
    signature: str = ""
    # Lists as tuples, and tables as tuples of pairs.
    arguments: tuple[Any, ...] = ()

    libraries = (LIBRARY,)
    may_run_commands = True

    @property
    def needs(self) -> Any:  # type: ignore[override]
        return (BUSES[self.bus],)

    async def check(self, resources: Resources) -> None:
        await super().check(resources)
        bus = resources.of(BUSES[self.bus])
        for member in ("ListNames", "ListActivatableNames"):
            (names,) = await bus.call(DAEMON, "/org/freedesktop/DBus", DAEMON, member)
            if self.destination in names:
                return
        raise ActionError(f"no service {self.destination} is on the {self.bus} bus, or can be started there")

    async def act(self, run: Run) -> str:
        bus = run.resources.of(BUSES[self.bus])
        body = converted(self.signature, self.arguments)
        names = (self.destination, self.path, self.interface, self.member)
        reply = await bus.call(*names, self.signature, body)
        return ", ".join(map(str, reply))

    def __str__(self) -> str:
        return written("dbus", f"{self.destination} {self.path} {self.interface}.{self.member}") + (
            f" {toml(self.arguments)}" if self.arguments else ""
        )


def read(table: Table, key: str) -> Action:
    call = table.table(key)
    assert call is not None
    names = {}
    for name, pattern in (("destination", NAME), ("path", OBJECT), ("interface", NAME), ("member", MEMBER)):
        call.required(name)
        text = call.text(name) or ""
        if pattern.fullmatch(text) is None:
            raise call.problem(f"{shown(text)} is not a valid {name}", name)
        names[name] = text
    bus = call.choice("bus", BUSES) or "session"
    signature = call.text("signature", "") or ""
    arguments = call.value("arguments")
    if arguments is not None and not isinstance(arguments, list):
        raise call.problem(f"{shown(arguments)} is not a list", "arguments")
    call.finish()
    action = Call(bus, **names, signature=signature, arguments=frozen(arguments or []))
    if not LIBRARY.is_missing:
        try:
            converted(signature, action.arguments)
        except ActionError as error:
            raise call.problem(str(error), "arguments" if arguments is not None else "signature") from None
    return action


def frozen(value: Any) -> Any:
    """Lists as tuples, and tables as tuples of pairs."""
    if isinstance(value, dict):
        return tuple((key, frozen(item)) for key, item in value.items())
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def converted(signature: str, arguments: tuple[Any, ...]) -> list[Any]:
    """The arguments as dbus-fast needs them. Raises ActionError if they do not have these types."""
    from dbus_fast import SignatureTree

    try:
        tree = SignatureTree(signature)
        if len(tree.types) != len(arguments):
            raise ActionError(f"the signature has {len(tree.types)} types, and there are {len(arguments)} arguments")
        body = [value_of(type, argument) for type, argument in zip(tree.types, arguments)]
        tree.verify(body)
    except ActionError:
        raise
    except Exception as error:
        raise ActionError(f"the arguments do not have the signature {signature!r}: {error}") from None
    return body


def value_of(type: Any, value: Any) -> Any:
    from dbus_fast import Variant

    if type.token == "v":
        if isinstance(value, tuple):
            raise ActionError("a variant that contains a list or a table is not supported")
        return Variant(TYPES[value.__class__], value)
    if type.token == "d" and value.__class__ is int:
        return float(value)
    if type.token == "a" and type.children[0].token == "{":
        _, of_value = type.children[0].children
        return {key: value_of(of_value, item) for key, item in value}
    if type.token == "a":
        return [value_of(type.children[0], item) for item in value]
    if type.token == "(":
        return [value_of(child, item) for child, item in zip(type.children, value)]
    return value
