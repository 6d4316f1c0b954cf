"""The bridge's messages."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from broker import Broker
from client import Client
from program import ROOT, TAG, Program, configuration
from simulator import SERIAL, Simulator

Bridge = tuple[Client, Simulator, Program]


@pytest.fixture
def bridge(broker: Broker, simulator: Simulator, tmp_path: Path) -> Iterator[Bridge]:
    with Client(broker.port, "jacquard/#", "homeassistant/#") as client:
        simulator.tell("gear attach levis-trucker")
        with Program(tmp_path, configuration(broker.port), simulator.bus_address) as program:
            client.wait_latest(f"{TAG}/availability", "online")
            client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
            yield client, simulator, program


def test_everything_about_a_tag_is_published(bridge: Bridge) -> None:
    client, simulator, _ = bridge
    client.wait_latest(f"{ROOT}/availability", "online")
    client.wait_latest(f"{TAG}/battery", lambda battery: (battery["percent"], battery["charging"]) == (80, False))
    client.wait_latest(f"{TAG}/state", lambda state: state["phase"] == "connected" and state["reason"] is None)
    client.wait_latest(f"{TAG}/rssi", lambda rssi: rssi["dbm"] is None and -70 < rssi["last"] < -50)
    client.wait_latest(f"{TAG}/name", {"name": f"Jacquard-{SERIAL}"})
    client.wait_latest(f"{TAG}/info", lambda info: info["serial"].endswith(SERIAL) and info.get("firmware") == "1.96.0")
    assert client.latest(f"{TAG}/gear") == {
        "attached": True,
        "vendor": "Levi's",
        "product": "Trucker Jacket",
        "capabilities": ["gesture", "touch", "haptic"],
    }
    simulator.tell("battery 33 charging")
    client.wait_latest(f"{TAG}/battery", lambda battery: (battery["percent"], battery["charging"]) == (33, True))
    simulator.tell("gear detach")
    client.wait_latest(f"{TAG}/gear", {"attached": False})


def test_a_tag_without_gear_says_so(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    with Client(broker.port) as client, Program(tmp_path, configuration(broker.port), simulator.bus_address):
        client.wait_latest(f"{TAG}/availability", "online")
        client.wait_latest(f"{TAG}/gear", {"attached": False})


def test_state_is_retained_and_gestures_are_not(bridge: Bridge, broker: Broker) -> None:
    client, simulator, _ = bridge
    simulator.tell("gesture brush-in")
    client.wait(f"{TAG}/gesture")
    wanted = {"availability", "state", "info", "battery", "gear", "name", "rssi", "light"}
    with Client(broker.port) as late:
        late.wait_all({f"{TAG}/{what}" for what in wanted})
        retained = {message.topic.removeprefix(f"{TAG}/") for message in late.messages if message.retained}
    assert retained == wanted | {f"{ROOT}/availability", f"{ROOT}/status"}


def test_gestures_are_numbered(bridge: Bridge) -> None:
    client, simulator, _ = bridge
    for name in ("brush-in", "brush-out", "double-tap", "42", "cover"):
        simulator.tell(f"gesture {name}")
    client.wait(f"{TAG}/gesture", lambda gesture: gesture["seq"] == 5)
    found = [message.payload for message in client.of(f"{TAG}/gesture")]
    assert [(gesture["gesture"], gesture["number"]) for gesture in found] == [
        ("brush-in", 2),
        ("brush-out", 3),
        ("double-tap", 1),
        ("unknown", 42),
        ("cover", 7),
    ]
    assert [gesture["seq"] for gesture in found] == [1, 2, 3, 4, 5]
    assert len({gesture["boot"] for gesture in found}) == 1


def test_gestures_that_may_be_copies_are_not_published(bridge: Bridge) -> None:
    client, simulator, _ = bridge
    simulator.tell("foreign subscribe")
    names = ["brush-in", "brush-out"] * 10
    for name in names:
        simulator.tell(f"gesture {name}")
    client.wait(f"{TAG}/gesture", lambda gesture: gesture["seq"] == len(names))
    assert [message.payload["gesture"] for message in client.of(f"{TAG}/gesture")] == names


def test_a_lost_link_is_reported(bridge: Bridge) -> None:
    client, simulator, _ = bridge
    simulator.tell("out-of-range for 40s")
    client.wait_latest(f"{TAG}/availability", "offline")
    client.wait_latest(f"{TAG}/state", lambda state: state["phase"] != "connected" and state["reason"] is not None)
    client.wait_latest(f"{TAG}/gear", {"attached": False})
    client.wait_latest(f"{TAG}/availability", "online")
    client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
    client.wait_latest(f"{TAG}/state", lambda state: state["phase"] == "connected")


def test_a_stopped_bridge_is_offline(bridge: Bridge) -> None:
    client, _, program = bridge
    assert program.stop() == 0
    client.wait_latest(f"{ROOT}/availability", "offline")
    client.wait_latest(f"{TAG}/availability", "offline")
    client.wait_latest(f"{TAG}/state", lambda state: state["phase"] == "disconnected")


def test_a_killed_bridge_is_offline(bridge: Bridge) -> None:
    client, _, program = bridge
    program.kill()
    program.status = -9
    client.wait_latest(f"{ROOT}/availability", "offline")


def test_status_describes_the_bridge(bridge: Bridge) -> None:
    client, _, _ = bridge
    client.wait_latest(f"{ROOT}/status", lambda status: status["tags"] == ["sleeve"] and status["dropped"] == 0)


def test_a_will_that_is_published_late_is_corrected(bridge: Bridge) -> None:
    client, _, _ = bridge
    client.wait_latest(f"{ROOT}/availability", "online")
    client.publish(f"{ROOT}/availability", "offline", retain=True)
    client.wait_latest(f"{ROOT}/availability", "online")


def test_an_unlisted_gesture_name_is_not_in_the_schema(bridge: Bridge) -> None:
    """The schema is closed: an additional member or gesture is a new version of the contract."""
    from jacquard_mqtt.schemas import validator

    message = {"gesture": "brush-in", "number": 2, "boot": "0" * 16, "seq": 1, "time": "2026-01-01T00:00:00.000+00:00"}
    assert validator("gesture").is_valid(message)
    for change in ({"gesture": "wave"}, {"seq": 0}, {"boot": "x"}, {"more": 1}, {"time": "now"}):
        assert not validator("gesture").is_valid({**message, **change}), json.dumps(change)


def test_vibration_is_unavailable_without_gear_that_can_vibrate(bridge: Bridge) -> None:
    client, _, _ = bridge
    topic = "homeassistant/button/jacquard_sleeve/haptic_alert/config"
    client.wait(topic)
    (part,) = [part for part in client.latest(topic)["availability"] if part["topic"] == f"{TAG}/gear"]
    assert "'haptic' in value_json.capabilities" in part["value_template"]
