"""Each request gets one response, and every invalid one an error with a code."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jacquard_mqtt.requests as requests
import paho.mqtt.client as paho
import pytest
from broker import Broker
from client import Client
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from program import ROOT, TAG, Program, configuration
from simulator import Simulator
from waiting import stays, until

World = tuple[Client, Simulator, Broker]


@pytest.fixture(name="world", scope="module")
def world_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    with Broker(folder) as broker, Simulator("--time-scale", "20") as simulator, Client(broker.port) as client:
        simulator.tell("gear attach levis-trucker")
        simulator.tell("sleep-after 10000min")  # of the simulator's time
        text = configuration(broker.port, rest="[home_assistant]\nlight_seconds = 2")
        with Program(folder, text, simulator.bus_address) as program:
            client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
            client.log = program.log
            yield client, simulator, broker


@pytest.mark.parametrize(
    "command, body, result",
    [
        ("led", {}, {}),
        ("led", {"color": "teal", "pattern": "blink", "seconds": 0.5, "intensity": 50}, {}),
        ("led", {"color": "#ff8000", "toggle": True, "resumable": True}, {}),
        ("led", {"frames": [{"color": "red", "seconds": 0.2}, {"color": [0, 255, 0], "seconds": 0.2}]}, {}),
        ("led", {"pattern": "off"}, {}),
        ("haptic", {"symbol": "notification"}, {}),
        ("haptic", {"on": 0.1, "off": 0.1, "repeats": 2, "amplitude": 30, "wave": "constant"}, {}),
        ("touch", {"seconds": 0}, {}),
        ("set-value", {"key": "color", "value": "teal"}, {}),
        ("get-value", {"key": "color"}, {"value": "teal"}),
        ("set-value", {"key": "count", "value": 7, "type": "uint64"}, {}),
        ("get-value", {"key": "count", "vendor_id": 0, "product_id": 0}, {"value": 7}),
        ("get-value", {"key": "nothing"}, {"value": None}),
    ],
    ids=lambda value: value if isinstance(value, str) else json.dumps(value)[:40],
)
def test_a_request_is_carried_out(world: World, command: str, body: dict[str, Any], result: Any) -> None:
    client, *_ = world
    response = client.request(TAG, command, body)
    assert (response["status"], response.get("result")) == ("ok", result), response


def test_the_tag_plays_what_was_requested(world: World) -> None:
    client, simulator, _ = world
    before = simulator.tell("stats")
    client.request(TAG, "led", {"color": "teal"})
    client.request(TAG, "haptic", {"symbol": "insert"})
    after = simulator.tell("stats")
    assert count(after, "lights") == count(before, "lights") + 1
    assert count(after, "haptics") == count(before, "haptics") + 1


def test_the_battery_is_read(world: World) -> None:
    client, *_ = world
    assert client.request(TAG, "battery", {})["result"]["percent"] == 80


def test_the_light_is_remembered_and_ends(world: World) -> None:
    client, *_ = world
    on = client.request(TAG, "light", {"state": "on", "color": "red", "brightness": 10})["result"]
    assert on == {"state": "on", "color": [255, 0, 0], "brightness": 10, "effect": "solid"}
    client.wait_latest(f"{TAG}/light", on)
    client.wait_latest(f"{TAG}/light", {**on, "state": "off"})
    again = client.request(TAG, "light", {"state": "on", "effect": "pulse"})["result"]
    assert again == {**on, "effect": "pulse"}
    off = client.request(TAG, "light", {"state": "off"})["result"]
    client.wait_latest(f"{TAG}/light", off)


def test_touch_data_is_published_for_the_requested_time(world: World) -> None:
    client, simulator, _ = world
    assert client.request(TAG, "touch", {"seconds": 1})["status"] == "ok"
    start = len(client.messages)
    simulator.tell("touch 10 1 2 3 4 5 6 7 8 9 10 11 12")
    sample = client.wait(f"{TAG}/touch", after=start)
    assert (sample["proximity"], sample["lines"]) == (10, list(range(1, 13)))
    modes = simulator.tell("journal requests").count("touch-mode")
    simulator.wait_for_touch_mode(modes + 1)  # gestures again


def test_motion_data_is_published_for_the_requested_time(world: World) -> None:
    client, simulator, _ = world
    simulator.tell("motion loss 100")
    start = len(client.messages)
    assert client.request(TAG, "motion", {"seconds": 2, "rate": 100, "acceleration_range": 4})["status"] == "ok"
    sample = client.wait(f"{TAG}/motion", lambda event: "acceleration" in event, after=start)
    assert len(sample["acceleration"]) == len(sample["rotation"]) == 3
    client.wait(f"{TAG}/motion", lambda event: event.get("missing", 0) > 0, after=start)
    simulator.tell("motion loss 0")
    until_unloaded(simulator)
    # The broker delivers a response after the messages before it.
    assert client.request(TAG, "led", {"color": "red", "seconds": 1})["status"] == "ok"
    after = len(client.messages)
    stays(lambda: not any(message.topic == f"{TAG}/motion" for message in client.messages[after:]), 0.3)


def until_unloaded(simulator: Simulator) -> None:
    """Waits until the motion module, which drains the battery, is unloaded."""
    until(lambda: simulator.tell("journal requests").split()[-1] == "unload-module")


def test_motion_data_ends_on_request_and_with_the_bridge(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    with Client(broker.port) as client, Program(tmp_path, configuration(broker.port), simulator.bus_address) as program:
        client.wait_latest(f"{TAG}/availability", "online")
        for end in ("request", "another", "program"):
            start = len(client.messages)
            assert client.request(TAG, "motion", {"seconds": 3600})["status"] == "ok"
            client.wait(f"{TAG}/motion", after=start)
            if end == "request":
                assert client.request(TAG, "motion", {"seconds": 0})["status"] == "ok"
            elif end == "program":
                assert program.stop() == 0
            if end != "another":
                until_unloaded(simulator)


@pytest.mark.parametrize(
    "command, payload, code",
    [
        ("led", b"{", "malformed"),
        ("led", b"[]", "malformed"),
        ("led", b"7", "malformed"),
        ("led", b"\xff\xfe", "malformed"),
        ("led", b'{"color": NaN}', "malformed"),
        ("led", b'{"intensity": 1e999}', "invalid"),
        ("led", b"[" * 8000, "malformed"),
        ("led", b'{"id": ' + b"9" * 8000 + b"}", "malformed"),
        ("led", b'{"color": "' + b"x" * requests.LARGEST + b'"}', "oversized"),
        ("led", b'{"color": "ultraviolet"}', "invalid"),
        ("led", b'{"colour": "red"}', "invalid"),
        ("led", b'{"seconds": -1}', "invalid"),
        ("led", b'{"gear": true}', "unsupported"),
        ("led", b'{"schedule": true}', "invalid"),
        ("motion", b'{"rate": 30}', "invalid"),
        ("led", b'{"schedule": 1e9}', "invalid"),
        ("led", b'{"frames": [], "id": 1}', "invalid"),
        ("haptic", b"{}", "invalid"),
        ("haptic", b'{"symbol": "insert", "on": 1}', "invalid"),
        ("haptic", b'{"symbol": "insert", "repeats": 1}', "invalid"),
        ("light", b"{}", "invalid"),
        ("light", b'{"state": "on", "color": "nothing"}', "invalid"),
        ("rename", b'{"name": ""}', "invalid"),
        ("rename", b'{"name": "\\u0000"}', "invalid"),
        ("rename", b'{"name": "\\ud800"}', "invalid"),
        ("rename", '{"name": "ééééééééééééééééééééé"}'.encode(), "invalid_argument"),
        ("set-value", b'{"key": "a", "value": "text", "type": "uint32"}', "invalid"),
        ("set-value", b'{"key": "a", "value": -1, "type": "uint32"}', "invalid"),
        ("get-value", b'{"key": 7}', "invalid"),
        ("levitate", b"{}", "unknown_command"),
        ("led/more", b"{}", "unknown_command"),
    ],
    ids=lambda value: value[:24].decode("latin-1") if isinstance(value, bytes) else value,
)
def test_an_invalid_request_gets_a_code(world: World, command: str, payload: Any, code: str) -> None:
    client, *_ = world
    start = len(client.messages)
    client.publish(f"{TAG}/request/{command}", payload)
    response = client.wait(f"{TAG}/response/{command}", after=start)
    assert (response["status"], response["error"]["code"]) == ("error", code), response
    assert response["error"]["message"]


def count(stats: str, name: str) -> int:
    return int(stats.split(f"{name}=")[1].split()[0])


def test_an_unknown_tag_gets_a_code(world: World) -> None:
    client, *_ = world
    response = client.request("jacquard/v1/tags/nothing", "led", {})
    assert response["error"]["code"] == "unknown_tag"


def test_an_id_is_returned_even_if_the_request_is_invalid(world: World) -> None:
    client, *_ = world
    for identity in ("x", 7, -1):
        start = len(client.messages)
        client.publish(f"{TAG}/request/led", {"id": identity, "pattern": "?"})
        assert client.wait(f"{TAG}/response/led", after=start)["id"] == identity
    invalid: object
    for invalid in (None, [], "x" * 1000, 1 << 80, True):
        start = len(client.messages)
        client.publish(f"{TAG}/request/led", {"id": invalid, "pattern": "?"})
        assert "id" not in client.wait(f"{TAG}/response/led", after=start)


def test_a_retained_request_is_ignored(world: World, tmp_path: Path) -> None:
    """It would be repeated at each start of the bridge."""
    client, simulator, broker = world
    second = "jacquard/v1/tags/second"
    client.publish(f"{second}/request/led", {"id": "old"}, retain=True)
    assert client.wait(f"{second}/response/led")["error"]["code"] == "unknown_tag"
    start = len(client.messages)
    text = configuration(broker.port, tags='[[tag]]\nserial = "ZZZZ"\ntopic = "second"\n', bridge="second")
    with Program(tmp_path, text, simulator.bus_address):
        client.wait_latest("jacquard/v1/second/availability", "online")
        assert client.request(second, "led", {})["error"]["code"] == "not_connected"
        assert not [message for message in client.messages[start:] if "id" in message.payload and message.payload["id"] == "old"]
    client.publish(f"{second}/request/led", "", retain=True)


def test_too_many_requests_are_refused(world: World) -> None:
    client, simulator, _ = world
    simulator.tell("latency 2s")  # 0.1 s, in the simulator's time
    start = len(client.messages)
    for number in range(60):
        client.publish(f"{TAG}/request/battery", {"id": number}, qos=0)
    simulator.tell("latency 0ms")
    client._until(lambda: len([m for m in client.messages[start:] if m.topic == f"{TAG}/response/battery"]) == 60, "60 responses")
    found = [message.payload for message in client.messages[start:] if message.topic == f"{TAG}/response/battery"]
    codes = {response["error"]["code"] for response in found if response["status"] == "error"}
    assert codes == {"busy"} and any(response["status"] == "ok" for response in found)
    assert sorted(response["id"] for response in found) == list(range(60))


def properties(topic: str) -> Properties:
    found = Properties(PacketTypes.PUBLISH)
    found.ResponseTopic, found.CorrelationData = topic, b"\x01\x02"
    return found


def test_a_response_topic_of_mqtt_5_is_used(world: World) -> None:
    _, _, broker = world
    with Client(broker.port, "office/#", "jacquard/#", version=paho.MQTTv5) as client:
        client.publish(f"{TAG}/request/battery", {"id": 1}, properties=properties("office/replies"))
        assert client.wait("office/replies")["status"] == "ok"
        for topic in (f"{ROOT}/availability", "homeassistant/light/x/config", "$SYS/x"):
            start = len(client.messages)
            client.publish(f"{TAG}/request/battery", {"id": 2}, properties=properties(topic))
            assert client.wait(f"{TAG}/response/battery", after=start)["id"] == 2


def test_gear_is_required_for_vibration(world: World) -> None:
    """A button of Home Assistant does not read the response."""
    client, simulator, _ = world
    simulator.tell("gear detach")
    client.wait_latest(f"{TAG}/gear", {"attached": False})
    start = len(client.messages)
    client.publish(f"{TAG}/request/haptic", {"symbol": "insert"})
    failure = client.wait(f"{TAG}/failure", after=start)
    assert (failure["command"], failure["code"]) == ("haptic", "no_gear") and failure["message"] and failure["advice"]
    assert client.request(TAG, "haptic", {"symbol": "insert"})["error"]["code"] == "no_gear"
    client.wait(f"{TAG}/failure", after=start + 1)
    assert client.log.read_text().count("sleeve: the request 'haptic' failed: The tag is not attached to gear.") == 1
    assert client.request(TAG, "touch", {})["error"]["code"] == "no_gear"
    assert client.request(TAG, "led", {})["status"] == "ok"
    simulator.tell("gear attach levis-trucker")
    client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])


def test_a_tag_is_renamed(world: World) -> None:
    client, *_ = world
    assert client.request(TAG, "rename", {"name": "Ärmel"})["status"] == "ok"
    client.wait_latest(f"{TAG}/name", {"name": "Ärmel"})
    client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])


def test_a_request_to_an_absent_tag_gets_a_code(world: World) -> None:
    client, simulator, _ = world
    simulator.tell("out-of-range for 60s")
    client.wait_latest(f"{TAG}/availability", "offline")
    assert client.request(TAG, "led", {})["error"]["code"] == "not_connected"
    client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
