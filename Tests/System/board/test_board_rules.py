"""The board shows rules and taught gestures, and what they match."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from pathlib import Path
from typing import Any

import ctl
from boards import Board, Client, run
from jacquard_automations.trained import file as gestures
from jacquard_automations.trained.episodes import PAUSE, Episode, Sample
from simulator import SERIAL, Simulator
from test_board import with_client


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
        # Repeats the touch until it is long enough to be the gesture, however slow the machine is.
        while not shown()[0][2]:
            begin = time.monotonic()
            while time.monotonic() < begin + hold.duration:
                count = client.samples
                assert await client.ask(action="stroke", lines=list(levels), proximity=64) is None
                await client.until(lambda: client.samples > count)
            assert await client.ask(action="lift") is None
            # After this pause the gesture has ended.
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(client.until(lambda: shown()[0][2]), 2 * PAUSE)
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
    """As in jacquardctl run. Gestures of other tags are only shown."""

    async def count_at_gesture(client: Client) -> Any:
        await client.until(lambda: client.tags)
        (key,) = client.tags
        assert await client.ask(action="connect", tag=key) is None
        await client.tag()
        simulator.tell("gesture cover")
        await client.until(lambda: client.tags[key]["gestures"])
        # The board has processed all events before this reply.
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


def test_the_page_knows_what_jacquardctl_run_has_done(simulator: Simulator, tmp_path: Path) -> None:
    folder = str(tmp_path)
    own = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"), folder)
    one, two = "gesture = 'cover'\ndo = { shell = 'exit 0' }\n", "gesture = 'any'\ndo = { shell = 'exit 3' }\n"
    write_rules(folder, one, two, "gesture = 'cover'\nlocked = true\ndo = { led = 'red' }\n")
    simulator.tell("gear attach levis-trucker")
    assert ctl.run(simulator, "bind", SERIAL, env=own).returncode == 0

    async def body(client: Client) -> None:
        def last() -> list[str | None]:
            return [(rule["last"] or {}).get("reason") for rule in client.rules.get("rules", [])]

        await client.tag()
        simulator.tell("gesture cover")
        await client.until(lambda: last() == ["not-running", "not-running", "locked"])
        assert "Run: jacquardctl run" in client.rules["obstacles"][0]["text"]
        with ctl.Running(simulator, "run", env=own) as program:
            await client.until(lambda: client.rules["obstacles"] == [])
            program.until(link="connected")
            simulator.tell("gesture cover")
            await client.until(lambda: last() == ["ran", "failed", "locked"])
            assert client.rules["rules"][1]["last"]["text"] == 'shell = "exit 3": ended with status 3'
            program.process.kill()
            program.process.wait(30)
        await client.until(lambda: client.rules["obstacles"])

    with Board(bus=simulator.bus_address, folder=folder) as board:
        with_client(board, body)
