"""The ends of subscriptions, connections, commands and managers."""

import asyncio
import gc
import logging
import time
import weakref
from collections.abc import Coroutine
from typing import Any

import jacquard
import pytest
from jacquard import Phase
from jacquard._core import registry
from running import with_manager
from simulator import SERIAL, Simulator
from waiting import turn, until_async


def test_a_callback_stays_registered_until_its_connection_ends(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        connection = manager.connect(await manager.find(timeout=20))
        await connection.open()
        await connection.tag()
        received: list[jacquard.Battery] = []
        registered = registry.count()
        connection.on(jacquard.Battery, received.append)
        gc.collect()
        async with connection.events(jacquard.Battery) as events:
            simulator.tell("battery 43")
            while (await events.next()) != jacquard.Battery(43, False):
                pass
        assert received[-1] == jacquard.Battery(43, False)
        del connection
        gc.collect()
        assert registry.count() == registered

    with_manager(simulator, body)


def test_a_callback_may_end_its_subscription_and_raise(simulator: Simulator) -> None:
    reported: list[Any] = []

    async def body(manager: jacquard.Manager) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context["exception"]))
        async with manager.connect(await manager.find(timeout=20)) as connection:
            await connection.tag()

            def once(battery: jacquard.Battery) -> None:
                subscription.close()
                raise ValueError(battery.percent)

            subscription = connection.on(jacquard.Battery, once)
            async with connection.events(jacquard.Battery) as events:
                for percent in (51, 52):
                    simulator.tell(f"battery {percent}")
                    while (await events.next()) != jacquard.Battery(percent, False):
                        pass
            assert [str(each) for each in reported] in (["51"], ["80"])
            with pytest.raises(TypeError, match="kind is .*ConnectionState.*; expected a kind of event"):
                connection.on(jacquard.ConnectionState, print)

    with_manager(simulator, body)


def test_closing_during_a_query_of_gear_causes_no_warning(
    simulator: Simulator, caplog: pytest.LogCaptureFixture
) -> None:
    async def body(manager: jacquard.Manager) -> None:
        async with manager.connect(serial=SERIAL) as connection:
            async with connection.events(jacquard.Notification) as events:
                await connection.tag()
                await events.next()  # the battery, reported without a request
                simulator.tell("latency 500ms")
                simulator.tell("gear attach patch-b0")
                await events.next()
            await until_async(lambda: "touch-mode" in simulator.tell("journal requests"))

    with_manager(simulator, body)
    assert [record.getMessage() for record in caplog.records] == []


def test_disconnecting_ends_states_and_events(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        async with manager.connect(serial=SERIAL) as connection:
            await connection.tag()
            states, events = connection.states(), connection.events()
            # The tag reports it only some time after it has been connected.
            while not isinstance(await events.__anext__(), jacquard.Battery):
                pass
            await connection.disconnect()
            assert [state.phase async for state in states][-1] is Phase.DISCONNECTED
            async for _ in events:
                pass
            with pytest.raises(jacquard.ClosedError):
                await connection.tag()

    with_manager(simulator, body)


def test_a_subscription_that_is_closed_by_its_callback_releases_it(simulator: Simulator) -> None:
    class Receiver:
        subscription: jacquard.Subscription

        def __call__(self, _: jacquard.Battery) -> None:
            self.subscription.close()

    async def body(manager: jacquard.Manager) -> None:
        async with manager.connect(serial=SERIAL) as connection:
            await connection.tag()
            receiver = Receiver()
            released = weakref.ref(receiver)
            receiver.subscription = connection.on(jacquard.Battery, receiver)
            del receiver
            async with connection.events(jacquard.Battery) as events:
                simulator.tell("battery 44")
                while (await events.next()) != jacquard.Battery(44, False):
                    pass
            gc.collect()
            assert released() is None

    with_manager(simulator, body)


def test_a_cancelled_task_cancels_its_command(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        async with manager.connect(serial=SERIAL) as connection:
            tag = await connection.tag()
            simulator.tell("latency 500ms")
            before = registry.count()
            task = asyncio.ensure_future(tag.battery())
            await until_async(lambda: registry.count() > before)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert registry.count() == before
            assert (await tag.battery()).percent >= 0

    with_manager(simulator, body)


@pytest.mark.parametrize("how", ["cancel", "wait_for"])
def test_a_command_that_ends_before_its_turn_does_so_at_once_and_has_no_effect(simulator: Simulator, how: str) -> None:
    async def body(manager: jacquard.Manager) -> None:
        async with manager.connect(serial=SERIAL) as connection:
            tag = await connection.tag()
            calls: list[Coroutine[Any, Any, Any]] = [tag.led(jacquard.Led.solid("red", 1)), tag.rename("other")]
            simulator.tell("latency 500ms")
            before, journal = registry.count(), simulator.tell("journal requests")
            first, begun = asyncio.ensure_future(tag.battery()), time.monotonic()
            waiting = [asyncio.ensure_future(asyncio.wait_for(call, 0.05) if how == "wait_for" else call) for call in calls]
            await until_async(lambda: registry.count() >= before + 1 + len(waiting))
            if how == "cancel":
                for task in waiting:
                    task.cancel()
            ended = await asyncio.gather(*waiting, return_exceptions=True)
            assert time.monotonic() - begun < 0.4 and not first.done()
            kind = asyncio.CancelledError if how == "cancel" else asyncio.TimeoutError
            assert [type(error) for error in ended] == [kind] * len(ended)
            assert registry.count() == before + 1
            assert (await first).percent == (await tag.battery()).percent
            assert simulator.tell("journal requests").removeprefix(journal) == "; battery; battery"
            await asyncio.gather(tag.led(jacquard.Led.off()), tag.rename("other"))
            sent = simulator.tell("journal requests").removeprefix(journal).split("; ")
            assert "led" in sent and "config-write" in sent

    with_manager(simulator, body)


def test_closing_the_manager_ends_all_waits(simulator: Simulator) -> None:
    async def main() -> None:
        async with jacquard.Manager(bus_address=simulator.bus_address) as manager:
            async with manager.connect(serial=SERIAL) as connection:
                tag = await connection.tag()
                simulator.tell("latency 10s")

                async def last(stream: jacquard.Stream[Any]) -> str:
                    async for _ in stream:
                        pass
                    return "ended"

                ending = [asyncio.ensure_future(last(stream)) for stream in (connection.states(), connection.events())]
                ending.append(asyncio.ensure_future(last(manager.scan(serial="ZZZZ"))))
                failing = [asyncio.ensure_future(tag.battery()), asyncio.ensure_future(manager.find(serial="ZZZZ"))]
                await turn()
                manager.close()
                assert await asyncio.gather(*ending) == ["ended"] * 3
                for task in failing:
                    with pytest.raises(jacquard.ClosedError):
                        await task
                with pytest.raises(jacquard.JacquardError):
                    await tag.battery()

    asyncio.run(asyncio.wait_for(main(), 30))
    assert registry.count() == 0


def test_an_exception_in_a_log_handler_reaches_the_loop_and_does_no_harm(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Mistake(Exception):
        pass

    def refuse(record: logging.LogRecord) -> bool:
        raise Mistake

    logger = logging.getLogger("jacquard")
    monkeypatch.setattr(logger, "level", logging.DEBUG)
    loggers = [logging.getLogger(f"jacquard.{part}") for part in ("bus", "bluez", "scan", "link", "wire")]
    logger.manager._clear_cache()  # type: ignore[attr-defined]
    for part in loggers:
        part.addFilter(refuse)
    reported: list[dict[str, Any]] = []

    async def body(manager: jacquard.Manager) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))
        async with manager.connect(serial=SERIAL) as connection:
            assert (await (await connection.tag()).battery()).percent >= 0

    try:
        with_manager(simulator, body)
    finally:
        for part in loggers:
            part.removeFilter(refuse)
    assert reported and all(isinstance(context["exception"], Mistake) for context in reported)
