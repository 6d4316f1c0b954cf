"""All documents by their paths."""

from __future__ import annotations

import json
import subprocess

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


def jacquard_sim(program: str) -> Command:
    ran = subprocess.run([program, "--experimental-dump-help"], check=True, capture_output=True, text=True)
    return from_swift.command(json.loads(ran.stdout)["command"])


def all(simulator: str | None = None) -> dict[str, str]:
    tool, bridge = jacquardctl(), jacquard_mqtt()
    texts = {
        "docs/man/jacquardctl.1": manual.page(tool, jacquard.__version__, prose.JACQUARDCTL, SHARED),
        "docs/man/jacquard-mqtt.1": manual.page(bridge, jacquard.__version__, prose.JACQUARD_MQTT),
    }
    for program in (tool, bridge):
        texts |= {
            f"tools/completions/{program.name}.bash": bash.script(program),
            f"tools/completions/_{program.name}": zsh.script(program),
            f"tools/completions/{program.name}.fish": fish.script(program),
        }
    if simulator is not None:
        tag = jacquard_sim(simulator)
        shared = ("--help", "--scenario", "--time-scale", "--control", "--verbose", "--tags")
        texts["docs/man/jacquard-sim.1"] = manual.page(tag, jacquard.__version__, prose.JACQUARD_SIM, shared)
    return texts
