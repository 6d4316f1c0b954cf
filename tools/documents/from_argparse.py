"""Reads argparse's parsers, which have no public API for inspection."""

from __future__ import annotations

import argparse
from typing import Any

from command import Command, Operand, Option, Words
from jacquard.haptic import SYMBOLS
from jacquard.led import COLORS
from jacquard_apps.effects.led import OFF
from jacquard_apps.recording.label import GESTURES
from jacquard_apps.terminal import options as jacquardctl_options
from jacquard_apps.touch import gestures
from jacquard_automations.commands.gesture import TAUGHT
from jacquard_automations.commands.play import MAPS
from jacquardctl.commands.config import PRESETS, SETTINGS

# Possible values by the metavariable of the argument.
KNOWN = {
    "COLOR": Words((*COLORS, OFF)),
    "PATTERN": Words((*COLORS, OFF), more=True),
    "VIBRATION": Words(tuple(SYMBOLS), more=True),
    "FILE": Words(files=True),
    "GESTURE": Words(gestures.NAMES),
    "LABEL": Words(GESTURES, more=True),
    "MAP": Words(MAPS, more=True),
    "NAME=VALUE": Words((*(f"{name}=" for name in SETTINGS), *PRESETS)),
    "COMMAND": Words(programs=True),
    "PROGRAM": Words(programs=True),
    # The serial numbers of the bound tags, which need no Bluetooth and are therefore available immediately.
    "TAG": Words(printed_by='jacquardctl list 2>/dev/null </dev/null | sed 1d | cut -d " " -f 1'),
}

# Possible values by the destination of the argument, if several arguments have the metavariable.
KNOWN_BY_DEST = {
    TAUGHT: Words(printed_by='jacquardctl gesture list 2>/dev/null </dev/null | sed "1d;s/  .*//"'),
}


def command(parser: argparse.ArgumentParser, name: str, help: str) -> Command:
    options: list[Option] = []
    operands: list[Operand] = []
    children: list[Command] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {choice.dest: choice.help or "" for choice in action._choices_actions}
            children += [command(below, name, told[name]) for name, below in action.choices.items()]
        elif action.option_strings:
            options.append(option(action))
        else:
            operands.append(operand(action))
    description = parser.description or ""
    return Command(name, help, description, tuple(options), tuple(operands), tuple(children))


def option(action: argparse.Action) -> Option:
    values: tuple[str, ...] = ()
    if action.nargs != 0:
        values = tuple(f"[{value}]" if action.nargs == "?" else value for value in called(action))
    words = tuple(
        Words(tuple(action.choices)) if action.choices else KNOWN.get(value.strip("[]"), Words()) for value in values
    )
    return Option(tuple(action.option_strings), told(action), values, words)


def operand(action: argparse.Action) -> Operand:
    (name,) = called(action)
    words = Words(tuple(action.choices)) if action.choices else KNOWN_BY_DEST.get(action.dest, KNOWN.get(name, Words()))
    is_optional = action.nargs in ("?", "*") or action.dest == jacquardctl_options.TAG
    return Operand(name, told(action), words, action.nargs in ("+", "*"), is_optional)


def called(action: argparse.Action) -> tuple[str, ...]:
    metavar: Any = action.metavar
    if isinstance(metavar, tuple):
        return metavar
    return (str(metavar or ("{" + ",".join(action.choices) + "}" if action.choices else action.dest.upper())),)


def told(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%")
