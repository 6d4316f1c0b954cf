"""The board's content and actions, with a client that speaks the page's protocol."""

from __future__ import annotations

import asyncio
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import ctl
import pytest
from boards import Board, Client, run
from jacquard_apps.system import processes
from jacquard_automations.trained import file as gestures
from jacquard_automations.trained.episodes import PAUSE, Episode, Sample
from jacquard_board.simulation import STROKES
from recordings import DEMO
from simulator import SERIAL, SERVICE, Simulator
from waiting import until_async


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
            # A person makes one stroke at a time.
            while (error := await client.ask(action="person", value=name, person=person)) is not None:
                assert "has not ended" in error
                await asyncio.sleep(0.05)  # for which there is no event

        await stroke("swipe-out", 7)
        while not client.tags[key].get("touches"):
            await stroke("there-and-back", 7)
        ((_, position, width, strength, _),) = client.tags[key]["touches"]
        assert -1 < position < 12 and 0.3 < width < 2 and strength > 10
        samples = [sample[3:] for sample in client.tags[key]["samples"]]
        assert all(0 <= line <= 128 for lines in samples for line in lines)
        assert max(samples[0][:6]) > max(samples[0][6:])
        for names in STROKES.values():
            for name in names:
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
        error = await client.ask(action="light", tag=key, color="red", pattern="solid")
        assert error == "The tag is not connected."
        assert await client.ask(action="connect", tag=key) is None
        await client.until(lambda: client.phase(key) == "connected")

    with Board("--simulate") as board:
        with_client(board, body)


def write_rules(folder: str | Path, *rules: str) -> Path:
    path = Path(folder, "jacquard", "automations.toml")
    path.parent.mkdir(exist_ok=True)
    (path.parent / "new").write_text("\n".join(f"[[on]]\n{rule}" for rule in rules))
    (path.parent / "new").replace(path)
    return path


def test_rules_are_listed_and_match_without_their_actions(tmp_path: Path) -> None:
    covered = f"gesture = 'cover'\ntag = '{SERIAL}'\ndo = [{{ run = ['touch', '{tmp_path}/done'] }}, {{ led = 'teal' }}]\n"
    hour = time.localtime().tm_hour
    begin, end = f"{hour:02}:00", f"{(hour + 2) % 24:02}:00"
    detached = f"name = 'off'\ngear = 'detached'\nlocked = false\nbetween = ['{begin}', '{end}']\ndo = {{ media = 'pause' }}\n"

    async def body(client: Client) -> None:
        def rules() -> list[dict[str, Any]]:
            return list(client.rules["rules"])

        key = await client.tag()
        await client.until(lambda: rules())
        assert client.rules["file"] == str(path)
        first, second = rules()
        actions = [f'run = ["touch", "{tmp_path}/done"]', 'led = "teal"']
        assert (first["event"], first["tags"], first["actions"], first["line"]) == ("cover", [SERIAL], actions, 1)
        assert (second["name"], second["conditions"]) == ("off", [f"{begin} to {end}", "screen not locked"])
        assert [rule["count"] for rule in rules()] == [0, 0]
        for count in (1, 2):
            assert await client.ask(action="gesture", value="brush-in") is None
            assert await client.ask(action="gesture", value="cover") is None
            await client.until(lambda: rules()[0]["count"] == count)
        assert (rules()[0]["tag"], rules()[1]["count"]) == (SERIAL, 0) and 0 < rules()[0]["time"]
        assert await client.ask(action="simulate", value="detach-gear") is None
        await client.until(lambda: rules()[1]["count"] == 1)

        write_rules(board.folder, "gesture = 'covr'\n", covered)
        await client.until(lambda: any(problem["line"] for problem in client.rules["problems"]))
        (problem,) = (problem for problem in client.rules["problems"] if problem["line"])
        assert problem["line"] == 2 and problem["text"].endswith("did you mean cover?") and len(rules()) == 2
        # An equal rule is the same one, in another line.
        write_rules(board.folder, "gesture = 'any'\ndo = { led = 'red' }\n", covered)
        await client.until(lambda: [(rule["line"], rule["count"]) for rule in rules()] == [(1, 0), (5, 2)])
        assert not (tmp_path / "done").exists() and not client.tags[key].get("light")

    with Board("--simulate") as board:
        path = write_rules(board.folder, covered, detached)
        with_client(board, body)


def test_taught_gestures_are_listed_and_the_one_that_is_made_is_shown(tmp_path: Path) -> None:
    rules = write_rules(tmp_path, "trained = 'press hard'\ndo = { media = 'next' }\n")
    path = rules.parent / "gestures.toml"
    levels = tuple(100 if line == 3 else 0 for line in range(12))
    hold = Episode(tuple(Sample(number / 20, levels) for number in range(11)))
    gestures.change(path, "press hard", gestures.Gesture("press hard", (hold,) * 3, tolerance=10.0))
    gestures.change(path, "other", gestures.Gesture("other", (Episode(tuple(Sample(number, levels) for number in range(5))),) * 4))

    async def body(client: Client) -> None:
        def shown() -> list[tuple[str, int, int]]:
            return [(one["name"], one["examples"], one["count"]) for one in client.taught["gestures"]]

        key = await client.tag()
        await client.until(lambda: client.taught.get("gestures"))
        assert client.taught["file"] == str(path) and client.taught["problem"] is None
        assert shown() == [("press hard", 3, 0), ("other", 4, 0)]
        assert await client.ask(action="mode", tag=key, value="touch") is None
        # Until it is long enough to be the gesture, however slow the machine is.
        while not shown()[0][2]:
            for _ in range(10):
                assert await client.ask(action="stroke", lines=list(levels), proximity=64) is None
                await asyncio.sleep(0.05)  # the rate of the samples
            assert await client.ask(action="lift") is None
            await asyncio.sleep(2 * PAUSE)  # ends the gesture
        assert shown()[1] == ("other", 4, 0)
        made = client.taught["gestures"][0]
        assert (made["tag"], made["count"]) == (client.tags[key]["title"], 1) and made["time"] > 0
        await client.until(lambda: client.tags[key]["gestures"])
        assert [(one["name"], one["taught"]) for one in client.tags[key]["gestures"]] == [("press hard", True)]
        await client.until(lambda: client.rules["rules"][0]["count"] == 1)
        # The previous gestures stay in effect.
        path.write_text("version = 2\n")
        await client.until(lambda: client.taught["problem"])
        assert "the file has format 2" in str(client.taught["problem"]) and len(shown()) == 2
        path.unlink()
        await client.until(lambda: not client.taught["gestures"])

    with Board("--simulate", folder=str(tmp_path)) as board:
        with_client(board, body)


def test_rules_are_for_bound_tags(simulator: Simulator) -> None:
    """Like those of jacquardctl run. What other tags do is shown only."""

    async def count_at_gesture(client: Client) -> Any:
        await client.until(lambda: client.tags)
        (key,) = client.tags
        assert await client.ask(action="connect", tag=key) is None
        await client.tag()
        simulator.tell("gesture cover")
        await client.until(lambda: client.tags[key]["gestures"])
        # Everything up to this reply.
        assert await client.ask(action="search") is None
        return client.rules["rules"][0]["count"]

    def count() -> Any:
        async def main() -> Any:
            async with board.client() as client:
                return await count_at_gesture(client)

        with Board(bus=simulator.bus_address, folder=folder) as board:
            return run(main())

    simulator.tell("gear attach levis-trucker")
    with tempfile.TemporaryDirectory() as folder:
        write_rules(folder, "gesture = 'any'\ndo = { media = 'next' }\n")
        assert count() == 0
        assert ctl.run(simulator, "bind", SERIAL, env={"XDG_STATE_HOME": folder}).returncode == 0
        assert count() == 1


def samples_of(tag: dict[str, Any]) -> list[list[float]]:
    return [item for item in tag["motion"] if len(item) == 7]


def gaps_of(tag: dict[str, Any]) -> list[list[float]]:
    return [item for item in tag["motion"] if len(item) == 3]


def test_motion_is_streamed_and_continues_after_a_lost_link() -> None:
    async def body(client: Client) -> None:
        key = await client.tag()

        def tag() -> dict[str, Any]:
            return client.tags[key]

        assert (tag()["streaming"], tag()["motion"]) == (False, [])
        assert await client.ask(action="motion", tag=key, value=True) is None
        assert await client.ask(action="motion", tag=key, value=True) is None
        await client.until(lambda: tag()["streaming"] and len(samples_of(tag())) > 60)
        samples = samples_of(tag())
        # The software tag lies on a table.
        assert all(abs(axis) < 8 for sample in samples for axis in sample[1:4])
        assert any(axis for sample in samples for axis in sample[1:4])
        assert 0.5 < samples[-1][0] - samples[0][0] < 3
        assert await client.ask(action="simulate", value="drop-link") is None
        count = len(samples_of(tag()))
        await client.until(lambda: gaps_of(tag()) and len(samples_of(tag())) > count + 30)
        assert gaps_of(tag())[0][1] > 0 and tag()["streaming"]
        async with board.client() as other:
            await other.until(lambda: key in other.tags)
            assert samples_of(other.tags[key]) and gaps_of(other.tags[key])
        assert await client.ask(action="motion", tag=key, value=False) is None
        await client.until(lambda: not tag()["streaming"])
        assert tag()["motion_problem"] is None
        count = len(tag()["motion"])
        assert await client.ask(action="gesture", value="cover") is None
        await client.until(lambda: tag()["gestures"])
        assert len(tag()["motion"]) == count

    with Board("--simulate") as board:
        with_client(board, body)


def test_lost_motion_samples_are_gaps(simulator: Simulator) -> None:
    async def body(client: Client) -> None:
        await client.until(lambda: client.tags)
        (key,) = client.tags
        assert await client.ask(action="motion", tag=key, value=True) == "The tag is not connected."
        assert await client.ask(action="connect", tag=key) is None
        await client.until(lambda: client.phase(key) == "connected")
        simulator.tell("motion loss 200")
        assert await client.ask(action="motion", tag=key, value=True) is None
        await client.until(lambda: gaps_of(client.tags[key]))
        # Three samples share a value.
        assert gaps_of(client.tags[key])[0][1] % 3 == 0
        assert "recording-stop" not in simulator.tell("journal requests")
        assert await client.ask(action="disconnect", tag=key) is None
        assert "recording-stop" in simulator.tell("journal requests")
        await client.until(lambda: not client.tags[key]["streaming"])

    with Board(bus=simulator.bus_address) as board:
        with_client(board, body)


def test_motion_that_is_stopped_without_a_link_ends_on_the_next_one(simulator: Simulator) -> None:
    async def body(client: Client) -> None:
        key = await client.connect()
        assert await client.ask(action="motion", tag=key, value=True) is None
        simulator.tell("out-of-range for 2s")
        await client.until(lambda: client.phase(key) != "connected")
        assert await client.ask(action="motion", tag=key, value=False) is None
        await client.until(lambda: client.tags[key]["streaming"] is False)
        assert "unload" not in simulator.tell("journal requests")
        await client.until(lambda: client.phase(key) == "connected")
        await until_async(lambda: "unload" in simulator.tell("journal requests"))

    with Board(bus=simulator.bus_address) as board:
        with_client(board, body)


def test_the_end_of_the_board_ends_motion(simulator: Simulator) -> None:
    async def body(client: Client) -> None:
        key = await client.connect()
        assert await client.ask(action="motion", tag=key, value=True) is None
        await client.until(lambda: samples_of(client.tags[key]))
        # Closing a browser ends nothing.
        assert "recording-stop" not in simulator.tell("journal requests")

    with Board(bus=simulator.bus_address) as board:
        with_client(board, body)
        board.stop()
        requests = simulator.tell("journal requests")
        assert "recording-stop" in requests and "unload" in requests.partition("recording-stop")[2], requests


def test_a_recording_on_the_tag_is_not_ended(simulator: Simulator) -> None:
    started = ctl.run(simulator, "motion", "record", SERIAL, "--name", "walk")
    assert started.returncode == 0, started.stderr

    async def body(client: Client) -> None:
        key = await client.connect()
        error = await client.ask(action="motion", tag=key, value=True)
        assert error is not None and error.startswith("The tag is recording motion")
        assert await client.ask(action="motion", tag=key, value=False) is None
        assert not client.tags[key]["streaming"]

    with Board(bus=simulator.bus_address) as board:
        with_client(board, body)
        board.stop()
        assert "recording-stop" not in simulator.tell("journal requests")
    status = ctl.run(simulator, "motion", "status", SERIAL)
    assert "recording" in status.stdout


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


def test_a_browser_that_does_not_read_does_not_delay_others(tmp_path: Path) -> None:
    file = tmp_path / "demo.jsonl"
    file.write_text(DEMO)
    key = "recording-0"

    async def body(board: Board) -> None:
        async with board.client() as client, board.client() as slow:
            await client.until(lambda: client.tags)
            await slow.until(lambda: slow.tags)
            slow.pause()
            memory = 0
            for number in range(150):
                # A message with ten seconds of touch data.
                position = round(12 + number / 100, 2)
                assert await client.ask(action="seek", tag=key, value=position) is None
                await client.until(lambda: client.tags[key]["player"]["position"] == position)
                memory = memory or board.memory
            assert client.dropped == 0
            assert board.memory - memory < 12 << 20
            slow.resume()
            await slow.until(lambda: slow.dropped)
            await slow.until(lambda: slow.tags[key]["player"]["position"] == 13.49)
            assert slow.tags[key]["samples"] == client.tags[key]["samples"]

    with Board(str(file)) as board:
        run(body(board))


def test_a_port_in_use() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = str(taken.getsockname()[1])
        ran = refused("--port", number)
        assert f"Port {number} of 127.0.0.1 is in use by another program" in ran.stderr


@pytest.mark.parametrize(
    "words, part",
    [
        (["--listen", "192.0.2.1", "--port", "0"], "192.0.2.1 is not an address of this machine"),
        (["--listen", "example"], "is not an IP address"),
        (["--port", "70000"], "is not a port"),
        (["missing.jsonl"], "missing.jsonl: No such file"),
        ([__file__], "line 1 of the recording: not valid JSON"),
    ],
)
def test_wrong_arguments(words: list[str], part: str) -> None:
    assert part in refused(*words).stderr


def refused(*words: str) -> subprocess.CompletedProcess[str]:
    environment = ctl.environment("unix:path=/nonexistent")
    ran = subprocess.run(ctl.program("board", *words), env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 2 and ran.stdout == ""
    return ran


def test_other_machines_only_with_a_warning() -> None:
    with Board("--listen", "0.0.0.0") as board:
        said = board.stop()
        assert said.startswith("jacquardctl: warning: anyone with the link") and "not encrypted" in said


def test_without_aiohttp() -> None:
    code = "import sys; sys.modules['aiohttp'] = None; from jacquardctl.cli import main; sys.exit(main(['board']))"
    environment = ctl.environment("unix:path=/nonexistent")
    ran = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1
    assert ran.stderr == "jacquardctl: The board needs aiohttp: install the package python3-aiohttp (pip: jacquardctl[board]).\n"


def test_the_software_tag_ends_with_the_board() -> None:
    with Board("--simulate") as board:
        children = Path(f"/proc/{board.process.pid}/task/{board.process.pid}/children")
        (simulator,) = [int(pid) for pid in children.read_text().split()]
        running = os.pidfd_open(simulator)
        board.process.kill()
        board.process.communicate()
        # A descriptor of a process is readable when the process has ended.
        assert select.select([running], [], [], 60)[0], "it still runs"
        os.close(running)
