"""The board streams motion."""

from __future__ import annotations

from typing import Any

import ctl
from boards import Board, Client
from simulator import SERIAL, Simulator
from test_board import with_client
from waiting import until_async


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
