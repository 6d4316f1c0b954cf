"""Service and library understand the messages of other releases with version 1 of the protocol.

The files are conversations of two examples with a tag that is attached to a sleeve, as conversations.py has recorded them.
They never change; a release that adds messages adds a file."""

from __future__ import annotations

import dataclasses
import os
import socket
import subprocess
import time
from pathlib import Path

import pytest
from conftest import ROOT
from conversations import LONGEST, listening, read
from raw_program import bus_id, messages
from sharing_fixtures import simulator  # noqa: F401 (first: it finds the others)
from simulator import Simulator

CONVERSATIONS = {path.stem: read(path) for path in Path(__file__).parent.glob("version-1-*.txt")}
# Messages that are the same in each conversation, unlike those about the state and the signal.
OF_THE_TAG = (messages.TagInfo, messages.Notification, messages.Gear, messages.Response, messages.Name)
COMMANDS = {"battery": [], "gestures": ["brush-in", "echo brushed"]}
OUTPUT = {"battery": "battery 80%\n", "gestures": "brushed\n"}


def says(answer: bytes, recorded: bytes) -> bool:
    """Whether the answer has all that was recorded, except the time. Later releases add fields."""
    return timeless(answer) == timeless(recorded)


def timeless(record: bytes) -> messages.Message | None:
    message = messages.decode(record)
    return dataclasses.replace(message, arrival=0) if isinstance(message, messages.Notification) else message


@pytest.mark.parametrize("name", COMMANDS)
def test_the_service_understands_a_recorded_program(simulator: Simulator, name: str) -> None:
    # Again and again, because the program may be slow to listen.
    simulator.tell("after ready every 500ms gesture brush-in")
    bus = bus_id(simulator.bus_address)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as program:
        program.settimeout(20)
        deadline = time.monotonic() + 20
        program.connect(simulator.service)
        for direction, message in CONVERSATIONS[f"version-1-{name}"]:
            if direction == ">":
                hello = messages.decode(message)
                program.send(message.replace(hello.bus.encode(), bus.encode()) if isinstance(hello, messages.Hello) else message)
            elif isinstance(messages.decode(message), OF_THE_TAG):
                while not says(answer := program.recv(LONGEST), message):
                    assert answer != b"" and time.monotonic() < deadline


@pytest.mark.parametrize("name", COMMANDS)
def test_a_program_understands_the_recorded_service(simulator: Simulator, tmp_path: Path, name: str) -> None:
    with listening(tmp_path / "socket") as listener:
        command: list[str | Path] = [ROOT / "build" / "examples" / name, *COMMANDS[name]]
        environment = {**os.environ, **simulator.environment, "JACQUARD_SERVICE": str(tmp_path / "socket")}
        with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout
            connection, _ = listener.accept()
            with connection:
                connection.settimeout(20)
                for direction, message in CONVERSATIONS[f"version-1-{name}"]:
                    if direction == "<":
                        connection.send(message)
                    else:
                        assert connection.recv(LONGEST)[0] == message[0]
                shown = ""
                deadline = time.monotonic() + 20
                while not shown.endswith(OUTPUT[name]) and time.monotonic() < deadline:
                    shown += program.stdout.readline()
            program.kill()
    assert shown.endswith(OUTPUT[name])
