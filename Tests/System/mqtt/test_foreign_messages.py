"""Messages that other clients publish to the topics of the bridge."""

import json
from pathlib import Path

import paho.mqtt.client as paho
import pytest
from broker import Broker
from client import Client
from jacquard_mqtt import discovery, settings
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from program import ROOT, TAG, Program, configuration
from simulator import Simulator

PREFIX = "homeassistant"
OWN = f"{PREFIX}/light/jacquard_gone/led/config"
DEVICE = f"{PREFIX}/device/jacquard_gone/config"
FOREIGN = [
    f"{PREFIX}/light/jacquard_other_gone/led/config",
    f"{PREFIX}/light/jacquard_sleeve/led/config",
    f"{PREFIX}/device/jacquard_bridge_test/config",
    f"other/{PREFIX}/light/jacquard_gone/led/config",
    f"{PREFIX}/light/kitchen/jacquard_gone/led/config",
    f"{PREFIX}/light/kitchen/jacquard_/config",
]
INVALID = [f"{PREFIX}/+/jacquard_gone/led/config", f"{PREFIX}/\ud800/jacquard_gone/led/config", "", "#"]


def info(*announced: str) -> str:
    return json.dumps({"bridge": "test", "epoch": 1, "serial": "1", "announced": announced})


@pytest.mark.parametrize("topic", [*FOREIGN, *INVALID])
def test_a_topic_of_another_tag_bridge_or_device_is_not_one_of_discovery(topic: str) -> None:
    own = settings.parse('bridge = "test"')
    assert discovery.is_of_tag(OWN, "gone", own) and discovery.is_of_tag(DEVICE, "gone", own)
    assert not discovery.is_of_tag(topic, "gone", own)


def test_every_discovery_topic_of_a_tag_is_recognized() -> None:
    for kind in ("component", "device"):
        own = settings.parse(f'bridge = "Te-st_1"\n[home_assistant]\ndiscovery = "{kind}"\nprefix = "a.b/c"')
        parts = [discovery.Component("update", "firmware", {}), discovery.Component("event", "gesture_brush-in", {})]
        topics = discovery.announced(parts, discovery.node_of("sl-eeve"), {}, own.home_assistant)
        assert topics and all(discovery.is_of_tag(topic, "sl-eeve", own) for topic in topics)


def test_only_its_own_discovery_messages_are_removed(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    """This does not depend on messages of other clients to `info`."""
    with Client(broker.port, "jacquard/#", f"{PREFIX}/#", "other/#", checked=False) as client:
        for topic in (OWN, DEVICE, *FOREIGN):
            client.publish(topic, "{}", retain=True)
        client.publish("jacquard/v1/tags/gone/info", info(OWN, DEVICE, *FOREIGN, *INVALID), retain=True)
        client.publish(f"jacquard/v1/tags/{'x' * (65535 - len('jacquard/v1/tags//info'))}/info", info(), retain=True)
        client.publish(f"{TAG}/info", "[" * 100000, retain=True)
        with Program(tmp_path, configuration(broker.port), simulator.bus_address) as program:
            client.wait_latest(f"{TAG}/availability", "online")
            client.wait_latest(f"{ROOT}/availability", "online")
            client.wait_latest("jacquard/v1/tags/gone/info", "")
            client.wait_latest(f"{PREFIX}/light/jacquard_sleeve/led/config", lambda config: "name" in config)
            assert client.request(TAG, "battery", {})["status"] == "ok"
            assert program.log.read_text().count("connected to") == 1
        assert client.latest(OWN) == client.latest(DEVICE) == ""
        others = set(FOREIGN) - {f"{PREFIX}/light/jacquard_sleeve/led/config"}
        assert {topic for topic in others if client.latest(topic) != {}} == set()


@pytest.mark.parametrize("retained", [False, True], ids=["live", "retained"])
def test_a_message_that_paho_cannot_parse_is_survived(
    broker: Broker, simulator: Simulator, tmp_path: Path, retained: bool
) -> None:
    """paho refuses U+FEFF in properties; mosquitto permits it."""
    unreadable = Properties(PacketTypes.PUBLISH)
    unreadable.UserProperty = ("key", "\ufeff")
    with Client(broker.port) as client, Client(broker.port, "nothing", version=paho.MQTTv5) as other:
        if retained:
            other.publish(f"{TAG}/request/led", {}, retain=True, properties=unreadable)
        with Program(tmp_path, configuration(broker.port), simulator.bus_address) as program:
            if not retained:
                client.wait_latest(f"{TAG}/availability", "online")
                other.publish(f"{TAG}/request/led", {}, properties=unreadable)
            program.wait_for_log("connected to 127.0.0.1 with MQTT 3.1.1")
            client.wait_latest(f"{TAG}/availability", "online")
            client.wait_latest(f"{ROOT}/availability", "online")
            assert client.request(TAG, "battery", {})["status"] == "ok"
            assert "MQTT 3.1.1 is used from now on" in program.log.read_text()
            if retained:
                program.wait_for_log(f"ignored the retained request '{TAG}/request/led'")
