"""Service and library understand what other releases with version 1 of the protocol send.

The files are conversations of two examples with a tag that is attached to a sleeve, as conversations.py has recorded them.
They never change; a release that adds messages adds a file."""

import os
import socket
import subprocess
import time
from pathlib import Path

import pytest
from conftest import ROOT
from conversations import LONGEST, listening, read
from raw_program import HELLO, NOTIFICATION, RESPONSE, bus_id
from sharing_fixtures import simulator  # noqa: F401 (first: it finds the others)
from simulator import Simulator

CONVERSATIONS = {path.stem: read(path) for path in Path(__file__).parent.glob("version-1-*.txt")}
TAG_INFO, GEAR, NAME = 4, 7, 14
# The same in each conversation, unlike those about the state and the signal.
OF_THE_TAG = {TAG_INFO, NOTIFICATION, GEAR, RESPONSE, NAME}
COMMANDS = {"battery": [], "gestures": ["brush-in", "echo brushed"]}
OUTPUT = {"battery": "battery 80%\n", "gestures": "brushed\n"}


def says(answer: bytes, recorded: bytes) -> bool:
    """Whether it has all that was recorded. Later releases add numbers."""
    end = 3 + 4 * recorded[1]
    return answer[:1] == recorded[:1] and answer[2:end] == recorded[2:end] and answer[3 + 4 * answer[1] :] == recorded[end:]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_service_understands_a_recorded_program(simulator: Simulator, name: str) -> None:
    # Again and again, because the program may be slow to listen.
    simulator.tell("after ready every 500ms gesture brush-in")
    bus = bus_id(simulator.bus_address).encode()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as program:
        program.settimeout(20)
        deadline = time.monotonic() + 20
        program.connect(simulator.service)
        for direction, message in CONVERSATIONS[f"version-1-{name}"]:
            if direction == ">":
                # The bus is the first text of hello, after its numbers.
                begin = 5 + 4 * message[1]
                program.send(message[:begin] + bus + message[begin + 32 :] if message[0] == HELLO else message)
            elif message[0] in OF_THE_TAG:
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
