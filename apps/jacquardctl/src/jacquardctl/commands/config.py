"""jacquardctl config"""

from __future__ import annotations

import contextlib
import dataclasses
from argparse import ArgumentTypeError, Namespace
from collections.abc import Mapping
from typing import Any, Union

from jacquard import Configuration, ValueType
from jacquard_apps.tags import target
from jacquard_apps.terminal import exits, options, output

Value = Union[bool, int, float, str]

TYPES = {type.name.lower(): type for type in ValueType}
BOOLEANS = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False, "1": True, "0": False}
SETTINGS = {field.name.replace("_", "-"): field for field in dataclasses.fields(Configuration)}
# 7.5 to 15 ms, like Android's high connection priority. No preset restores previous values; `config read` shows them.
PRESETS = {"connection-interval=fast": {"connection_interval_minimum": 6, "connection_interval_maximum": 12}}


def add(commands: Any) -> None:
    parser = commands.add_parser("config", help="a tag's configuration, and values stored on it")
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")

    get = actions.add_parser("get", parents=[options.with_tag()], help="read a stored value")
    store = actions.add_parser("set", parents=[options.with_tag()], help="store a value")
    for action in (get, store):
        action.add_argument("key", metavar="KEY", type=options.word, help="name of the value")
    store.add_argument("value", metavar="VALUE", help="the value; its type is guessed")
    store.add_argument("--type", choices=TYPES, help="type of the value (guessed)")
    for action in (get, store):
        action.add_argument(
            "--vendor-id", type=options.number, default=0, metavar="NUMBER", help="vendor that owns the key (the tag)"
        )
        action.add_argument(
            "--product-id", type=options.number, default=0, metavar="NUMBER", help="product that owns the key (the tag)"
        )
    get.set_defaults(run=run_get)
    store.set_defaults(run=run_set)

    read = actions.add_parser("read", parents=[options.with_tag()], help="show the tag's configuration")
    read.set_defaults(run=run_read)
    write = actions.add_parser("write", parents=[options.with_tag()], help="change the tag's configuration")
    about_changes = "a field and its new value, or connection-interval=fast for 7.5 to 15 ms"
    write.add_argument("changes", metavar="NAME=VALUE", nargs="+", type=change, help=about_changes)
    write.set_defaults(run=run_write)


async def run_get(arguments: Namespace) -> int:
    async with target.connected(arguments) as (_, tag):
        value = await tag.read_value(arguments.key, vendor_id=arguments.vendor_id, product_id=arguments.product_id)
    if arguments.json:
        output.say_json(key=arguments.key, value=value)
    elif value is not None:
        output.say(shown(value))
    return exits.FAILED if value is None else exits.OK


async def run_set(arguments: Namespace) -> int:
    type = TYPES.get(arguments.type)
    value = typed(arguments.value, type)
    async with target.connected(arguments) as (_, tag):
        await tag.write_value(
            arguments.key, value, type=type, vendor_id=arguments.vendor_id, product_id=arguments.product_id
        )
    return exits.OK


async def run_read(arguments: Namespace) -> int:
    async with target.connected(arguments) as (_, tag):
        show(await tag.configuration(), arguments.json)
    return exits.OK


async def run_write(arguments: Namespace) -> int:
    changes = Configuration(**options.once([each for changes in arguments.changes for each in changes.items()]))
    changes._struct()  # rejects numbers that are too large before connecting
    async with target.connected(arguments) as (_, tag):
        show(await tag.configure(changes), arguments.json)
    return exits.OK


def show(configuration: Configuration, as_json: bool) -> None:
    if as_json:
        output.say_json(**output.members_of(configuration))
        return
    told = {name: getattr(configuration, field.name) for name, field in SETTINGS.items()}
    members = {name: shown(value) for name, value in told.items() if value is not None}
    if members:
        output.show_members(members)


def shown(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else output.printable(str(value))


def typed(text: str, type: ValueType | None) -> Value:
    """The value of a word, of the given type or a guessed one."""
    try:
        if type is ValueType.STRING:
            return text
        if type is ValueType.BOOL:
            return BOOLEANS[text.lower()]
        if type in (ValueType.FLOAT, ValueType.DOUBLE):
            return float(text)
        if type is not None:
            return int(text, 0)
    except (KeyError, ValueError):
        raise exits.Failure(f"‘{text}’ is not a {type.name.lower()}", exits.USAGE) from None  # type: ignore[union-attr]
    if text in ("true", "false"):
        return BOOLEANS[text]
    with contextlib.suppress(ValueError):
        return int(text, 0)
    with contextlib.suppress(ValueError):
        return float(text)
    return text


def change(text: str) -> Mapping[str, Value]:
    if text in PRESETS:
        return PRESETS[text]
    name, equals, value = text.partition("=")
    field = SETTINGS.get(name)
    if field is None or not equals:
        raise ArgumentTypeError(f"{text!r} is neither {', '.join(PRESETS)} nor NAME=VALUE with one of {', '.join(SETTINGS)}")
    kind = str(field.type).split(" ")[0]
    try:
        if kind == "bool":
            return {field.name: BOOLEANS[value.lower()]}
        if kind == "str":
            return {field.name: value}
        return {field.name: float(value) if kind == "float" else options.number(value)}
    except (KeyError, ValueError):
        raise ArgumentTypeError(f"{value!r} is not a valid {name}") from None
