"""jacquardctl certify: an experiment that is cancelled ends, whatever comes at the same moment, and keeps its answers."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any, Callable

import pytest
from jacquard_certify import run
from jacquard_certify.answer import Answer, Gone
from jacquard_certify.bus import BLUEZ, Bus
from jacquard_certify.clock import Clock
from jacquard_certify.questions import MOTION, decided_by, of_stage
from jacquard_certify.trace import DEVICE, Trace
from jacquard_certify.world import GONE, World
from waiting import turn

# Turns of the loop between event and cancellation: an event needs several turns to reach the task that waits for it.
TURNS = range(8)


async def cancelled_after(turns: int, work: Coroutine[Any, Any, Any], happens: Callable[[], None]) -> None:
    task = asyncio.ensure_future(work)
    for _ in range(4):
        await turn()
    assert not task.done()
    happens()
    for _ in range(turns):
        await turn()
    was_done = task.done()
    task.cancel()
    await asyncio.wait([task])
    assert was_done or task.cancelled()


# dbus-fast imports GLib's module, whose importer is of an old kind.
@pytest.mark.filterwarnings("ignore::ImportWarning")
@pytest.mark.parametrize("turns", TURNS)
def test_a_reply_of_bluetoothd_does_not_hide_the_cancellation(turns: int) -> None:
    async def main() -> None:
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        async def call(message: object) -> Any:
            return await reply

        bus = Bus()
        bus.bus = SimpleNamespace(call=call)
        work = bus.call(BLUEZ, "/", DEVICE, "Connect")
        await cancelled_after(turns, work, lambda: reply.set_result(SimpleNamespace(message_type=None, body=[])))

    asyncio.run(main())


@pytest.mark.parametrize("turns", TURNS)
def test_a_signal_of_bluetoothd_does_not_hide_the_cancellation(turns: int) -> None:
    async def main() -> None:
        trace = Trace(Clock())
        await cancelled_after(turns, trace.until(lambda: trace.losses, 60), lambda: trace.device({"Connected": False}))

    asyncio.run(main())


def test_an_answer_from_before_the_tag_left_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = next(one for one in of_stage(MOTION) if len(decided_by(one)) > 1)
    decided, open_one = decided_by(experiment)[:2]

    async def main() -> World:
        world = World(SimpleNamespace(), Bus(), "", Clock(), SimpleNamespace())  # type: ignore[arg-type]

        async def decides_one_and_waits(*_: Any) -> None:
            world.answers[decided.name] = Answer("found")
            world.is_gone = True
            raise Gone(GONE)

        async def yes(_: Any) -> bool:
            return True

        monkeypatch.setattr(run, "of_stage", lambda _: [experiment])
        monkeypatch.setattr(run, "answers_of", decides_one_and_waits)
        await run.stage(world, SimpleNamespace(asks=yes, say=lambda _: None), MOTION)  # type: ignore[arg-type]
        return world

    answers = asyncio.run(main()).answers
    assert answers[decided.name] == Answer("found")
    assert answers[open_one.name] == Answer(doubt=GONE)
