"""The sleeve in touch mode: a fader for Home Assistant, and derived gestures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from broker import Broker
from client import Client
from fingers import swipe, touch
from jacquard_mqtt import discovery, settings
from program import TAG, Program, configuration
from simulator import Simulator

LONGEST = 20
CONFIG = "homeassistant/sensor/jacquard_sleeve/fader/config"


def fader(mode: str) -> str:
    return f'[fader]\nmode = "{mode}"'


@pytest.fixture
def tag() -> Iterator[Simulator]:
    """A tag in real time, because the bridge limits its messages in real time."""
    with Simulator() as running:
        running.tell("gear attach levis-trucker")
        yield running


def published(client: Client) -> list[Any]:
    return [message.payload for message in client.of(f"{TAG}/fader")]


def test_a_fader_publishes_its_value_and_its_steps(broker: Broker, tag: Simulator, tmp_path: Path) -> None:
    with Client(broker.port, "jacquard/#", "homeassistant/#") as client:
        with Program(tmp_path, configuration(broker.port, rest=fader("relative")), tag.bus_address):
            client.wait_latest(CONFIG, lambda config: config["state_topic"] == f"{TAG}/fader")
            tag.wait_for_touch_mode()
            swipe(tag, 2, 8, 90)
            # 6 of 10.5 lines, less the play of the fader.
            client.wait(f"{TAG}/fader", lambda message: abs(message["percent"] - 57) <= 1)
            swipe(tag, 9, 3, 30)
            client.wait(f"{TAG}/fader", lambda message: message["percent"] <= 1)
            swipe(tag, 9, 3, 30)
            client.wait(f"{TAG}/fader", lambda message: message["step"] < 0 and message["percent"] == 0)
        messages = published(client)
        times = [message.time for message in client.of(f"{TAG}/fader")]
    assert len(messages) >= 5
    # At most five in any second, however late this program was scheduled when it received one of them.
    assert all(later - earlier > 0.7 for earlier, later in zip(times, times[5:]))
    assert sum(message["step"] for message in messages) == pytest.approx(-57, abs=2)
    assert not client.of(f"{TAG}/touch")


def test_an_absolute_fader_has_the_value_of_the_place(broker: Broker, tag: Simulator, tmp_path: Path) -> None:
    with Client(broker.port, "jacquard/#") as client:
        with Program(tmp_path, configuration(broker.port, rest=fader("absolute")), tag.bus_address):
            tag.wait_for_touch_mode()
            touch(tag, 11)
            client.wait(f"{TAG}/fader", lambda message: (message["percent"], message["step"]) == (100, 100))
            touch(tag, 5.5)
            client.wait(f"{TAG}/fader", lambda message: (message["percent"], message["step"]) == (50, -50))


def test_it_is_off_by_default_and_can_be_switched_without_a_new_link(broker: Broker, tag: Simulator, tmp_path: Path) -> None:
    with Client(broker.port, "jacquard/#", "homeassistant/#") as client:
        off = configuration(broker.port)
        with Program(tmp_path, off, tag.bus_address) as program:
            client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
            tag.tell("gesture brush-in")
            client.wait(f"{TAG}/gesture")
            assert tag.tell("journal requests").count("touch-mode") == 1 and not client.of(CONFIG)
            program.reload(configuration(broker.port, rest=fader("absolute")))
            tag.wait_for_touch_mode()
            client.wait_latest(CONFIG, lambda config: config["unit_of_measurement"] == "%")
            touch(tag, 11)
            client.wait(f"{TAG}/fader", lambda message: message["percent"] == 100)
            # A request for touch data ends, and the fader stays.
            assert client.request(TAG, "touch", {"seconds": 0})["status"] == "ok"
            touch(tag, 5.5)
            client.wait(f"{TAG}/fader", lambda message: message["percent"] == 50)
            before = tag.tell("journal requests").count("touch-mode")
            start = len(client.messages)
            program.reload(off)
            tag.wait_for_touch_mode(before + 1)
            client.wait_latest(CONFIG, "")
            tag.tell("gesture cover")
            client.wait(f"{TAG}/gesture", lambda gesture: gesture["gesture"] == "cover", after=start)
            assert "links=1 " in tag.tell("stats")


def test_a_device_keeps_a_part_that_is_not_in_use_as_its_platform_alone() -> None:
    """Home Assistant removes the part then."""
    parts = [discovery.Component("event", "gesture", {"name": "Gesture"})]
    absent = [discovery.Component("sensor", "fader", {"name": "Fader"})]
    own = settings.parse('bridge = "test"\n[home_assistant]\ndiscovery = "device"').home_assistant
    (device,) = discovery.announced(parts, "node", {}, own, absent).values()
    assert device["components"] == {
        "gesture": {"platform": "event", "name": "Gesture", "unique_id": "node_gesture"},
        "fader": {"platform": "sensor"},
    }


def gestures(client: Client) -> list[tuple[Any, Any]]:
    return [(message.payload["gesture"], message.payload.get("derived")) for message in client.of(f"{TAG}/gesture")]


def test_derived_gestures_take_the_place_of_the_tags_own_in_touch_mode(broker: Broker, tag: Simulator, tmp_path: Path) -> None:
    derived = configuration(broker.port, rest="[gestures]\nderived = true")
    with Client(broker.port, "jacquard/#") as client:
        with Program(tmp_path, derived, tag.bus_address):
            client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
            tag.tell("gesture brush-out")
            client.wait(f"{TAG}/gesture")
            assert client.request(TAG, "touch", {"seconds": 30})["status"] == "ok"
            tag.tell("stroke swipe-in")
            client.wait(f"{TAG}/gesture", lambda gesture: gesture["gesture"] == "brush-in")
            assert client.request(TAG, "touch", {"seconds": 0})["status"] == "ok"
            tag.tell("gesture brush-out")
            client.wait(f"{TAG}/gesture", lambda gesture: gesture["seq"] == 3)
    assert gestures(client) == [("brush-out", None), ("brush-in", True), ("brush-out", None)]


def test_without_the_setting_no_gestures_are_derived(broker: Broker, tag: Simulator, tmp_path: Path) -> None:
    with Client(broker.port, "jacquard/#") as client:
        with Program(tmp_path, configuration(broker.port), tag.bus_address):
            client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
            assert client.request(TAG, "touch", {"seconds": 30})["status"] == "ok"
            swipe(tag, 9, 3, 20)
            tag.tell(f"touch 0{' 0' * 12}")
            assert client.request(TAG, "touch", {"seconds": 0})["status"] == "ok"
            tag.tell("gesture cover")
            client.wait(f"{TAG}/gesture")
    assert gestures(client) == [("cover", None)]
