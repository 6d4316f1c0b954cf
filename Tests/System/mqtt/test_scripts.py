"""The shell scripts of docs/mqtt.md, run as they are printed there."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import places
import pytest
from broker import Broker
from client import Client
from images import add_image
from program import Program, configuration
from simulator import Simulator
from waiting import until

TEXT = (places.ROOT / "docs" / "mqtt.md").read_text()
EXAMPLES = places.APPS / "jacquard-mqtt" / "examples"
# The document's block about firmware.
FIRMWARE = re.findall(r"^```toml\n(\[firmware\]\n.*?)^```", TEXT, re.M | re.S)[0]
LONGEST_WAIT = 20


def script(word: str) -> str:
    """The block that contains this word, changed to use the example in the source tree instead of the installed one."""
    blocks: list[str] = [block for block in re.findall(r"^```sh\n(.*?)^```", TEXT, re.M | re.S) if word in block]
    assert len(blocks) == 1
    return blocks[0].replace("/usr/share/doc/jacquard-mqtt/examples", str(EXAMPLES))


World = tuple[Simulator, Client, Path, dict[str, Any]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A bridge with the names in the document, and shell commands that use its broker and a music player that logs its
    calls."""
    folder = tmp_path_factory.mktemp("world")
    with Broker(folder) as broker, Simulator("--time-scale", "20") as simulator, Client(broker.port) as client:
        simulator.tell("gear attach levis-trucker")
        simulator.tell("sleep-after 10000min")  # of the simulator's time
        for name in ("mosquitto_sub", "mosquitto_pub", "mosquitto_rr"):
            (folder / name).write_text(f"-p {broker.port}\n")
        (folder / "bin").mkdir()
        player = folder / "bin" / "playerctl"
        player.write_text(f'#!/bin/sh\necho "$1" >>"{folder}/played"\n')
        player.chmod(0o755)
        environment = {**os.environ, "XDG_CONFIG_HOME": str(folder), "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        options = {"cwd": folder, "env": environment, "stdin": subprocess.DEVNULL, "text": True}
        (folder / "firmware").mkdir()
        add_image(folder / "firmware", "tag-1.97.0", (1, 97, 0))
        text = configuration(broker.port, bridge="workshop", rest=FIRMWARE)
        with Program(folder, text, simulator.bus_address):
            client.wait_latest("jacquard/v1/tags/sleeve/gear", lambda gear: gear["attached"])
            yield simulator, client, folder, options


def until_written(world: World, command: str, path: Path, wanted: str) -> None:
    """Makes gestures until the script has written this; the script never ends."""
    simulator, _, _, options = world
    with open(options["cwd"] / "output", "w") as output:
        process = subprocess.Popen(["sh", "-c", command], stdout=output, start_new_session=True, **options)
        try:
            until(
                lambda: path.exists() and wanted in path.read_text(),
                problem=lambda: path.read_text() if path.exists() else "nothing",
                meanwhile=lambda: simulator.tell("gesture brush-in"),
                period=0.1,
            )
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()


def test_gestures_are_printed(world: World) -> None:
    until_written(world, script("-F"), world[2] / "output", 'jacquard/v1/tags/sleeve/gesture {"gesture":"brush-in"')


def test_a_music_player_is_controlled(world: World) -> None:
    until_written(world, script("remote-control.sh"), world[2] / "played", "next\n")


def test_a_response_is_awaited(world: World) -> None:
    ran = subprocess.run(["sh", "-c", script("mosquitto_rr")], stdout=subprocess.PIPE, **world[3], timeout=LONGEST_WAIT)
    assert json.loads(ran.stdout)["result"]["percent"] == 80


def test_no_gesture_is_missed_while_the_script_does_not_run(world: World) -> None:
    simulator, client, folder, _ = world
    path = folder / "gestures.jsonl"
    until_written(world, script("my-recorder"), path, '"brush-in"')
    simulator.tell("gesture cover")
    client.wait("jacquard/v1/tags/sleeve/gesture", lambda gesture: gesture["gesture"] == "cover")
    until_written(world, script("my-recorder"), path, '"cover"')


def test_requests_are_sent(world: World) -> None:
    _, client, _, options = world
    commands = re.findall(r"^\$ (mosquitto_pub .*)$", TEXT, re.M)
    assert len(commands) == 5
    for command in commands:
        start = len(client.messages)
        subprocess.run(["sh", "-c", command], check=True, **options, timeout=LONGEST_WAIT)
        root, name = re.findall("-t (.*)/request/(.*) -m", command)[0]
        topic = f"{root}/response/{name}"
        assert client.wait(topic, after=start)["status"] == "ok", command
