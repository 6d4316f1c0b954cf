"""jacquardctl certify: an experiment that is cancelled ends, also if what it waits for comes at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from types import SimpleNamespace
from typing import Any, Callable

import pytest
from jacquard_certify.bus import BLUEZ, Bus
from jacquard_certify.clock import Clock
from jacquard_certify.trace import DEVICE, Trace

# Turns of the loop between the two: what is waited for needs several of them to reach the task that waits.
TURNS = range(8)


async def cancelled_after(turns: int, work: Coroutine[Any, Any, Any], happens: Callable[[], None]) -> None:
    task = asyncio.ensure_future(work)
    for _ in range(4):
        await asyncio.sleep(0)
    assert not task.done()
    happens()
    for _ in range(turns):
        await asyncio.sleep(0)
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
