"""The program as a service: readiness, watchdog, reloading, signals, passwords and TLS."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import places
import pytest
from broker import Broker
from client import Client
from program import ROOT, TAG, Program, configuration
from simulator import SERIAL, SERVICE, Simulator

ACL = places.APPS / "jacquard-mqtt" / "examples" / "acl"


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    """The messages to systemd."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as receiver:
        receiver.bind(str(tmp_path / "notify"))
        receiver.settimeout(20)
        yield receiver


def until(receiver: socket.socket, wanted: str) -> list[str]:
    seen = []
    while True:
        seen += receiver.recv(4096).decode().splitlines()
        if re.search(wanted, "\n".join(seen)):
            return seen


def test_systemd_receives_readiness_and_status(
    broker: Broker, simulator: Simulator, systemd: socket.socket, tmp_path: Path
) -> None:
    environment: dict[str, Any] = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "200000"}
    with Program(tmp_path, configuration(broker.port), simulator.bus_address, **environment) as bridge:
        until(systemd, "READY=1")
        until(systemd, "STATUS=connected to 127.0.0.1; 1 of 1 tags connected")
        assert until(systemd, "(WATCHDOG=1\n.*){3}|WATCHDOG=1\nWATCHDOG=1\nWATCHDOG=1")
        bridge.process.send_signal(signal.SIGHUP)
        seen = until(systemd, "RELOADING=1[^$]*READY=1")
        assert any(line.startswith("MONOTONIC_USEC=") for line in seen)
        bridge.process.terminate()
        until(systemd, "STOPPING=1")


def test_it_is_ready_without_a_broker(simulator: Simulator, systemd: socket.socket, tmp_path: Path) -> None:
    with Program(tmp_path, configuration(1), simulator.bus_address, NOTIFY_SOCKET=str(tmp_path / "notify")):
        until(systemd, "READY=1")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(broker: Broker, simulator: Simulator, tmp_path: Path, number: int) -> None:
    with Client(broker.port) as client, Program(tmp_path, configuration(broker.port), simulator.bus_address) as bridge:
        client.wait_latest(f"{TAG}/availability", "online")
        assert bridge.stop(number) == 0


def test_an_invalid_file_is_not_loaded(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    with Client(broker.port) as client, Program(tmp_path, configuration(broker.port), simulator.bus_address) as bridge:
        client.wait_latest(f"{TAG}/availability", "online")
        bridge.reload("[mqtt]\nport = 0")
        simulator.tell("battery 7")
        client.wait_latest(f"{TAG}/battery", lambda battery: battery["percent"] == 7)
        bridge.wait_for_log("the previous configuration stays in effect")


def test_a_tag_keeps_its_connection_while_other_settings_change(
    broker: Broker, simulator: Simulator, tmp_path: Path
) -> None:
    with Client(broker.port, "#") as client:
        with Program(tmp_path, configuration(broker.port), simulator.bus_address) as bridge:
            client.wait_latest(f"{TAG}/availability", "online")
            bridge.reload(configuration(broker.port, rest="[home_assistant]\nenabled = false"))
            bridge.wait_for_log("again")
            config = [m.topic for m in client.messages if m.topic.endswith("/config")]
            for topic in set(config):
                client.wait_latest(topic, "")
            simulator.tell("gear attach levis-trucker")
            client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])
            simulator.tell("gesture cover")
            assert client.wait(f"{TAG}/gesture")["seq"] == 1
            states = [message.payload["phase"] for message in client.of(f"{TAG}/state")]
            assert states.count("disconnected") <= 1  # the first


def test_a_bridge_that_is_renamed_removes_its_old_topics(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    with Client(broker.port, "jacquard/#", "homeassistant/#") as client:
        with Program(tmp_path, configuration(broker.port), simulator.bus_address) as bridge:
            client.wait_latest(f"{TAG}/availability", "online")
            client.wait_latest(f"{ROOT}/availability", "online")
            bridge.reload(configuration(broker.port, bridge="other"))
            client.wait_latest("jacquard/v1/tags/sleeve/availability", "online")
            client.wait_latest("jacquard/v1/other/availability", "online")
            latest = {message.topic: message.payload for message in client.messages}
            assert [topic for topic, payload in latest.items() if "test" in topic and payload] == []


def test_the_next_run_removes_the_topics_of_a_killed_one(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    with Client(broker.port, "jacquard/#", "homeassistant/#") as client:
        with Program(tmp_path, configuration(broker.port), simulator.bus_address) as bridge:
            client.wait_latest(f"{TAG}/availability", "online")
            bridge.kill()
            bridge.path.write_text(configuration(broker.port, tags='[[tag]]\nserial = "ZZZZ"\ntopic = "new"\n'))
            bridge.start()
            client.wait_latest(f"{TAG}/info", "")
            client.wait_latest(f"{ROOT}/availability", "online")
            latest = {message.topic: message.payload for message in client.messages}
            assert [topic for topic, payload in latest.items() if "sleeve" in topic and payload] == []


def test_tags_are_added_when_bound_and_removed_when_unbound(
    broker: Broker, simulator: Simulator, tmp_path: Path
) -> None:
    """Without [[tag]], the bridge follows what other programs bind and unbind."""
    from jacquard.blocking import Manager

    state: dict[str, Any] = {"XDG_STATE_HOME": str(tmp_path / "state")}
    (tmp_path / "state").mkdir()
    with Client(broker.port, "jacquard/#") as client:
        with Program(tmp_path, configuration(broker.port, tags=""), simulator.bus_address, **state):
            client.wait_latest(f"{ROOT}/status", lambda status: status["tags"] == [])
            own: dict[str, Any] = {"bus_address": simulator.bus_address, "state_directory": tmp_path / "state" / "jacquard"}
            with Manager(**own) as manager, manager.bind(code=SERIAL) as connection:
                root = f"jacquard/v1/tags/{connection.tag().info.serial}"
            client.wait_latest(f"{root}/availability", "online")
            with Manager(**own) as manager:
                (known,) = manager.known()
                manager.unbind(known)
            client.wait_latest(f"{root}/availability", "")
            client.wait_latest(f"{ROOT}/status", lambda status: status["tags"] == [])


def test_a_tag_in_use_by_another_program_is_reported(
    broker: Broker, simulator: Simulator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a service, the bridge waits for the tag."""
    from jacquard.blocking import Manager

    monkeypatch.setenv(SERVICE, "off")
    with Client(broker.port) as client, Manager(bus_address=simulator.bus_address) as manager:
        with manager.connect(serial=SERIAL) as connection:
            connection.tag()
            with Program(tmp_path, configuration(broker.port), simulator.bus_address):
                client.wait_latest(f"{TAG}/state", lambda state: (state["reason"] or {}).get("code") == "in_use")
                manager.close()
                client.wait_latest(f"{TAG}/availability", "online", seconds=40)


def test_missing_bluetooth_is_reported_and_retried(broker: Broker, tmp_path: Path) -> None:
    with Client(broker.port) as client, Program(tmp_path, configuration(broker.port)) as bridge:
        client.wait_latest(f"{TAG}/state", lambda state: (state["reason"] or {}).get("code") == "bus_unavailable")
        client.wait_latest(f"{ROOT}/status", lambda status: (status["bluetooth"] or {}).get("code") == "bus_unavailable")
        client.wait_latest(f"{ROOT}/availability", "online")
        assert bridge.log.read_text().count("The bus cannot be reached") == 1


def test_a_powered_off_adapter_is_the_reason_until_it_is_powered_on(
    broker: Broker, simulator: Simulator, systemd: socket.socket, tmp_path: Path
) -> None:
    simulator.tell("adapter off")
    environment: dict[str, Any] = {"NOTIFY_SOCKET": str(tmp_path / "notify")}
    with Client(broker.port) as client:
        with Program(tmp_path, configuration(broker.port), simulator.bus_address, **environment) as bridge:
            client.wait_latest(f"{TAG}/state", lambda state: (state["reason"] or {}).get("code") == "powered_off")
            client.wait_latest(f"{ROOT}/status", lambda status: (status["bluetooth"] or {}).get("code") == "powered_off")
            until(systemd, "STATUS=connected to 127.0.0.1; 0 of 1 tags connected. .*off")
            simulator.tell("adapter on")
            client.wait_latest(f"{TAG}/state", lambda state: (state["phase"], state["reason"]) == ("connected", None))
            client.wait_latest(f"{ROOT}/status", lambda status: status["bluetooth"] is None)
            bridge.wait_for_log("Bluetooth can be used")


def test_an_idle_bridge_wakes_up_rarely(broker: Broker, tmp_path: Path) -> None:
    with Simulator() as simulator, Client(broker.port) as client:
        with Program(tmp_path, configuration(broker.port), simulator.bus_address) as bridge:
            client.wait_latest(f"{TAG}/availability", "online")
            client.wait_latest(f"{ROOT}/availability", "online")
            threading.Event().wait(1)
            before = switches(bridge.process.pid)
            threading.Event().wait(3)
            assert switches(bridge.process.pid) - before < 30


def switches(process: int) -> int:
    total = 0
    for task in os.listdir(f"/proc/{process}/task"):
        text = Path(f"/proc/{process}/task/{task}/status").read_text()
        total += int(re.findall(r"^voluntary_ctxt_switches:\s+(\d+)", text, re.M)[0])
    return total


def test_topics_of_versions_that_shared_no_tags_are_removed(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    earlier, own = "jacquard/v1/old/tags/sleeve", "homeassistant/light/jacquard_old_sleeve/led/config"
    foreign = "homeassistant/light/jacquard_old_other/led/config"
    with Client(broker.port, "jacquard/#", "homeassistant/#", checked=False) as client:
        for topic in (own, foreign, f"{earlier}/state"):
            client.publish(topic, "{}", retain=True)
        client.publish(f"{earlier}/info", {"bridge": "old", "serial": "1", "announced": [own, foreign]}, retain=True)
        with Program(tmp_path, configuration(broker.port), simulator.bus_address):
            for topic in (own, f"{earlier}/state", f"{earlier}/info"):
                client.wait_latest(topic, "")
            client.wait_latest(f"{TAG}/availability", "online")
        assert client.latest(foreign) == {}


def test_a_bridge_is_given_up(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    with Client(broker.port, "jacquard/#", "homeassistant/#", checked=False) as client:
        with Program(tmp_path, configuration(broker.port), simulator.bus_address) as bridge:
            client.wait_latest(f"{TAG}/availability", "online")
            client.wait_latest(f"{ROOT}/availability", "online")
        assert removal(bridge).wait(20) == 0
        latest = {message.topic: message.payload for message in client.messages if not message.topic.endswith("/gesture")}
        assert len(latest) > 20 and [topic for topic, payload in latest.items() if payload] == []


def test_a_removal_that_is_stopped_early_has_failed(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        bridge = Program(tmp_path, configuration(silent.getsockname()[1]))
        process = removal(bridge)
        connection, _ = silent.accept()
        with connection:
            process.terminate()
            assert process.wait(20) == 1


def removal(bridge: Program) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "jacquard_mqtt", "--config", str(bridge.path), "--remove"]
    return subprocess.Popen(words, env=bridge.environment, stdin=subprocess.DEVNULL)


def test_a_bridge_shares_a_tag_with_one_of_the_same_machine(broker: Broker, simulator: Simulator, tmp_path: Path) -> None:
    """Both have the link, and one publishes. The other publishes when that one ends, or gives up the tag."""
    (tmp_path / "second").mkdir()
    simulator.tell("gear attach levis-trucker")
    with Client(broker.port) as client:
        first = Program(tmp_path, configuration(broker.port, bridge="first"), simulator.bus_address)
        with first, Program(tmp_path / "second", configuration(broker.port, bridge="second"), simulator.bus_address) as second:
            client.wait_latest(f"{TAG}/availability", "online")
            for name in ("first", "second"):
                client.wait_latest(f"jacquard/v1/{name}/availability", "online")
            for program in (first, second):
                program.wait_for_log("sleeve: connected")
            # Until the library has set the gear's mode, after CONNECTED, the tag makes no gestures.
            simulator.wait_for_touch_mode(1)
            # Shown if a gesture is missing: each link begins with these requests.
            print(simulator.tell("journal requests"))
            for number in range(1, 12):
                simulator.tell("gesture cover")
                client.wait_latest(f"{TAG}/gesture", lambda gesture: gesture["seq"] == number)
            assert [gesture.payload["seq"] for gesture in client.of(f"{TAG}/gesture")] == [*range(1, 12)]
            bridge = client.latest(f"{TAG}/state")["bridge"]
            owner, other = (first, second) if bridge == "first" else (second, first)
            owner.kill()
            client.wait_latest(f"{TAG}/state", lambda state: state["bridge"] != bridge)
            start = len(client.messages)
            simulator.tell("gesture brush-in")
            client.wait(f"{TAG}/gesture", after=start)
            name = client.latest(f"{TAG}/state")["bridge"]
            start = len(client.messages)
            other.reload(configuration(broker.port, bridge=name, tags='[[tag]]\nserial = "ZZZZ"\n'))
            client.wait(f"jacquard/v1/{name}/status", lambda status: status["tags"] == ["ZZZZ"], after=start)
            owner.start()
            client.wait_latest(f"{TAG}/state", lambda state: (state["bridge"], state["phase"]) == (bridge, "connected"))
            assert not [message for message in client.of(f"{TAG}/info") if not message.payload]
