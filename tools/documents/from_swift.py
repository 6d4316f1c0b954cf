"""Reads the description of a program built with swift-argument-parser: --experimental-dump-help."""

from __future__ import annotations

from typing import Any

from command import Command, Operand, Option, Words

# Possible values by the name of the argument; a list of the built-in scenarios would become outdated.
KNOWN = {"file|name": Words(files=True), "path": Words(files=True), "command": Words(programs=True)}


def command(told: dict[str, Any]) -> Command:
    arguments = [argument for argument in told.get("arguments", []) if argument["shouldDisplay"]]
    return Command(
        told["commandName"],
        told.get("abstract", ""),
        told.get("discussion", ""),
        tuple(option(argument) for argument in arguments if argument["kind"] != "positional"),
        tuple(operand(argument) for argument in arguments if argument["kind"] == "positional"),
        tuple(command(below) for below in told.get("subcommands", []) if below["commandName"] != "help"),
    )


def option(told: dict[str, Any]) -> Option:
    names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in told["names"]]
    values = () if told["kind"] == "flag" else (told["valueName"],)
    return Option(tuple(names), help_of(told), values, tuple(KNOWN.get(value, Words()) for value in values))


def operand(told: dict[str, Any]) -> Operand:
    name = told["valueName"]
    words = KNOWN.get(name, Words())
    return Operand(name.upper(), help_of(told), words, told["isRepeating"], told["isOptional"])


def help_of(told: dict[str, Any]) -> str:
    text: str = told.get("abstract", "").rstrip(".")
    default = told.get("defaultValue")
    return f"{text} ({default})" if default and told["kind"] != "flag" else text
