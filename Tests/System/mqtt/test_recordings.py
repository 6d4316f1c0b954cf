"""Recordings of motion: made, listed, downloaded and erased over the broker."""

import base64
import hashlib
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import places
import pytest
from broker import Broker
from client import Client
from jacquard import MotionEnd, MotionFile
from program import TAG, Program, configuration
from proxy import Proxy
from simulator import Simulator

FETCH = places.APPS / "jacquard-mqtt" / "examples" / "fetch-recording.py"
PARTS = f"{TAG}/recording"


class NextPart:
    """A tap of the proxy between bridge and broker. Does something when the next part of a recording passes, so that
    the download cannot have ended before, however fast it is."""

    def __init__(self) -> None:
        self._acts: tuple[Callable[[], object], ...] = ()
        self._acted = threading.Event()

    def feed(self, from_bridge: bool, data: bytes) -> None:
        if self._acts and from_bridge and PARTS.encode() in data:
            acts, self._acts = self._acts, ()
            for act in acts:
                act()
            self._acted.set()

    def does(self, *acts: Callable[[], object]) -> None:
        self._acted.clear()
        self._acts = acts

    def wait(self) -> None:
        assert self._acted.wait(60)


class World(NamedTuple):
    client: Client
    simulator: Simulator
    broker: Broker
    proxy: Proxy
    next_part: NextPart

    def restart_broker(self) -> None:
        """Starts a broker that was killed. The client finds it before the bridge, so as not to miss the response."""
        self.proxy.cut()
        before = self.client.subscriptions
        self.broker.start()
        self.client.wait_for_subscription(before)
        self.proxy.restore()


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    with Broker(folder) as broker, Simulator("--time-scale", "20") as simulator, Client(broker.port) as client:
        simulator.tell("sleep-after 10000min")  # of the simulator's time
        next_part = NextPart()
        with (
            Proxy(broker.port, lambda: next_part) as proxy,
            Program(folder, configuration(proxy.port), simulator.bus_address),
        ):
            client.wait_latest(f"{TAG}/availability", "online")
            yield World(client, simulator, broker, proxy, next_part)


@pytest.fixture
def recorded(world: World) -> Iterator[None]:
    """A recording of some 40 seconds of the tag's time, about 30 parts, which the bridge has not downloaded yet."""
    client, simulator, *_ = world
    result(client.request(TAG, "record", {"name": "walk", "subject": "left", "rate": 200, "acceleration_range": 4}))
    percent = client.latest(f"{TAG}/battery")["percent"] - 1
    simulator.tell(f"at 40s battery {percent} discharging")
    client.wait_latest(f"{TAG}/battery", lambda battery: battery["percent"] == percent)
    result(client.request(TAG, "stop-recording", {}))
    yield
    client.wait_latest(f"{TAG}/availability", "online")
    result(client.request(TAG, "erase", {"all": True}, seconds=60))


def result(response: dict[str, Any]) -> dict[str, Any]:
    assert response["status"] == "ok", response
    found: dict[str, Any] = response["result"]
    return found


def assembled(client: Client, start: int, identity: object) -> bytes:
    """The data in the parts of a request. Their offsets must follow each other."""
    data = b""
    for message in client.messages[start:]:
        if message.topic == PARTS and message.payload.get("id") == identity:
            assert message.payload["offset"] == len(data)
            data += base64.b64decode(message.payload["data"], validate=True)
    return data


def test_a_recording_is_listed_and_downloaded(world: World, recorded: None, tmp_path: Path) -> None:
    client, simulator, *_ = world
    (listed,) = result(client.request(TAG, "recordings", {}))["recordings"]
    assert (listed["name"], listed["campaign"], listed["subject"]) == ("walk", "jacquard", "left")
    start = len(client.messages)
    downloaded = result(client.request(TAG, "download", {"id": "a", "name": "walk"}, seconds=60))
    data = assembled(client, start, "a")
    assert (downloaded["size"], downloaded["verified"]) == (listed["size"], True)
    assert hashlib.sha256(data).hexdigest() == downloaded["sha256"]
    (tmp_path / "walk.bin").write_bytes(data)
    file = MotionFile.read(tmp_path / "walk.bin")
    assert (file.end, file.settings.accelerometer_range) == (MotionEnd.COMPLETE, 4)
    assert simulator.tell("journal requests").split()[-1] == "unload-module"


def test_a_download_continues_from_an_offset(world: World, recorded: None) -> None:
    client, *_ = world
    start = len(client.messages)
    whole = result(client.request(TAG, "download", {"id": 1, "name": "walk"}, seconds=60))
    data = assembled(client, start, 1)
    start = len(client.messages)
    assert result(client.request(TAG, "download", {"id": 2, "name": "walk", "offset": 10000})) == whole
    parts = [message.payload for message in client.messages[start:] if message.topic == PARTS]
    assert parts[0]["offset"] == 10000
    assert b"".join(base64.b64decode(part["data"]) for part in parts) == data[10000:]
    start = len(client.messages)
    assert result(client.request(TAG, "download", {"name": "walk", "offset": whole["size"]})) == whole
    assert [message for message in client.messages[start:] if message.topic == PARTS] == []


def test_the_example_writes_a_recording(world: World, recorded: None, tmp_path: Path) -> None:
    client, simulator, broker, _, next_part = world
    start = len(client.messages)
    next_part.does(broker.kill, lambda: simulator.tell("out-of-range for 20s"))
    written = subprocess.Popen(
        [sys.executable, FETCH, "sleeve", "walk", "127.0.0.1", str(broker.port)], stdout=subprocess.PIPE
    )
    next_part.wait()
    world.restart_broker()
    data, _ = written.communicate(timeout=60)
    topic = f"{TAG}/response/download"
    downloaded = client.wait(topic, lambda response: response["status"] == "ok", after=start)["result"]
    assert (written.returncode, hashlib.sha256(data).hexdigest()) == (0, downloaded["sha256"])
    failed = subprocess.run(
        [sys.executable, FETCH, "sleeve", "run", "127.0.0.1", str(broker.port)], capture_output=True, text=True
    )
    assert (failed.returncode, failed.stdout) == (1, "") and "no recording 'run'" in failed.stderr


def test_a_download_survives_lost_links(world: World, recorded: None) -> None:
    client, simulator, *_, next_part = world
    start = len(client.messages)
    next_part.does(lambda: simulator.tell("drop link"))
    client.publish(f"{TAG}/request/download", {"id": "b", "name": "walk"})
    next_part.wait()
    topic = f"{TAG}/response/download"
    done = result(client.wait(topic, lambda response: response["id"] == "b", after=start, seconds=60))
    assert hashlib.sha256(assembled(client, start, "b")).hexdigest() == done["sha256"]


def test_a_download_continues_with_a_broker_that_is_restarted(world: World, recorded: None) -> None:
    client, simulator, broker, _, next_part = world
    start = len(client.messages)
    next_part.does(broker.kill, lambda: simulator.tell("out-of-range for 60s"))
    client.publish(f"{TAG}/request/download", {"id": "e", "name": "walk"})
    next_part.wait()
    world.restart_broker()
    topic = f"{TAG}/response/download"
    assert result(client.wait(topic, lambda response: response["id"] == "e", after=start, seconds=60))["verified"]


def test_a_download_is_stopped_while_the_tag_is_away(world: World, recorded: None) -> None:
    client, simulator, *_, next_part = world
    assert code(client.request(TAG, "stop-download", {})) == "not_downloading"
    start = len(client.messages)
    next_part.does(lambda: simulator.tell("out-of-range for 20s"))
    client.publish(f"{TAG}/request/download", {"id": "c", "name": "walk"})
    next_part.wait()
    result(client.request(TAG, "stop-download", {}))
    stopped = client.wait(f"{TAG}/response/download", lambda response: response["id"] == "c", after=start)
    assert code(stopped) == "stopped"
    client.wait_latest(f"{TAG}/availability", "online")


def test_a_download_is_stopped_while_packets_arrive(world: World, recorded: None) -> None:
    client, simulator, *_ = world
    for number in range(5):
        start = len(client.messages)
        client.publish(f"{TAG}/request/download", {"id": number, "name": "walk"})
        client.wait(PARTS, after=start)
        client.request(TAG, "stop-download", {})
        client.wait(f"{TAG}/response/download", lambda response: response["id"] == number, after=start)


def test_one_recording_of_a_tag_is_downloaded_at_a_time(world: World, recorded: None) -> None:
    client, *_ = world
    start = len(client.messages)
    for identity in ("f", "g"):
        client.publish(f"{TAG}/request/download", {"id": identity, "name": "walk"}, qos=0)
    topic = f"{TAG}/response/download"
    responses = [client.wait(topic, lambda response: response["id"] == name, after=start) for name in ("f", "g")]
    assert result(responses[0])["verified"] and code(responses[1]) == "busy"


def code(response: dict[str, Any]) -> str:
    assert response["status"] == "error", response
    return str(response["error"]["code"])


def test_wrong_requests_get_a_code(world: World, recorded: None) -> None:
    client, *_ = world
    assert code(client.request(TAG, "stop-recording", {})) == "not_recording"
    assert code(client.request(TAG, "download", {"name": "run"})) == "unknown_recording"
    assert code(client.request(TAG, "erase", {"name": "walk", "subject": "right"})) == "unknown_recording"
    for command, body in (
        ("erase", {}),
        ("erase", {"all": True, "name": "walk"}),
        ("erase", {"all": True, "subject": "left"}),
        ("erase", {"all": False}),
        ("download", {}),
        ("download", {"name": "walk", "offset": -1}),
        ("record", {"name": ""}),
        ("record", {"rate": 30}),
        ("recordings", {"name": "walk"}),
    ):
        assert code(client.request(TAG, command, body)) == "invalid", (command, body)


def test_a_second_recording_is_refused(world: World) -> None:
    client, *_ = world
    name = result(client.request(TAG, "record", {}))["name"]
    assert name.startswith("20")
    assert code(client.request(TAG, "record", {"name": "other"})) == "capture_in_progress"
    result(client.request(TAG, "stop-recording", {}))
    result(client.request(TAG, "erase", {"name": name}, seconds=60))


def test_recordings_are_erased(world: World, recorded: None) -> None:
    client, *_ = world
    result(client.request(TAG, "record", {}))
    result(client.request(TAG, "stop-recording", {}))
    assert result(client.request(TAG, "erase", {"name": "walk"}, seconds=60)) == {"erased": ["walk"]}
    rest = [listed["name"] for listed in result(client.request(TAG, "recordings", {}))["recordings"]]
    assert len(rest) == 1 and "walk" not in rest
    assert result(client.request(TAG, "erase", {"all": True}, seconds=60)) == {"erased": rest}
    assert result(client.request(TAG, "recordings", {})) == {"recordings": []}
