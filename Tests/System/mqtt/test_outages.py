"""Kills of the broker and of the bridge, cuts of the network: no gesture is lost, repeated with other contents, or late.

There are a few of each; `Tests/Support/long mqtt` has many more, under load.
"""

from pathlib import Path

import pytest
from broker import Broker
from client import Client
from program import ROOT, TAG, Program, configuration
from proxy import Proxy
from simulator import Simulator
from waiting import stays, until

# Lets the bridge log each gesture that it is about to publish.
QUEUED = "a gesture is queued"
LOGS_GESTURES = (
    "from jacquard_mqtt.publisher import Publisher; event = Publisher.event; "
    f"Publisher.event = lambda *arguments: (print({QUEUED!r}, flush=True), event(*arguments))"
)


@pytest.fixture
def gear(simulator: Simulator) -> Simulator:
    simulator.tell("gear attach levis-trucker")
    return simulator


def numbers(client: Client) -> list[int]:
    return [message.payload["seq"] for message in client.of(f"{TAG}/gesture")]


def test_a_killed_broker_gets_every_gesture(broker: Broker, gear: Simulator, tmp_path: Path) -> None:
    with Client(broker.port, client_id="reader", persistent=True) as client:
        with Program(tmp_path, configuration(broker.port), gear.bus_address):
            client.wait_latest(f"{TAG}/gear", lambda value: value["attached"])
            for number in range(1, 4):
                gear.tell("gesture brush-in")
                client.wait(f"{TAG}/gesture", lambda gesture: gesture["seq"] == 2 * number - 1)
                broker.kill()
                gear.tell("gesture brush-out")
                broker.start()
                client.wait(f"{TAG}/gesture", lambda gesture: gesture["seq"] == 2 * number)
                client.wait_latest(f"{ROOT}/availability", "online")
            assert sorted(set(numbers(client))) == list(range(1, 7))
            assert len({message.payload["boot"] for message in client.of(f"{TAG}/gesture")}) == 1


def test_everything_is_published_again_for_a_broker_that_has_lost_everything(gear: Simulator, tmp_path: Path) -> None:
    (tmp_path / "broker").mkdir()
    with Broker(tmp_path / "broker") as broker:
        with Client(broker.port, "jacquard/#", "homeassistant/#") as client:
            with Program(tmp_path, configuration(broker.port), gear.bus_address):
                client.wait_latest(f"{TAG}/gear", lambda value: value["attached"])
                client.wait_latest(f"{ROOT}/availability", "online")
                before = {message.topic: message.payload for message in client.messages if message.topic != f"{ROOT}/status"}
                broker.kill()
                (broker.folder / "mosquitto.db").unlink(missing_ok=True)
                start = len(client.messages)
                broker.start()
                client.wait(f"{ROOT}/availability", lambda payload: payload == "online", after=start, seconds=20)
                with Client(broker.port, "jacquard/#", "homeassistant/#") as late:
                    late.wait_all(set(before))


def test_discovery_messages_that_the_broker_has_kept_are_not_sent_again(
    broker: Broker, gear: Simulator, tmp_path: Path
) -> None:
    """They are most of the messages, and a broker that saves each change needs a long time for them."""
    with Proxy(broker.port) as proxy, Client(broker.port, "jacquard/#", "homeassistant/#") as client:
        with Program(tmp_path, configuration(proxy.port), gear.bus_address):
            client.wait_latest(f"{TAG}/gear", lambda value: value["attached"])
            client.wait_latest(f"{TAG}/info", lambda info: "firmware" in info and "digest" in info)
            start = len(client.messages)
            proxy.cut()
            client.wait(f"{ROOT}/availability", lambda payload: payload == "offline", after=start)
            proxy.restore()
            client.wait(f"{ROOT}/availability", lambda payload: payload == "online", after=start)
            stays(lambda: not any("jacquard_sleeve" in message.topic for message in client.messages[start:]), 0.5)
            topics = {message.topic for message in client.messages[start:]}
            assert {f"{TAG}/state", f"{TAG}/availability", f"{ROOT}/availability"} <= topics


@pytest.mark.parametrize("how", ["cut", "stall"])
def test_a_cut_network_delays_gestures_and_loses_none(
    broker: Broker, gear: Simulator, tmp_path: Path, how: str
) -> None:
    with Proxy(broker.port) as proxy, Client(broker.port) as client:
        with Program(tmp_path, configuration(proxy.port), gear.bus_address, setup=LOGS_GESTURES) as program:
            client.wait_latest(f"{TAG}/gear", lambda value: value["attached"])
            for number in range(1, 4):
                getattr(proxy, how)()
                gear.tell("gesture cover")
                program.wait_for_log(QUEUED, number)
                proxy.restore()
                client.wait(f"{TAG}/gesture", lambda gesture: gesture["seq"] == number)
                client.wait_latest(f"{ROOT}/availability", "online")
    assert sorted(set(numbers(client))) == [1, 2, 3]


def test_old_gestures_are_dropped_counted_and_leave_a_gap(broker: Broker, gear: Simulator, tmp_path: Path) -> None:
    with Proxy(broker.port) as proxy, Client(broker.port) as client:
        text = configuration(proxy.port, rest="[gestures]\nmaximum_age = 0.5")
        with Program(tmp_path, text, gear.bus_address, setup=LOGS_GESTURES) as program:
            client.wait_latest(f"{TAG}/gear", lambda value: value["attached"])
            proxy.cut()
            client.wait_latest(f"{ROOT}/availability", "offline")
            for _ in range(3):
                gear.tell("gesture cover")
            program.wait_for_log(QUEUED, 3)
            # The outage is longer than the maximum age.
            stays(lambda: client.latest(f"{ROOT}/availability") == "offline", 0.6)
            proxy.restore()
            client.wait_latest(f"{ROOT}/availability", "online")
            client.wait_latest(f"{ROOT}/status", lambda status: status["dropped"] == 3)
            gear.tell("gesture cover")
            client.wait(f"{TAG}/gesture")
            assert numbers(client) == [4]


def test_a_killed_bridge_numbers_its_gestures_with_a_new_boot(broker: Broker, gear: Simulator, tmp_path: Path) -> None:
    with Client(broker.port) as client:
        with Program(tmp_path, configuration(broker.port), gear.bus_address) as program:
            for _ in range(1, 4):
                start = len(client.messages)
                client.wait(f"{TAG}/gear", lambda value: value["attached"], after=start)
                gear.tell("gesture cover")
                client.wait(f"{TAG}/gesture", after=start)
                program.kill()
                client.wait_latest(f"{ROOT}/availability", "offline")
                program.start()
            client.wait_latest(f"{ROOT}/availability", "online")
    found = [(message.payload["boot"], message.payload["seq"]) for message in client.of(f"{TAG}/gesture")]
    assert len(set(found)) == len(found) == 3 and {number for _, number in found} == {1}


def test_the_bridge_starts_before_the_broker(broker: Broker, gear: Simulator, tmp_path: Path) -> None:
    broker.kill()
    with Program(tmp_path, configuration(broker.port), gear.bus_address) as program:
        until(lambda: "refused" in program.log.read_text())
        broker.start()
        with Client(broker.port) as client:
            client.wait_latest(f"{TAG}/availability", "online")
        # Each reason is logged once, not for every attempt.
        assert program.log.read_text().count("refused") == 1


def test_other_gestures_arrive_while_one_tag_is_removed(broker: Broker, tmp_path: Path) -> None:
    from simulator import Simulator

    both = '[[tag]]\nserial = "01ZK"\ntopic = "sleeve"\n[[tag]]\nserial = "T001"\ntopic = "bag"\n'
    with Simulator("--time-scale", "20", "--tags", "2") as simulator, Client(broker.port) as client:
        simulator.tell("gear attach levis-trucker")
        with Program(tmp_path, configuration(broker.port, both), simulator.bus_address) as program:
            client.wait_latest(f"{TAG}/gear", lambda value: value["attached"])
            client.wait_latest("jacquard/v1/tags/bag/gear", lambda value: value["attached"])
            program.reload(configuration(broker.port))
            client.wait_latest("jacquard/v1/tags/bag/info", "")
            simulator.tell("tag 1 gesture cover")
            client.wait(f"{TAG}/gesture")
            assert client.latest(f"{TAG}/availability") == "online"
            left = {message.topic: message.payload for message in client.messages if "/bag/" in message.topic}
            assert {topic for topic, payload in left.items() if payload} <= {"jacquard/v1/tags/bag/gesture"}
