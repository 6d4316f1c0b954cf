"""The bridge beside other programs of the same user, as a user unit, and beside a system unit."""

import signal
import time

import ctl
import pytest
from client import Client
from program import ROOT, TAG, Program, configuration
from simulator import SERIAL

JACKET = "gear attach levis-trucker"
# Seconds until a program continues with the link after its host was killed.
SUCCESSION = 2


@pytest.fixture
def session(tmp_path):
    """The environment of the programs of one user."""
    (tmp_path / "run").mkdir(0o700)
    return {"XDG_RUNTIME_DIR": str(tmp_path / "run")}


@pytest.fixture(params=["the bridge is the host", "the bridge is a guest"])
def both(request, broker, simulator, tmp_path, session):
    """A client of the broker, the bridge, and a jacquardctl that plays light at a gesture."""
    simulator.tell(JACKET)
    words = ["--on", "double-tap", "--led", "teal"]
    bridge = Program(tmp_path, configuration(broker.port), simulator.bus_address, **session)

    def start_bridge():
        bridge.start()
        client.wait_latest(f"{TAG}/availability", "online")
        client.wait_latest(f"{TAG}/gear", lambda gear: gear["attached"])

    with Client(broker.port) as client:
        if "is the host" in request.param:
            start_bridge()
        with ctl.watch(simulator, *words, env=session) as watch:
            seen = watch.until(event="gear")
            (state,) = [event for event in seen if event["event"] == "state" and event["phase"] == "connected"]
            if bridge.process is None:
                start_bridge()
            assert state["host_process"] == (bridge.process.pid if "is the host" in request.param else None)
            yield client, bridge, watch, "is the host" in request.param
        if bridge.process.poll() is None:
            assert bridge.stop() == 0
    log = bridge.log.read_text()
    assert "Traceback" not in log and "internal error" not in log, log


def gesture(simulator, client, watch, name):
    """A gesture that both receive; its number on the broker."""
    start = len(client.messages)
    simulator.tell(f"gesture {name}")
    if watch is not None:
        assert "state" not in [event["event"] for event in watch.until(event="gesture", name=name)]
    return client.wait(f"{TAG}/gesture", lambda message: message["gesture"] == name, after=start)["seq"]


def wait_for(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def lights(simulator):
    return [entry.split("frames ")[1] for entry in simulator.tell("journal lights").split("; ") if entry]


def test_gestures_reach_both_and_both_play_light(simulator, both):
    client, bridge, watch, _ = both
    assert [gesture(simulator, client, watch, name) for name in ("brush-in", "brush-out", "cover")] == [1, 2, 3]
    gesture(simulator, client, watch, "double-tap")
    wait_for(lambda: lights(simulator) == ["0,128,128:2000"])
    response = client.request(TAG, "led", {"color": "red", "seconds": 1})
    assert response["status"] == "ok"
    assert lights(simulator) == ["0,128,128:2000", "255,0,0:1000"]
    session = {"XDG_RUNTIME_DIR": bridge.environment["XDG_RUNTIME_DIR"]}
    assert ctl.run(simulator, "led", SERIAL, "blue", env=session).returncode == 0
    assert lights(simulator)[2:] == ["0,0,255:2000"]
    # What one program changes is an event for the other.
    assert client.request(TAG, "rename", {"name": "Sleeve"})["status"] == "ok"
    watch.until(event="name", name="Sleeve")


def test_the_program_continues_when_the_bridge_is_killed(simulator, both):
    client, bridge, watch, is_host = both
    gesture(simulator, client, watch, "cover")
    begin = time.monotonic()
    bridge.kill()
    if is_host:
        watch.until(event="state", phase="connected")
        assert time.monotonic() - begin < SUCCESSION
    simulator.tell("gesture brush-in")
    watch.until(event="gesture", name="brush-in")
    client.wait_latest(f"{ROOT}/availability", "offline")
    # The next run of the bridge is a guest.
    start = len(client.messages)
    bridge.start()
    client.wait(f"{TAG}/state", lambda state: state["phase"] == "connected", after=start)
    client.wait(f"{TAG}/gear", lambda gear: gear["attached"], after=start)
    client.wait_latest(f"{ROOT}/availability", "online")
    assert gesture(simulator, client, watch, "brush-out") == 1
    assert simulator.tell("stats").split()[1] == "links=1"


def test_the_program_continues_when_the_bridge_is_stopped(simulator, both):
    client, bridge, watch, is_host = both
    assert bridge.stop() == 0
    client.wait_latest(f"{ROOT}/availability", "offline")
    if is_host:
        watch.until(event="state", phase="connected")
    simulator.tell("gesture brush-in")
    watch.until(event="gesture", name="brush-in")
    assert simulator.tell("stats").split()[1] == "links=1"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_bridge_continues_when_the_program_ends(simulator, both, number):
    client, _, watch, is_host = both
    gesture(simulator, client, watch, "cover")
    start = len(client.messages)
    begin = time.monotonic()
    watch.process.send_signal(number)
    if not is_host:
        client.wait(f"{TAG}/state", lambda state: state["phase"] == "connected", after=start)
        assert time.monotonic() - begin < SUCCESSION
        client.wait(f"{TAG}/gear", lambda gear: gear["attached"], after=start)
    watch.process.wait(20)
    client.wait_latest(f"{TAG}/availability", "online")
    # The numbers continue.
    assert gesture(simulator, client, None, "brush-in") == 2
    assert client.request(TAG, "led", {"color": "red", "seconds": 1})["status"] == "ok"
    assert simulator.tell("stats").split()[1] == "links=1"


# The system unit


def test_a_bridge_without_a_session_does_not_share(broker, simulator, tmp_path, session):
    """Like the system unit, whose user does not log in."""
    with Client(broker.port) as client, Program(tmp_path, configuration(broker.port), simulator.bus_address) as bridge:
        client.wait_latest(f"{TAG}/availability", "online")
        ran = ctl.run(simulator, "battery", SERIAL, "--json", env=session)
        assert ran.returncode == 1
        (failure,) = ctl.objects(ran.stderr)
        assert failure["error"]["code"] == "in_use"
        assert f"process {bridge.process.pid}" in failure["error"]["message"]
        assert client.request(TAG, "battery", {})["status"] == "ok"


def test_a_bridge_without_a_session_waits_for_other_programs(broker, simulator, tmp_path, session):
    with Client(broker.port) as client, ctl.watch(simulator, env=session) as watch:
        watch.until(event="state", phase="connected")
        with Program(tmp_path, configuration(broker.port), simulator.bus_address):
            client.wait_latest(f"{TAG}/state", lambda state: (state["reason"] or {}).get("code") == "in_use")
            watch.process.send_signal(signal.SIGTERM)
            watch.process.wait(20)
            client.wait_latest(f"{TAG}/availability", "online", seconds=40)
