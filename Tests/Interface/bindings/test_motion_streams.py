"""Motion that is streamed."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path

import jacquard
import pytest
from jacquard import MotionActivity, MotionFilter, MotionGap, MotionSample, MotionSettings, blocking
from running import with_tag
from simulator import SERIAL, Simulator
from test_motion import FAST


def test_a_stream_has_scaled_samples_in_order(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        samples: list[MotionSample] = []
        async with connection.motion(FAST) as events:
            async for event in events:
                if isinstance(event, MotionSample):
                    samples.append(event)
                if len(samples) == 100:
                    break
        assert all(earlier.ticks < later.ticks for earlier, later in zip(samples, itertools.islice(samples, 1, None)))
        assert samples[0].raw_acceleration[2] == 2142 * 4
        assert samples[0].acceleration[2] == pytest.approx(2142 * 4 / 8192)
        assert samples[-1].time - samples[0].time == pytest.approx(0.99, abs=0.3)
        await connection.stop_streams()
        assert (await tag.motion_status()).activity is MotionActivity.IDLE

    with_tag(simulator, body)


class Left(Exception):
    """Leaves a stream."""


async def left_by_break(connection: jacquard.Connection) -> None:
    async for _ in connection.motion(FAST):
        break


async def left_by_exception(connection: jacquard.Connection) -> None:
    with contextlib.suppress(Left):
        async for _ in connection.motion(FAST):
            raise Left


async def left_by_cancellation(connection: jacquard.Connection) -> None:
    started = asyncio.Event()

    async def read() -> None:
        async for _ in connection.motion(FAST):
            started.set()

    task = asyncio.ensure_future(read())
    await started.wait()
    task.cancel()
    await asyncio.wait([task])


async def left_at_the_end_of_its_block(connection: jacquard.Connection) -> None:
    async with connection.motion(FAST) as events:
        await events.next()


@pytest.mark.parametrize(
    "leave", [left_by_break, left_by_exception, left_by_cancellation, left_at_the_end_of_its_block]
)
def test_a_stream_that_is_left_is_stopped_before_the_next_command(
    simulator: Simulator, tmp_path: Path, leave: Callable[[jacquard.Connection], Awaitable[None]]
) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        simulator.tell("session a samples 20")
        await tag.prepare_motion()
        (session,) = await tag.sessions()
        await leave(connection)
        await connection.download(session, tmp_path / "a.bin")
        await leave(connection)
        await tag.erase_session(session)
        await leave(connection)
        await tag.release_motion()
        await leave(connection)
        await tag.start_recording("first", FAST)
        assert (await tag.motion_status()).activity is MotionActivity.RECORDING

    async def check(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        # Neither a late request to stop the stream nor the end of the connection has stopped it.
        assert (await tag.motion_status()).activity is MotionActivity.RECORDING
        await tag.stop_motion()

    with_tag(simulator, body)
    with_tag(simulator, check)


def test_the_end_of_a_stream_s_block_waits_until_the_tag_has_stopped(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        await left_at_the_end_of_its_block(connection)
        assert simulator.tell("journal requests").split("; ").count("recording-stop") == 1
        assert not connection.streaming

    with_tag(simulator, body)


@pytest.mark.parametrize("is_closed", [False, True])
def test_a_stream_that_is_left_is_stopped_before_the_next_blocking_command(
    simulator: Simulator, is_closed: bool
) -> None:
    with blocking.Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        tag = connection.tag(timeout=20)
        tag.prepare_motion()
        simulator.tell("session a samples 20")
        (session,) = tag.sessions()
        commands: list[Callable[[], object]] = [
            lambda: tag.erase_session(session),
            lambda: tag.start_recording("first", FAST),
        ]
        for command in commands:
            if is_closed:
                with connection.motion(FAST) as events:
                    events.next(timeout=20)
                assert "recording-stop" in simulator.tell("journal requests")
            else:
                for _ in connection.motion(FAST):
                    break
            command()
        assert tag.motion_status().activity is MotionActivity.RECORDING
        tag.stop_motion()


def test_the_end_of_a_connection_stops_its_streams(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        async for _ in connection.motion():
            break

    async def check(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        assert (await tag.motion_status()).activity is MotionActivity.IDLE

    with_tag(simulator, body)
    assert "recording-stop" in simulator.tell("journal requests")
    with_tag(simulator, check)


def test_a_lost_link_is_a_gap(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        count = 0
        async with connection.motion(FAST) as events:
            async for event in events:
                count += isinstance(event, MotionSample)
                if count == 60:
                    simulator.tell("drop link")
                    count += 1
                if isinstance(event, MotionGap):
                    assert event.missing > 0
                    break
        await connection.stop_streams()

    with_tag(simulator, body)


def test_a_refused_stream_raises(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        simulator.tell("battery 20")
        with pytest.raises(jacquard.LowBatteryError):
            async for _ in connection.motion():
                pass
        simulator.tell("module missing")
        with pytest.raises(jacquard.ModuleMissingError):
            async for _ in connection.motion(MotionSettings(filter=MotionFilter.OVERSAMPLING4)):
                pass
        with pytest.raises(jacquard.InvalidArgumentError):
            connection.motion(MotionSettings(accelerometer_rate=30))

    with_tag(simulator, body)


def test_a_refused_stream_does_not_end_a_recording(simulator: Simulator) -> None:
    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        await tag.prepare_motion()
        await tag.start_recording("first", FAST)
        with pytest.raises(jacquard.CaptureInProgressError):
            async for _ in connection.motion(FAST):
                pass
        await connection.stop_streams()
        assert (await tag.motion_status()).activity is MotionActivity.RECORDING
        assert not connection.streaming

    with_tag(simulator, body)


def test_losses_of_a_slow_reader_are_reported(simulator: Simulator) -> None:
    from jacquard._core import queue
    from jacquard.motion import MotionQueue

    async def body(connection: jacquard.Connection, tag: jacquard.Tag) -> None:
        slow = MotionQueue(connection._context.driver)
        sample = MotionSample((0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0), 0, 0, 0, 0)
        for _ in range(queue.CAPACITY + 10):
            slow.put(sample)
        assert await slow.next() == MotionGap(10)
        assert [await slow.next() for _ in range(queue.CAPACITY)] == [sample] * queue.CAPACITY

    with_tag(simulator, body)
