"""Two bridges with one name."""

import json

import pytest
from client import Client
from jacquard_mqtt.rivals import Rivals
from program import ROOT, Program, configuration

OWN = ("2222", "2026-01-01T12:00:00.000+00:00")
EARLIER, LATER = "2026-01-01T11:00:00.000+00:00", "2026-01-01T13:00:00.000+00:00"


def status(boot="1111", started=EARLIER, connections=1):
    return json.dumps({"boot": boot, "started": started, "connections": connections, "host": "other"}).encode()


@pytest.fixture
def rivals():
    return Rivals(*OWN)


def test_its_own_status_is_not_a_rival(rivals):
    assert rivals.judge(status(boot=OWN[0]), False) is None


def test_a_retained_status_may_be_from_the_previous_run(rivals):
    assert rivals.judge(status(), True) is None
    assert rivals.judge(status(), True) is None


def test_a_retained_status_that_a_broker_restores_is_not_a_rival(rivals):
    rivals.judge(status(connections=5), True)
    assert rivals.judge(status(connections=4), True) is None


def test_a_growing_count_of_connections_is_a_rival(rivals):
    rivals.judge(status(), True)
    assert rivals.judge(status(connections=2), True) is not None


@pytest.mark.parametrize("started, yields", [(EARLIER, True), (LATER, False)])
def test_the_bridge_that_was_started_first_stays(rivals, started, yields):
    assert rivals.judge(status(started=started), False).yields is yields


@pytest.mark.parametrize("payload", [b"", b"x", b"[]", b"{}", b"null", b'{"boot": 1}', b"\xff", b"[" * 100000])
def test_other_messages_are_ignored(rivals, payload):
    assert rivals.judge(payload, False) is None


@pytest.mark.parametrize("client_id", ["", 'client_id = "another"'], ids=["same client ID", "other client ID"])
def test_the_second_bridge_ends_and_the_first_continues(broker, simulator, tmp_path, client_id):
    (tmp_path / "1").mkdir()
    (tmp_path / "2").mkdir()
    with Client(broker.port) as client:
        with Program(tmp_path / "1", configuration(broker.port), simulator.bus_address) as first:
            client.wait_latest(f"{ROOT}/availability", "online")
            boot = client.latest(f"{ROOT}/status")["boot"]
            second = Program(tmp_path / "2", configuration(broker.port, mqtt=client_id), simulator.bus_address, status=3)
            with second:
                second.process.wait(30)
            assert "this one stops" in second.log.read_text()
            # With the same client ID, the first may not have received the message that proves that the second was
            # running.
            assert "it should stop" in first.log.read_text() or not client_id
            client.wait_latest(f"{ROOT}/status", lambda status: status["boot"] == boot)
            client.wait_latest(f"{ROOT}/availability", "online")
            assert first.process.poll() is None
