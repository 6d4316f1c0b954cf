"""The board's content and actions, with a client that speaks the page's protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import ctl
import pytest
from boards import Board, Client, run
from jacquard_apps.system import processes
from jacquard_board.simulation import STROKES
from recordings import DEMO
from simulator import SERIAL, SERVICE, Simulator
from waiting import until_awaited


def with_client(board: Board, body: Callable[[Client], Awaitable[Any]]) -> None:
    async def main() -> None:
        async with board.client() as client:
            await body(client)

    run(main())


def test_a_simulated_sleeve_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body(client: Client) -> None:
        key = await client.tag()
        tag = client.tags[key]
        assert (tag["serial"], tag["gear"]["product"], tag["mode"]) == (SERIAL, "Trucker Jacket", "gesture")
        assert await client.ask(action="gesture", value="brush-in") is None
        await client.until(lambda: client.tags[key]["gestures"])
        (gesture,) = client.tags[key]["gestures"]
        assert gesture["name"] == "brush-in" and 0 <= gesture["time"] - gesture["made"] < 2

        assert await client.ask(action="mode", tag=key, value="touch") is None
        lines = [0, 0, 128, 64, 0, 0, 0, 0, 0, 0, 0, 7]
        assert await client.ask(action="stroke", lines=lines, proximity=90) is None
        await client.until(lambda: client.tags[key]["samples"])
        assert client.tags[key]["samples"][0][2:] == [90, *lines]
        assert await client.ask(action="lift") is None

        assert await client.ask(action="battery", percent=7, charging=False) is None
        await client.until(lambda: client.tags[key]["battery"] == {"percent": 7, "charging": False})
        assert await client.ask(action="light", tag=key, color="#00ff80", pattern="breathe") is None
        await client.until(lambda: client.tags[key].get("light", {}).get("color") == "#00ff80")
        assert await client.ask(action="vibrate", tag=key, value="alert") is None
        assert await client.ask(action="light", tag=key, color=None) is None

    # A service that is named there cannot use the private bus.
    monkeypatch.setenv(SERVICE, "/nonexistent")
    with Board("--simulate") as board:
        with_client(board, body)


def test_a_person_strokes_the_simulated_sleeve(simulated: Board) -> None:
    async def body(client: Client) -> None:
        key = await client.tag()
        assert await client.ask(action="mode", tag=key, value="touch") is None

        async def stroke(name: str, person: int) -> None:
            async def is_made() -> bool:
                error = await client.ask(action="person", value=name, person=person)
                assert error is None or "has not ended" in error
                return error is None

            # A person makes one stroke at a time, and nothing reports its end.
            await until_awaited(is_made, period=0.05)

        await stroke("swipe-out", 7)
        while not client.tags[key].get("touches"):
            await stroke("there-and-back", 7)
        ((_, position, width, strength, _),) = client.tags[key]["touches"]
        assert -1 < position < 12 and 0.3 < width < 2 and strength > 10
        samples = [sample[3:] for sample in client.tags[key]["samples"]]
        assert all(0 <= line <= 128 for lines in samples for line in lines)
        assert max(samples[0][:6]) > max(samples[0][6:])
        for name in (name for names in STROKES.values() for name in names):
            await stroke(name, 2)
        assert await client.ask(action="mode", tag=key, value="gesture") is None

    with_client(simulated, body)


def test_a_simulated_link_is_lost_and_restored() -> None:
    async def body(client: Client) -> None:
        key = await client.tag()
        for mishap in ("drop-link", "kill-bluetoothd"):
            count = len(client.tags[key]["events"])
            assert await client.ask(action="simulate", value=mishap) is None
            await client.until(lambda: client.phase(key) != "connected")
            await client.until(lambda: client.phase(key) == "connected")
            events = client.tags[key]["events"][count:]
            assert any(event["reason"] for event in events)
        assert await client.ask(action="simulate", value="detach-gear") is None
        await client.until(lambda: client.tags[key]["gear"] is None)
        error = await client.ask(action="vibrate", tag=key, value="alert")
        assert error is not None and error.startswith("No gear is attached")
        await client.socket.send_json({"action": "disconnect", "tag": key})
        await client.until(lambda: client.tags[key]["ending"])
        await client.until(lambda: client.phase(key) == "disconnected")
        await client.until(lambda: not client.tags[key]["ending"])
        assert await client.ask(action="light", tag=key, color="red", pattern="solid") == "The tag is not connected."
        assert await client.ask(action="connect", tag=key) is None
        await client.until(lambda: client.phase(key) == "connected")

    with Board("--simulate") as board:
        with_client(board, body)


@pytest.mark.parametrize(
    "request_, part",
    [
        ({"action": "stroke", "lines": [1], "proximity": 1}, "12 lines"),
        ({"action": "stroke", "lines": [True] * 12, "proximity": 1}, "12 lines"),
        ({"action": "stroke", "lines": [1] * 12, "proximity": 129}, "0 to 128"),
        ({"action": "gesture", "value": "none\nbluetoothd kill"}, "is not one of"),
        ({"action": "person", "value": "tap\nbluetoothd kill", "person": 1}, "is not one of"),
        ({"action": "person", "value": "tap", "person": "1"}, "expected 1 to 99"),
        ({"action": "simulate", "value": "session x file /etc/passwd"}, "is not one of"),
        ({"action": "battery", "percent": "5\n", "charging": False}, "expected 0 to 100"),
        ({"action": "mode", "tag": "KEY", "value": "both"}, "expected gesture or touch"),
        ({"action": "motion", "tag": "KEY", "value": 1}, "expected true or false"),
        ({"action": "light", "tag": "KEY", "color": "sky", "pattern": "solid"}, "neither"),
        ({"action": "light", "tag": "KEY", "color": "red", "pattern": "sky"}, "expected one of"),
        ({"action": "light", "tag": "KEY", "color": "red", "pattern": ["solid"]}, "expected one of"),
        ({"action": "light", "tag": "KEY", "color": {}, "pattern": "solid"}, "expected one of"),
        ({"action": "vibrate", "tag": "KEY", "value": "sky"}, "expected one of"),
        ({"action": "connect", "tag": "missing"}, "no tag of this board"),
        ({"action": "play", "tag": "KEY"}, "no recording of this board"),
        ({"action": "fly", "tag": "KEY"}, "unknown action"),
        ({"action": ["play"], "tag": {}}, "no tag of this board"),
    ],
)
def test_invalid_requests_are_refused(simulated: Board, request_: dict[str, Any], part: str) -> None:
    async def body(client: Client) -> None:
        key = await client.tag()
        request = {name: key if value == "KEY" else value for name, value in request_.items()}
        error = await client.ask(**request)
        assert error is not None and part in error

    with_client(simulated, body)


def test_any_other_message_does_no_harm(simulated: Board) -> None:
    async def body(client: Client) -> None:
        for text in ("", "[]", "{", "null", "[" * 1000, '{"action": 1e999}', '{"id": [1], "action": "ping"}', '{"id": 1e999, "action": "ping"}', '{"id": NaN}'):
            await client.socket.send_str(text)
            while (await client.receive())["type"] not in ("pong", "reply"):
                pass
        assert await client.ask(action="search") is None

    with_client(simulated, body)


@pytest.fixture(scope="module")
def simulated() -> Any:
    with Board("--simulate") as board:
        yield board


def test_tags_of_this_machine(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")

    async def body(client: Client) -> None:
        await client.until(lambda: client.tags)
        (key,) = client.tags
        assert client.tags[key]["rssi"] < 0 and client.machine["adapter"]["state"] == "powered_on"
        assert await client.ask(action="gesture", value="cover") == "Only the software tag of board --simulate can be touched here."
        assert await client.ask(action="connect", tag=key) is None
        await client.tag()
        simulator.tell("gesture cover")
        await client.until(lambda: client.tags[key]["gestures"])
        assert client.tags[key]["gestures"][0]["made"] is None
        assert await client.ask(action="light", tag=key, color="#ff8000", pattern="pulse") is None
        assert "pattern 3" in simulator.tell("journal lights") and "255,128,0" in simulator.tell("journal lights")

    with Board(bus=simulator.bus_address) as board:
        with_client(board, body)


def test_the_mode_that_another_program_has_set_is_shown_with_that_program(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")

    async def body(client: Client) -> None:
        await client.until(lambda: client.tags)
        (key,) = client.tags
        assert await client.ask(action="connect", tag=key) is None
        await client.tag()

        def mode() -> tuple[str, str | None]:
            return client.tags[key]["mode"], client.tags[key].get("mode_setter")

        with ctl.Running(simulator, "touch", SERIAL) as touch:
            await client.until(lambda: mode() == ("touch", processes.described(touch.process.pid)))
            # It has no time to set gesture mode.
            touch.process.kill()
            touch.process.wait()
            await client.until(lambda: mode() == ("touch", "a program that no longer uses the tag, or is not known"))
        # The board can change it as well.
        assert await client.ask(action="mode", tag=key, value="gesture") is None
        await client.until(lambda: mode() == ("gesture", None))
        assert await client.ask(action="mode", tag=key, value="touch") is None
        await client.until(lambda: mode() == ("touch", None))

    with Board(bus=simulator.bus_address) as board:
        with_client(board, body)


def test_too_many_requests_at_the_same_time(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    simulator.tell("on request led: drop")

    async def body(client: Client) -> None:
        await client.until(lambda: client.tags)
        (key,) = client.tags
        assert await client.ask(action="connect", tag=key) is None
        await client.tag()
        for number in range(17):
            request = {"action": "light", "tag": key, "color": "red", "pattern": "solid", "id": f"light {number}"}
            await client.socket.send_json(request)
        while (message := await client.receive()).get("id") is None:
            pass
        assert (message["id"], message["error"]) == ("light 16", "Too many requests at the same time.")

    with Board(bus=simulator.bus_address) as board:
        with_client(board, body)


def test_a_bound_tag_is_connected_immediately(simulator: Simulator, tmp_path: Path) -> None:
    bound = ctl.run(simulator, "bind", SERIAL, env={"XDG_STATE_HOME": str(tmp_path)})
    assert bound.returncode == 0, bound.stderr

    async def body(client: Client) -> None:
        await client.until(lambda: client.tags and client.phase(next(iter(client.tags))) == "connected")

    with Board(bus=simulator.bus_address, folder=str(tmp_path)) as board:
        with_client(board, body)


def test_a_tag_in_use_by_another_program(simulator: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SERVICE, "off")

    async def body(client: Client) -> None:
        await client.until(lambda: client.tags)
        (key,) = client.tags
        assert await client.ask(action="connect", tag=key) is None
        await client.until(lambda: client.phase(key) == "disconnected")
        assert client.tags[key]["state"]["reason"].startswith("Another program is using this tag: python3")
        await client.until(lambda: client.tags[key]["wanted"] is False)

    with ctl.watch(simulator) as watch:
        watch.until(event="state", phase="connected")
        with Board(bus=simulator.bus_address) as board:
            with_client(board, body)


def test_a_machine_without_bluetooth_is_explained() -> None:
    async def body(client: Client) -> None:
        await client.until(lambda: (client.machine.get("adapter") or {}).get("message"))
        assert ". Advice: " in client.machine["adapter"]["message"]

    with Board() as board:
        with_client(board, body)


def test_a_recording_is_played(tmp_path: Path) -> None:
    file = tmp_path / "demo.jsonl"
    file.write_text(DEMO)

    async def body(client: Client) -> None:
        await client.until(lambda: client.tags)
        key = "recording-0"

        def tag() -> dict[str, Any]:
            return client.tags[key]

        assert (tag()["title"], tag()["duration"]) == ("demo.jsonl", 24.0)
        assert tag()["player"] == {"playing": False, "position": 0.0, "speed": 1.0}
        assert await client.ask(action="seek", tag=key, value=12.0) is None
        await client.until(lambda: client.phase(key) == "connected")
        assert [gesture["name"] for gesture in tag()["gestures"]] == ["double-tap", "brush-out"]
        assert tag()["samples"] and all(2 < sample[0] <= 12 for sample in tag()["samples"])
        assert await client.ask(action="speed", tag=key, value=8) is None
        assert await client.ask(action="play", tag=key) is None
        await client.until(lambda: len(tag()["gestures"]) == 4)
        await client.until(lambda: not tag()["player"]["playing"])
        assert tag()["player"]["position"] == 24.0
        assert any(event["reason"] for event in tag()["events"])
        assert await client.ask(action="seek", tag=key, value=-5) is None
        await client.until(lambda: tag()["player"]["position"] == 0.0)
        assert (tag()["gestures"], tag()["events"], tag().get("battery")) == ([], [], None)
        for value in (float("nan"), None, "1", True):
            assert "expected a number" in str(await client.ask(action="seek", tag=key, value=value))
        assert "expected one of" in str(await client.ask(action="speed", tag=key, value=3))
        assert await client.ask(action="pause", tag=key) is None

    with Board(str(file)) as board:
        with_client(board, body)
