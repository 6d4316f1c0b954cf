"""Which tasks may read a stream, and how their loop ends."""

from __future__ import annotations

import asyncio
import contextvars

import pytest
from jacquard.stream import Stream
from test_stream_tasks import (
    PATIENCE,
    Source,
    kind_fixture,  # noqa: F401
    new_loop,
    run,
    start,
    use,
    waiting,
)
from waiting import until_async


class Stop(KeyboardInterrupt):
    pass


@pytest.mark.parametrize("where", ["task", "dispatch"])
def test_an_interrupt_ends_the_loop_and_loses_no_wake_up(kind: str, where: str) -> None:
    loop = new_loop(kind)
    others: list[asyncio.Task[int | None]] = []
    sources: list[Source] = []

    def stop(number: int) -> None:
        if number == 1:
            raise Stop

    async def main() -> None:
        use(kind)
        source = Source()
        sources.append(source)

        async def interrupted(stream: Stream[int]) -> None:
            stop(await stream.next() or 0)

        if where == "task":
            others.append(await waiting(start(interrupted(source.stream()))))
        else:
            source.callbacks.append(stop)
        others.append(await waiting(start(source.stream().next())))
        source.send(1)
        await asyncio.wait_for(asyncio.Event().wait(), PATIENCE)

    task = loop.create_task(main())
    with pytest.raises(Stop):
        loop.run_until_complete(task)
    assert loop.run_until_complete(asyncio.wait_for(others[-1], PATIENCE)) == 1
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        loop.run_until_complete(task)
    for other in others[:-1]:
        assert isinstance(other.exception(), Stop)
    sources[0].close()
    loop.close()


def test_a_second_reader_is_refused_and_the_first_goes_on(kind: str) -> None:
    async def body(source: Source) -> None:
        stream = source.stream()
        first = await waiting(start(stream.next()))
        with pytest.raises(RuntimeError, match="another reader is already waiting"):
            await stream.next()
        source.send(1)
        assert await first == 1

    run(kind, body)


def test_a_reader_in_another_loop_is_refused(kind: str) -> None:
    async def body(source: Source) -> None:
        stream = source.stream()

        def read() -> None:
            with pytest.raises(RuntimeError, match="different loop"):
                asyncio.run(stream.next())

        await asyncio.get_running_loop().run_in_executor(None, read)
        source.send(1)
        assert await stream.next() == 1

    run(kind, body)


def test_a_task_keeps_its_context(kind: str) -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="")

    async def body(source: Source) -> None:
        async def read(stream: Stream[int], name: str) -> list[str]:
            variable.set(name)
            return [variable.get() async for _ in stream]

        readers = [await waiting(start(read(source.stream(), name))) for name in "ab"]
        delivered: list[int] = []
        source.callbacks.append(delivered.append)
        for number in range(2):
            source.send(number)
            await until_async(lambda: len(delivered) > number)
        for queue in source.queues:
            queue.end()
        assert await asyncio.gather(*readers) == [["a", "a"], ["b", "b"]]
        assert variable.get() == ""

    run(kind, body)


def test_the_end_of_the_loop_cancels_a_waiting_task() -> None:
    async def main() -> asyncio.Task[int | None]:
        source = Source()
        task = await waiting(start(source.stream().next()))
        source.close()
        return task

    assert asyncio.run(main()).cancelled()
