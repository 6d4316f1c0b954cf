"""All documents by their names."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence

import bash
import fish
import from_argparse
import from_swift
import jacquard
import manual
import prose
import zsh
from command import Command
from jacquard_mqtt import cli
from jacquardctl.parser import parser

SHARED = ("--help", "--json", "--adapter", "--debug", "--timeout")


def jacquardctl() -> Command:
    return from_argparse.command(parser(), "jacquardctl", "find and use Jacquard tags")


def jacquard_mqtt() -> Command:
    return from_argparse.command(cli.parser(), "jacquard-mqtt", "Jacquard tags on an MQTT broker and in Home Assistant")


def jacquard_sim(simulator: Sequence[str]) -> Command:
    ran = subprocess.run([*simulator, "--experimental-dump-help"], check=True, capture_output=True, encoding="utf-8")
    return from_swift.command(json.loads(ran.stdout)["command"])


def all(simulator: Sequence[str]) -> dict[str, str]:
    tool, bridge, tag = jacquardctl(), jacquard_mqtt(), jacquard_sim(simulator)
    of_tag = ("--help", "--scenario", "--time-scale", "--control", "--verbose", "--tags")
    texts = {
        "jacquardctl.1": manual.page(tool, jacquard.__version__, prose.JACQUARDCTL, SHARED),
        "jacquard-mqtt.1": manual.page(bridge, jacquard.__version__, prose.JACQUARD_MQTT),
        "jacquard-sim.1": manual.page(tag, jacquard.__version__, prose.JACQUARD_SIM, of_tag),
    }
    for program in (tool, bridge):
        texts |= {
            f"{program.name}.bash": bash.script(program),
            f"_{program.name}": zsh.script(program),
            f"{program.name}.fish": fish.script(program),
        }
    return texts
