"""Two bridges with one name, and messages that claim to be from another one."""

import json
from pathlib import Path
from typing import Any

import pytest
from broker import Broker
from client import Client
from jacquard_mqtt.rivals import Rival, Rivals
from program import ROOT, TAG, Program, configuration
from simulator import Simulator

OWN = ("2222222222222222", "2026-01-01T12:00:00.000+00:00")
EARLIER, LATER = "2026-01-01T11:00:00.000+00:00", "2026-01-01T13:00:00.000+00:00"


def status(
    boot: object = "1111111111111111", started: object = EARLIER, connections: object = 1, host: object = "other"
) -> bytes:
    return json.dumps({"boot": boot, "started": started, "connections": connections, "host": host}).encode()


@pytest.fixture
def rivals() -> Rivals:
    return Rivals(*OWN)


def judged(rivals: Rivals, payload: bytes, retained: bool) -> Rival:
    rival = rivals.judge(payload, retained)
    assert rival
    return rival


def test_its_own_status_is_not_a_rival(rivals: Rivals) -> None:
    assert rivals.judge(status(boot=OWN[0]), False) is None


def test_a_retained_status_may_be_from_the_previous_run(rivals: Rivals) -> None:
    assert rivals.judge(status(), True) is None
    assert rivals.judge(status(), True) is None


def test_a_retained_status_that_a_broker_restores_is_not_a_rival(rivals: Rivals) -> None:
    rivals.judge(status(connections=5), True)
    assert rivals.judge(status(connections=4), True) is None


def test_a_growing_count_of_connections_proves_a_rival(rivals: Rivals) -> None:
    rivals.judge(status(), True)
    assert judged(rivals, status(connections=2), True).proven


def test_a_live_status_proves_a_rival_only_if_another_one_follows_the_answer(rivals: Rivals) -> None:
    assert [judged(rivals, status(), False).proven for _ in range(4)] == [False, True, False, True]
    assert not judged(rivals, status(boot="3" * 16), False).proven


@pytest.mark.parametrize("started, is_first", [(EARLIER, True), (LATER, False)])
def test_the_bridge_that_was_started_first_stays(rivals: Rivals, started: str, is_first: bool) -> None:
    assert judged(rivals, status(started=started), False).is_first is is_first


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"x",
        b"[]",
        b"{}",
        b"null",
        b'{"boot": 1}',
        b"\xff",
        pytest.param(b"[" * 100000, id="nested"),
        status(connections=float("inf")),
        status(connections="1"),
        status(boot="x"),
        status(boot=7),
        status(started="0"),
        status(started=EARLIER + "\n<3>forged"),
        status(host=["other"]),
    ],
)
def test_other_messages_are_ignored(rivals: Rivals, payload: Any) -> None:
    assert rivals.judge(payload, False) is None


BRIEFLY = "broker_link.PAUSE_FOR_RIVAL = 2"


@pytest.mark.parametrize("client_id", ["", 'client_id = "another"'], ids=["same client ID", "other client ID"])
def test_the_second_bridge_pauses_while_the_first_runs(
    broker: Broker, simulator: Simulator, tmp_path: Path, client_id: str
) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    with Client(broker.port) as client:
        first = Program(tmp_path / "1", configuration(broker.port), simulator.bus_address)
        second = Program(tmp_path / "2", configuration(broker.port, mqtt=client_id), simulator.bus_address, setup=BRIEFLY)
        with first:
            client.wait_latest(f"{TAG}/availability", "online")
            boot = client.latest(f"{ROOT}/status")["boot"]
            with second:
                for attempts in (1, 3):
                    second.wait_for_log("tries again every")
                    second.wait_for_log("connected to 127.0.0.1", attempts)
                    client.wait_latest(f"{ROOT}/status", lambda status: status["boot"] == boot)
                    client.wait_latest(f"{ROOT}/availability", "online")
                    client.wait_latest(f"{TAG}/availability", "online")
                # With the same client ID, the first may not have received the message that proves that the second was
                # running.
                assert "it should pause" in first.log.read_text() or not client_id
                assert first.process.poll() is second.process.poll() is None
                assert first.stop() == 0
                client.wait_latest(f"{ROOT}/status", lambda status: status["boot"] != boot)
                client.wait_latest(f"{ROOT}/availability", "online")
                client.wait_latest(f"{TAG}/availability", "online")


@pytest.mark.parametrize("topic", [ROOT, TAG])
def test_a_late_message_of_a_bridge_that_has_ended_is_corrected(
    broker: Broker, simulator: Simulator, tmp_path: Path, topic: str
) -> None:
    with Client(broker.port) as client, Program(tmp_path, configuration(broker.port), simulator.bus_address):
        client.wait_latest(f"{TAG}/availability", "online")
        client.wait_latest(f"{ROOT}/availability", "online")
        start = len(client.messages)
        client.publish(f"{topic}/availability", "offline", retain=True)
        client.wait(f"{topic}/availability", lambda payload: payload == "offline", after=start)
        client.wait_latest(f"{topic}/availability", "online")


def test_one_forged_status_has_no_effect(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    with Client(broker.port, checked=False) as client:
        with Program(tmp_path, configuration(broker.port), simulator.bus_address) as program:
            client.wait_latest(f"{TAG}/availability", "online")
            own = client.latest(f"{ROOT}/status")
            for retain in (False, True):
                start = len(client.messages)
                client.publish(f"{ROOT}/status", status(boot="13"[retain] * 16), retain=retain)
                client.wait(f"{ROOT}/status", lambda status: status["boot"] == own["boot"], after=start)
                assert client.request(TAG, "battery", {})["status"] == "ok"
            assert client.latest(f"{ROOT}/status") == own and program.log.read_text().count("connected to") == 1


def test_a_program_that_plays_another_bridge_stops_this_one_only_for_a_while(
    broker: Broker, simulator: Simulator, tmp_path: Path
) -> None:
    with Client(broker.port, checked=False) as client:
        with Program(tmp_path, configuration(broker.port), simulator.bus_address, setup=BRIEFLY) as program:
            client.wait_latest(f"{TAG}/availability", "online")
            for _ in range(2):
                client.publish(f"{ROOT}/status", status(), retain=True)
            program.wait_for_log("tries again every")
            program.wait_for_log("connected to", 2)
            assert client.request(TAG, "battery", {})["status"] == "ok"
            client.wait_latest(f"{ROOT}/status", lambda status: status["boot"] != "1" * 16)
