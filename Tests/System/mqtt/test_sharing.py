"""The bridge beside other programs that use the same tag, through the service and without one."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ctl
import pytest
from broker import Broker
from client import Client
from program import ROOT, TAG, Program, configuration
from simulator import SERIAL, Simulator
from waiting import paced, until

JACKET = "gear attach levis-trucker"
# Seconds between the gestures of a person.
PAUSE = 0.02


Both = tuple[Client, Program, ctl.Running]


@pytest.fixture
def both(broker: Broker, simulator: Simulator, tmp_path: Path) -> Iterator[Both]:
    """A client of the broker, the bridge, and a jacquardctl that plays light at a gesture."""
    simulator.tell(JACKET)
    bridge = Program(tmp_path, configuration(broker.port), simulator.bus_address)
    with Client(broker.port) as client:
        bridge.start()
        client.wait_latest(f"{TAG}/availability", "online")
        client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
        with ctl.watch(simulator, "--on", "double-tap", "--led", "teal") as watch:
            watch.until(event="gear")
            yield client, bridge, watch
        if bridge.process.poll() is None:
            assert bridge.stop() == 0
    log = bridge.log.read_text()
    assert "Traceback" not in log and "internal error" not in log, log


def gesture(simulator: Simulator, client: Client, watch: Any, name: str) -> int:
    """A gesture that both receive; its number on the broker."""
    start = len(client.messages)
    simulator.tell(f"gesture {name}")
    if watch is not None:
        assert "state" not in [event["event"] for event in watch.until(event="gesture", name=name)]
    return int(client.wait(f"{TAG}/gesture", lambda message: message["gesture"] == name, after=start)["seq"])


def lights(simulator: Simulator) -> list[str]:
    return [entry.split("frames ")[1] for entry in simulator.tell("journal lights").split("; ") if entry]


def test_gestures_reach_both_and_both_play_light(simulator: Simulator, both: Both) -> None:
    client, _, watch = both
    assert [gesture(simulator, client, watch, name) for name in ("brush-in", "brush-out", "cover")] == [1, 2, 3]
    gesture(simulator, client, watch, "double-tap")
    until(lambda: lights(simulator) == ["0,128,128:2000"])
    response = client.request(TAG, "led", {"color": "red", "seconds": 1})
    assert response["status"] == "ok"
    assert lights(simulator) == ["0,128,128:2000", "255,0,0:1000"]
    assert ctl.run(simulator, "led", SERIAL, "blue").returncode == 0
    assert lights(simulator)[2:] == ["0,0,255:2000"]
    # A change by one program is an event for the other.
    assert client.request(TAG, "rename", {"name": "Sleeve"})["status"] == "ok"
    watch.until(event="name", name="Sleeve")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_program_notices_nothing_when_the_bridge_ends(simulator: Simulator, both: Both, number: int) -> None:
    client, bridge, watch = both
    gesture(simulator, client, watch, "cover")
    bridge.stop(number)
    client.wait_latest(f"{ROOT}/availability", "offline")
    simulator.tell("gesture brush-in")
    assert "state" not in [event["event"] for event in watch.until(event="gesture", name="brush-in")]
    start = len(client.messages)
    bridge.start()
    client.wait(f"{TAG}/state", lambda state: state["phase"] == "connected", after=start)
    client.wait(f"{TAG}/gear", lambda gear: gear["attached"], after=start)
    client.wait_latest(f"{ROOT}/availability", "online")
    assert gesture(simulator, client, watch, "brush-out") == 1
    assert simulator.tell("stats").split()[1] == "links=1"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_bridge_notices_nothing_when_the_program_ends(simulator: Simulator, both: Both, number: int) -> None:
    client, _, watch = both
    gesture(simulator, client, watch, "cover")
    start = len(client.messages)
    watch.process.send_signal(number)
    watch.process.wait(20)
    # The numbers continue.
    assert gesture(simulator, client, None, "brush-in") == 2
    assert client.request(TAG, "led", {"color": "red", "seconds": 1})["status"] == "ok"
    assert f"{TAG}/state" not in [message.topic for message in client.messages[start:]]
    assert simulator.tell("stats").split()[1] == "links=1"


def test_both_continue_when_the_service_is_killed(simulator: Simulator, both: Both) -> None:
    client, _, watch = both
    gesture(simulator, client, watch, "cover")
    with ctl.watch(simulator) as other:
        (*_, state) = other.until(event="state", phase="connected")
    start = len(client.messages)
    os.kill(state["service_process"], signal.SIGKILL)
    watch.until(event="state", phase="preparing")
    watch.until(event="gear")
    client.wait(f"{TAG}/state", lambda state: state["phase"] == "connected", after=start)
    client.wait(f"{TAG}/gear", lambda gear: gear["attached"], after=start)
    # The numbers continue.
    assert gesture(simulator, client, watch, "brush-in") == 2


def test_bridges_that_start_together_publish_each_gesture_once(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    """Gestures are made from the start on; those before both are connected may be missed, and none comes twice."""
    simulator.tell("gear attach levis-trucker")
    names, made = ("first", "second"), 0
    for name in names:
        (tmp_path / name).mkdir()
    bridges = [
        Program(tmp_path / name, configuration(broker.port, bridge=name), simulator.bus_address, plain=True) for name in names
    ]

    def make() -> int:
        nonlocal made
        made += 1
        simulator.tell(f"gesture {made % 200 + 1}")
        return made % 200 + 1

    # Keeps the link, so that both bridges connect at once.
    with Client(broker.port) as client, ctl.watch(simulator) as watch:
        watch.until(event="state", phase="connected")

        def published(after: int) -> list[int]:
            return [message.payload["number"] for message in client.messages[after:] if message.topic == f"{TAG}/gesture"]

        for turn in range(1, 16):
            start = len(client.messages)
            for bridge in bridges:
                bridge.start()
            until(
                lambda: all(bridge.log.read_text().count("sleeve: connected") >= turn for bridge in bridges),
                60,
                meanwhile=make,
                period=PAUSE,
            )
            last = [make() for _ in paced(5, PAUSE)]
            until(lambda: last[-1] in published(start))
            numbers = published(start)
            assert numbers[-5:] == last and len(numbers) == len(set(numbers)), numbers
            # Either bridge in turn.
            owner = bridges[names.index(client.latest(f"{TAG}/state")["bridge"])]
            if turn % 5 == 0:
                owner.kill()
                client.wait_latest(f"{TAG}/state", lambda state: names.index(state["bridge"]) != bridges.index(owner))
                client.wait_latest(f"{TAG}/availability", "online")
                start = len(client.messages)
                last = [make() for _ in paced(20, PAUSE)]
                until(lambda: last[-1] in published(start))
                assert published(start) == last
            for bridge in bridges:
                if bridge.process.poll() is None:
                    assert bridge.stop() == 0


# Without a service


def test_another_program_is_refused_without_a_service(broker: Broker, tmp_path: Path) -> None:
    with Simulator("--no-service") as simulator, Client(broker.port) as client:
        with Program(tmp_path, configuration(broker.port), simulator.bus_address) as bridge:
            client.wait_latest(f"{TAG}/availability", "online")
            ran = ctl.run(simulator, "battery", SERIAL, "--json")
            assert ran.returncode == 1
            (failure,) = ctl.objects(ran.stderr)
            assert failure["error"]["code"] == "in_use"
            assert f"process {bridge.process.pid}" in failure["error"]["message"]
            assert client.request(TAG, "battery", {})["status"] == "ok"
