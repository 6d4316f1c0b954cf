"""A tag that moves between two bridges, each on a machine of its own, is one device of Home Assistant."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from broker import Broker
from client import Client
from entities import ENTITIES, NAME, entity
from home_assistant import HomeAssistant, python
from jacquard_mqtt.messages import GESTURES
from program import PYTHON, TAG, Program, configuration
from simulator import SERIAL, SERVICE, Simulator
from test_home_assistant import WORLDS, fired, usable
from waiting import elapse, settled, stays

TURNS, GESTURES_OF_A_TURN = 20, 50
ALL_ENTITIES = {entity(pattern) for pattern in ENTITIES if "update" not in pattern}


@dataclass
class Pair:
    """Two bridges, the machine of each, and what they have in common."""

    broker: Broker
    client: Client
    judge: HomeAssistant
    here: Simulator
    there: Simulator
    one: Program
    two: Program
    rest: str

    def text(self, bridge: str) -> str:
        return configuration(self.broker.port, rest=self.rest, bridge=bridge)

    def gestures(self) -> int:
        return len(self.client.of(f"{TAG}/gesture"))

    def wait_connected(self, bridge: str) -> None:
        is_there = lambda state: (state["bridge"], state["phase"]) == (bridge, "connected")  # noqa: E731
        self.client.wait_latest(f"{TAG}/state", is_there, 60)

    def subscribe(self) -> int:
        """The number of a subscription that gets every gesture from now on."""
        self.client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
        self.judge.until(lambda: self.judge.state(entity("event.{}_gesture")) == "unknown", "the event entity")
        number = self.judge.subscribe(the_trigger(self.judge, "brush-in"))
        self.judge.until(lambda: fired(self.judge, self.here, number), "the trigger")
        settled(self.gestures, 1)
        self.judge.call("unsubscribe_events", subscription=number)
        number = self.judge.subscribe(the_trigger(self.judge, "brush-in"))
        elapse(1)  # nothing reports that the trigger has subscribed
        return number

    def move_and_make_gestures(self) -> None:
        """Each gesture arrives once."""
        number = self.subscribe()
        began = made = self.gestures()
        for turn in range(TURNS):
            places = (self.here, self.there, "one") if turn % 2 == 0 else (self.there, self.here, "two")
            machine, other, bridge = places
            other.tell("out-of-range")
            machine.tell("in-range")
            self.wait_connected(bridge)
            self.client.wait_latest(f"{TAG}/availability", "online")
            for _ in range(GESTURES_OF_A_TURN):
                made += 1
                machine.tell("gesture brush-in")
                self.client._until(lambda: self.gestures() >= made, f"gesture {made - began} of turn {turn}")
        events = [self.judge.event(number) for _ in range(made - began)]
        payloads = [event["variables"]["trigger"]["payload_json"] for event in events]
        assert len({(payload["boot"], payload["seq"]) for payload in payloads}) == TURNS * GESTURES_OF_A_TURN
        stays(lambda: not self.judge.waiting_events(number), 1, 0.2)
        self.judge.call("unsubscribe_events", subscription=number)
        assert named(self.judge) == {f"Jacquard-{SERIAL}", "Jacquard bridge one", "Jacquard bridge two"}
        self.judge.until(lambda: usable(self.judge) == ALL_ENTITIES, "all entities")

    def check_device(self, *bridges: str) -> None:
        """One device, one set of triggers, and nothing of other bridges."""
        wanted = {f"Jacquard-{SERIAL}", *(f"Jacquard bridge {bridge}" for bridge in bridges)}
        self.judge.until(lambda: named(self.judge) == wanted, "devices")
        the_trigger(self.judge, "cover")
        self.judge.until(lambda: {name for name in self.judge.states() if NAME in name} == ALL_ENTITIES, "entities")

    def restart_and_rename(self) -> None:
        """The second bridge is killed, renamed while it runs, and renamed between two runs."""
        client, two = self.client, self.two
        two.kill()
        start = len(client.messages)
        two.start()
        client.wait("jacquard/v1/two/availability", lambda payload: payload == "online", after=start)
        client.wait(f"{TAG}/gear", lambda gear: gear["attached"], after=start)
        self.judge.until(lambda: usable(self.judge) == ALL_ENTITIES, "all entities again")
        self.check_device("one", "two")
        two.reload(self.text("three"))
        client.wait_latest("jacquard/v1/three/availability", "online")
        client.wait_latest("jacquard/v1/two/status", "")
        self.wait_connected("three")
        self.check_device("one", "three")
        two.stop()
        two.path.write_text(self.text("four"))
        two.start()
        client.wait_latest("jacquard/v1/four/availability", "online")
        client.wait_latest("jacquard/v1/three/status", "")
        self.check_device("one", "four")

    def remove(self) -> None:
        """One bridge after the other. Nothing of them remains."""
        self.two.stop()
        assert removed(self.two) == 0
        self.client.wait_latest(f"{TAG}/state", lambda state: state["bridge"] == "one")
        self.check_device("one")
        self.one.stop()
        assert removed(self.one) == 0
        self.judge.until(lambda: named(self.judge) == set(), "no devices")
        self.client.wait_latest(f"{TAG}/info", "")
        messages = [message for message in self.client.messages if not message.topic.startswith("$")]
        latest = {message.topic: message.payload for message in messages}
        live = ("gesture", "status", "config")
        left = {topic for topic, payload in latest.items() if payload and topic.rpartition("/")[2] not in live}
        assert left == set() and not [topic for topic in latest if topic.endswith("/config") and latest[topic]]
        assert self.judge.complaints() == []


@pytest.mark.parametrize(("version", "mode"), WORLDS)
def test_a_tag_of_two_bridges_is_one_device(version: str, mode: str, tmp_path: Path) -> None:
    for name in ("home-assistant", "one", "two"):
        (tmp_path / name).mkdir()
    rest = f'[home_assistant]\ndiscovery = "{mode}"\n'
    with (
        Broker(tmp_path) as broker,
        Simulator("--time-scale", "20") as here,
        Simulator("--time-scale", "20") as there,
        Client(broker.port, "#") as client,
    ):
        for machine in (here, there):
            machine.tell("gear attach levis-trucker")
            machine.tell("sleep-after 10000min")  # of the simulator's time
        there.tell("out-of-range")
        texts = [configuration(broker.port, rest=rest, bridge=bridge) for bridge in ("one", "two")]
        with (
            Program(tmp_path / "one", texts[0], here.bus_address, **of_machine(here, tmp_path / "one")) as one,
            Program(tmp_path / "two", texts[1], there.bus_address, **of_machine(there, tmp_path / "two")) as two,
            HomeAssistant(python(version), tmp_path / "home-assistant", broker.port) as judge,
        ):
            pair = Pair(broker, client, judge, here, there, one, two, rest)
            pair.move_and_make_gestures()
            pair.restart_and_rename()
            pair.remove()


def of_machine(machine: Simulator, folder: Path) -> dict[str, Any]:
    return {"XDG_STATE_HOME": str(folder / "state"), "XDG_RUNTIME_DIR": str(folder), SERVICE: machine.service}


def removed(program: Program) -> int:
    words = [PYTHON, "-m", "jacquard_mqtt", "--remove", "--config", str(program.path)]
    return subprocess.run(words, env=program.environment, timeout=60).returncode


def named(judge: HomeAssistant) -> set[str]:
    return {device["name"] for device in judge.call("config/device_registry/list")}


def the_trigger(judge: HomeAssistant, gesture: str) -> dict[str, str]:
    """The only trigger with this gesture."""
    (tag,) = [device for device in judge.call("config/device_registry/list") if device["name"] == f"Jacquard-{SERIAL}"]
    triggers = judge.call("device_automation/trigger/list", device_id=tag["id"])
    assert sorted(trigger["subtype"] for trigger in triggers if trigger["domain"] == "mqtt") == sorted(GESTURES)
    (found,) = [trigger for trigger in triggers if trigger.get("subtype") == gesture]
    return {name: value for name, value in found.items() if name != "metadata"}
