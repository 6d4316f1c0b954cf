"""A task that reads a stream is resumed in the turn of the loop in which an item arrives, and behaves otherwise as with
asyncio's futures. A pipe stands for the library: no tag is needed, so the file runs with any Python and loop."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from jacquard._core.asyncio_driver import AsyncioDriver
from jacquard._core.queue import Queue
from jacquard.stream import Stream
from waiting import turn, until_async

PATIENCE = 20
KINDS = ["tasks of C", "tasks of Python", "eager tasks", "uvloop"]
Body = Callable[["Source"], Coroutine[Any, Any, None]]


class Source:
    """Delivers numbers to its streams, as a manager does: in the turn of the loop in which its descriptor is readable."""

    def __init__(self) -> None:
        self.driver = AsyncioDriver()
        self.queues: list[Queue[int]] = []
        self.callbacks: list[Callable[[int], object]] = []
        self.reader, self.writer = os.pipe()
        self.driver.attach(self.reader, self.dispatch)

    def stream(self) -> Stream[int]:
        self.queues.append(Queue(self.driver))
        return Stream(self.queues[-1], [])

    def dispatch(self) -> None:
        for number in os.read(self.reader, 100):
            for deliver in [*(queue.put for queue in self.queues), *self.callbacks]:
                deliver(number)

    def send(self, *numbers: int) -> None:
        os.write(self.writer, bytes(numbers))

    def close(self) -> None:
        self.driver.detach()
        os.close(self.reader)
        os.close(self.writer)


def use(kind: str) -> None:
    """Sets up the running loop for tasks of this kind."""
    loop = asyncio.get_running_loop()
    if kind == "tasks of Python":
        loop.set_task_factory(lambda loop, coroutine, **more: asyncio.tasks._PyTask(coroutine, loop=loop, **more))  # type: ignore
    if sys.version_info >= (3, 12) and kind == "eager tasks":
        loop.set_task_factory(asyncio.eager_task_factory)


def new_loop(kind: str) -> asyncio.AbstractEventLoop:
    if kind == "uvloop":
        return importlib.import_module("uvloop").new_event_loop()  # type: ignore[no-any-return]
    return asyncio.new_event_loop()


def run(kind: str, body: Body) -> None:
    async def main() -> None:
        use(kind)
        source = Source()
        try:
            # A task of its own, so that it is of this kind.
            await asyncio.wait_for(asyncio.get_running_loop().create_task(body(source)), PATIENCE)
        finally:
            source.close()

    loop = new_loop(kind)
    try:
        loop.run_until_complete(main())
    finally:
        loop.close()


async def waiting(task: asyncio.Task[Any]) -> asyncio.Task[Any]:
    """Returns when the task waits for its stream."""
    for _ in range(3):
        await turn()
    assert not task.done()
    return task


def start(coroutine: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
    return asyncio.get_running_loop().create_task(coroutine)


@pytest.fixture(name="kind", params=KINDS)
def kind_fixture(request: pytest.FixtureRequest) -> str:
    if request.param == "eager tasks" and sys.version_info < (3, 12):
        pytest.skip("Python has no eager tasks before 3.12")
    if request.param == "tasks of Python" and sys.version_info >= (3, 14):
        pytest.skip("asyncio.timeout() of Python 3.14 does not work with tasks of Python")
    if request.param == "uvloop" and importlib.util.find_spec("uvloop") is None:
        pytest.skip("uvloop is not installed")
    return str(request.param)


def test_items_arrive_in_the_turn_in_which_they_were_delivered(kind: str) -> None:
    async def body(source: Source) -> None:
        turn, seen = 0, []

        def count() -> None:
            nonlocal turn
            turn += 1
            asyncio.get_running_loop().call_soon(count)

        async def read(stream: Stream[int]) -> None:
            async for number in stream:
                seen.append((number, turn))

        readers = [await waiting(start(read(source.stream()))) for _ in range(2)]
        delivered = []
        source.callbacks.append(lambda number: delivered.append((number, turn)))
        count()
        for number in range(5):
            source.send(number)
            await until_async(lambda: len(seen) >= 2 * (number + 1))
        assert seen == [each for each in delivered for _ in readers]
        for queue in source.queues:
            queue.end()
        await asyncio.gather(*readers)

    run(kind, body)


def test_a_task_is_not_resumed_inside_the_library_or_another_task(kind: str) -> None:
    async def body(source: Source) -> None:
        stream = source.stream()
        order: list[str] = []

        async def read() -> None:
            async for _ in stream:
                order.append("read")
            order.append("ended")

        reader = await waiting(start(read()))
        source.callbacks.append(lambda _: order.append("last callback"))
        source.send(1)
        await until_async(lambda: len(order) >= 2)
        stream.close()
        order.append("closed")
        await reader
        assert order == ["last callback", "read", "closed", "ended"]

    run(kind, body)


def test_a_callback_of_the_same_dispatch_closes_the_stream(kind: str) -> None:
    async def body(source: Source) -> None:
        stream = source.stream()

        async def read() -> list[int]:
            return [number async for number in stream]

        reader = await waiting(start(read()))
        source.callbacks.append(lambda _: stream.close())
        source.send(1, 2)
        assert await reader == [1]

    run(kind, body)


def test_a_cancelled_task_loses_no_item(kind: str) -> None:
    async def body(source: Source) -> None:
        stream = source.stream()
        reader = await waiting(start(stream.next()))
        reader.cancel()
        source.queues[0].put(1)
        with pytest.raises(asyncio.CancelledError):
            await reader
        assert await stream.next() == 1
        # Cancelled in the dispatch that has delivered the item.
        reader = await waiting(start(stream.next()))
        source.callbacks.append(lambda _: reader.cancel())
        source.send(2)
        with pytest.raises(asyncio.CancelledError):
            await reader
        assert await stream.next() == 2

    run(kind, body)


def test_a_task_can_refuse_to_be_cancelled(kind: str) -> None:
    async def body(source: Source) -> None:
        stream = source.stream()

        async def read() -> int | None:
            try:
                return await stream.next()
            except asyncio.CancelledError:
                return await stream.next()

        reader = await waiting(start(read()))
        reader.cancel()
        await waiting(reader)
        source.send(1)
        assert await reader == 1

    run(kind, body)


def test_a_time_limit(kind: str) -> None:
    async def body(source: Source) -> None:
        stream = source.stream()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(stream.next(), 0.01)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(stream.__anext__(), 0.01)
        if sys.version_info >= (3, 11):
            with pytest.raises(asyncio.TimeoutError):
                async with asyncio.timeout(0.01):
                    await stream.next()
        source.send(1)
        assert await asyncio.wait_for(stream.next(), PATIENCE) == 1

    run(kind, body)


def test_an_exception_after_an_item_ends_only_its_task(kind: str) -> None:
    async def body(source: Source) -> None:
        async def fail(stream: Stream[int]) -> None:
            async for number in stream:
                raise ValueError(number)

        tasks = [await waiting(start(fail(source.stream()))), await waiting(start(source.stream().next()))]
        source.send(3)
        assert await tasks[1] == 3
        with pytest.raises(ValueError, match="3"):
            await tasks[0]

    run(kind, body)
