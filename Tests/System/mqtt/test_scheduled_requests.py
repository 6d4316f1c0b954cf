"""Requests that wait for their tag and its gear."""

from pathlib import Path

from broker import Broker
from client import Client
from program import ROOT, TAG, Program, configuration
from test_requests import (
    World,
    count,
    world_fixture,  # noqa: F401
)


def test_a_scheduled_request_waits_for_the_tag_and_its_gear(world: World) -> None:
    client, simulator, _ = world
    simulator.tell("out-of-range for 40s")
    client.wait_latest(f"{TAG}/availability", "offline")
    start = len(client.messages)
    haptics = count(simulator.tell("stats"), "haptics")
    client.publish(f"{TAG}/request/haptic", {"id": 1, "symbol": "alert", "schedule": 60})
    client.publish(f"{TAG}/request/light", {"id": 2, "state": "on", "schedule": 60})
    client.publish(f"{TAG}/request/battery", {"id": 3, "schedule": 0.1})
    refused = client.wait(f"{TAG}/response/battery", after=start)
    assert (refused["id"], refused["error"]["code"]) == (3, "not_connected")
    assert client.latest(f"{TAG}/availability") == "offline"
    assert [client.wait(f"{TAG}/response/{command}", after=start)["status"] for command in ("haptic", "light")] == ["ok", "ok"]
    assert count(simulator.tell("stats"), "haptics") == haptics + 1
    client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
    client.request(TAG, "light", {"state": "off"})


def test_a_scheduled_request_ends_with_its_tag(broker: Broker, tmp_path: Path, world: World) -> None:
    _, simulator, _ = world
    absent = '[[tag]]\nserial = "ZZZZ"\ntopic = "absent"\n'
    text = configuration(broker.port, tags=absent)
    with Client(broker.port) as client, Program(tmp_path, text, simulator.bus_address) as program:
        client.wait_latest(f"{ROOT}/availability", "online")
        topic = "jacquard/v1/tags/absent"
        for identity in (1, 2):
            client.publish(f"{topic}/request/led", {"id": identity, "schedule": 3600})
            if identity == 1:
                program.reload(configuration(broker.port, tags=absent.replace("ZZZZ", "YYYY")))
            else:
                program.process.terminate()
            code = ["not_connected", "stopping"][identity - 1]
            client.wait(f"{topic}/response/led", lambda r: (r["id"], r["error"]["code"]) == (identity, code))
        program.process.wait(20)
