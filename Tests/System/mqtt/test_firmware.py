"""Firmware: compared with the images in the bridge's directory, and updated on request."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from broker import Broker
from client import Client
from images import DATA, MODULE_IDS, add_image
from program import TAG, Program, configuration
from simulator import Simulator

IDLE = {"phase": None, "percent": None}


World = tuple[Client, Simulator, Broker, Program]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A bridge that has an image for the tag, an older one, one for a module, and a damaged one."""
    images = tmp_path / "images"
    images.mkdir()
    add_image(images, "tag-1.97.0", (1, 97, 0))
    add_image(images, "tag-1.2.0", (1, 2, 0))
    add_image(images, "module", (9, 0, 0), MODULE_IDS)
    add_image(images, "damaged", (2, 0, 0))
    (images / "damaged").write_bytes(b"x")
    with Broker(tmp_path) as broker, Simulator("--time-scale", "20") as simulator, Client(broker.port) as client:
        simulator.tell("sleep-after 10000min")  # of the simulator's time
        text = configuration(broker.port, rest='[firmware]\ndirectory = "images"')
        with Program(tmp_path, text, simulator.bus_address) as program:
            client.wait_latest(f"{TAG}/firmware", {"installed": "1.96.0", "latest": "1.97.0", **IDLE})
            yield client, simulator, broker, program


def result(response: dict[str, Any]) -> dict[str, Any]:
    assert response["status"] == "ok", response
    found: dict[str, Any] = response["result"]
    return found


def test_the_newest_image_is_installed(world: World) -> None:
    client, simulator, *_ = world
    done = result(client.request(TAG, "update", {}, seconds=60))
    assert done == {
        "file": "tag-1.97.0",
        "outcome": "installed",
        "before": "1.96.0",
        "after": "1.97.0",
        "stale_services": False,
    }
    client.wait_latest(f"{TAG}/firmware", {"installed": "1.97.0", "latest": "1.97.0", **IDLE})
    # A state that is over within a second may be left out.
    shown = [message.payload for message in client.of(f"{TAG}/firmware")]
    phases = [value["phase"] for value in shown if value["phase"] is not None]
    assert phases and phases == sorted(phases, key=["checking", "transferring", "executing", "restarting"].index)
    percents = [value["percent"] for value in shown if value["percent"] is not None]
    assert percents == sorted(percents)
    client.wait_latest(f"{TAG}/info", lambda info: info["firmware"] == "1.97.0")
    assert DATA.hex() == simulator.tell("journal firmware").replace(" ", "").lower()


def test_a_check_writes_nothing(world: World) -> None:
    client, simulator, *_ = world
    before = simulator.tell("stats")
    assert result(client.request(TAG, "update", {"check": True}))["outcome"] == "pending"
    assert blocks(simulator.tell("stats")) == blocks(before)


def blocks(stats: str) -> list[str]:
    return [word for word in stats.split() if word.startswith(("blocks=", "executions="))]


@pytest.mark.parametrize(
    "body, code",
    [
        ({"file": "tag-1.2.0"}, "downgrade"),
        ({"file": "other"}, "unknown_image"),
        ({"file": "damaged"}, "unknown_image"),
        ({"file": "../images/tag-1.97.0"}, "unknown_image"),
        ({"file": ""}, "invalid"),
        ({"least_battery": 5}, "invalid"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(list(value.values())[0]),
)
def test_a_refused_update_writes_nothing(world: World, body: dict[str, Any], code: str) -> None:
    client, simulator, *_ = world
    before = simulator.tell("stats")
    assert client.request(TAG, "update", body)["error"]["code"] == code
    assert blocks(simulator.tell("stats")) == blocks(before)


def test_a_low_battery_is_a_refusal(world: World) -> None:
    client, simulator, *_ = world
    simulator.tell("battery 19")
    assert client.request(TAG, "update", {})["error"]["code"] == "low_battery"
    client.wait_latest(f"{TAG}/firmware", {"installed": "1.96.0", "latest": "1.97.0", **IDLE})


def test_an_update_is_stopped_and_continued(world: World) -> None:
    client, simulator, *_ = world
    assert client.request(TAG, "stop-update", {})["error"]["code"] == "not_updating"
    simulator.tell("write-time 2s")  # of the simulator's time
    start = len(client.messages)
    client.publish(f"{TAG}/request/update", {"id": "first"})
    client.wait(f"{TAG}/firmware", lambda value: (value["percent"] or 0) > 10, after=start)
    assert client.request(TAG, "update", {})["error"]["code"] == "update_in_progress"
    result(client.request(TAG, "stop-update", {}))
    stopped = client.wait(f"{TAG}/response/update", lambda response: response.get("id") == "first", after=start)
    assert stopped["error"]["code"] == "stopped"
    simulator.tell("write-time 0s")
    assert result(client.request(TAG, "update", {}, seconds=60))["outcome"] == "installed"
    stored = [int(word.split("=")[1]) for word in blocks(simulator.tell("stats")) if word.startswith("blocks=")]
    assert stored[0] == -(-len(DATA) // 128)


def test_an_update_waits_for_a_tag_that_is_away(world: World) -> None:
    client, simulator, *_ = world
    simulator.tell("out-of-range for 60s")  # of the simulator's time
    client.wait_latest(f"{TAG}/availability", "offline")
    assert client.request(TAG, "update", {})["error"]["code"] == "not_connected"
    assert result(client.request(TAG, "update", {"schedule": 60}, seconds=60))["outcome"] == "installed"


def test_without_a_directory_nothing_is_offered(world: World) -> None:
    client, simulator, broker, program = world
    entity = "homeassistant/update/jacquard_sleeve/firmware/config"
    client.wait_latest(f"{TAG}/info", lambda info: entity in info["announced"])
    program.reload(configuration(broker.port))
    client.wait_latest(f"{TAG}/info", lambda info: entity not in info["announced"])
    client.wait_latest(f"{TAG}/firmware", "")
    assert client.request(TAG, "update", {})["error"]["code"] == "unknown_image"
