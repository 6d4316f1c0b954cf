"""The asyncio API with a software tag: the events that a program receives, and their order."""

import asyncio
import ctypes
import gc
import logging
import time
import weakref
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, cast

import jacquard
import pytest
from jacquard import Phase, event_sources
from jacquard._core import registry
from jacquard._native import structs
from running import next_of, with_manager
from simulator import SERIAL, Simulator
from waiting import turn, until_async


def test_the_adapter_state_is_reported_immediately_and_after_each_change(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        async with manager.adapter_states() as states:
            while (await next_of(states)).state is not jacquard.AdapterState.POWERED_ON:
                pass
            simulator.tell("adapter off")
            off = await next_of(states)
            assert off.state is jacquard.AdapterState.POWERED_OFF
            assert isinstance(off.error, jacquard.PoweredOffError)
            assert off.error.advice
            simulator.tell("adapter on")
            on = await next_of(states)
            assert on.state is jacquard.AdapterState.POWERED_ON
            assert on.error is None
            assert on.address.count(":") == 5

    with_manager(simulator, body)


def test_a_tag_is_found_by_its_serial(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        found = await manager.find(serial=SERIAL, timeout=20)
        assert found.serial == SERIAL
        assert found.name == f"Jacquard-{SERIAL}"
        assert found.rssi is not None and found.rssi < 0
        assert not found.connected

    with_manager(simulator, body)


def test_an_absent_tag_is_not_found(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        with pytest.raises(jacquard.NotFoundError) as caught:
            await manager.find(serial="ZZZZ", timeout=0.2)
        assert caught.value.code is jacquard.Status.NOT_FOUND
        assert caught.value.advice
        assert [found async for found in manager.scan(serial="ZZZZ", timeout=0.1)] == []

    with_manager(simulator, body)


def test_a_scan_with_the_adapter_off_raises_the_reason(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        simulator.tell("adapter off")
        async with manager.adapter_states() as states:
            async for adapter in states:
                if adapter.state is jacquard.AdapterState.POWERED_OFF:
                    break
        with pytest.raises(jacquard.PoweredOffError):
            await manager.find(timeout=20)

    with_manager(simulator, body)


def test_a_scan_that_the_controller_refuses_raises_the_reason(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        simulator.tell("discovery refused")
        with pytest.raises(jacquard.AdapterRefusedError):
            async for found in manager.scan(timeout=0.5):
                raise AssertionError(found)
        simulator.tell("discovery works")
        assert (await manager.find(timeout=20)).serial == SERIAL

    with_manager(simulator, body)


def test_states_arrive_in_order_with_every_step_once(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        seen: list[jacquard.ConnectionState[jacquard.Tag]] = []
        async with manager.connect(serial=SERIAL) as connection:
            async for state in connection.states():
                seen.append(state)
                if state.phase is Phase.CONNECTED:
                    break
        assert [state.step for state in seen] == list(range(15))
        assert [state.phase for state in seen] == sorted(state.phase for state in seen)
        assert seen[0].phase is Phase.PREPARING
        assert {state.total_steps for state in seen} == {14}
        assert {state.attempt for state in seen} == {1}
        assert [state.tag is not None for state in seen] == [False] * 14 + [True]

    with_manager(simulator, body)


def test_the_tag_reports_its_identity(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        found = await manager.find(serial=SERIAL)
        async with manager.connect(found) as connection:
            info = (await connection.tag()).info
        assert info.identifier == found.identifier
        assert info.address == found.address
        assert info.serial == info.uuid.split("-")[2]
        assert info.vendor_id == 0x117830C8
        assert info.product_id == 0x283BE7A0
        assert len(info.firmware) == 3

    with_manager(simulator, body)


def test_the_battery_is_read_with_a_command(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        async with manager.connect(serial=SERIAL) as connection:
            tag = await connection.tag()
            simulator.tell("battery 41 charging")
            assert await tag.battery() == jacquard.Battery(41, charging=True)
            simulator.tell("battery 40 discharging")
            assert await tag.battery() == jacquard.Battery(40, charging=False)

    with_manager(simulator, body)


def test_battery_events_arrive_without_a_request(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        async with manager.connect(serial=SERIAL) as connection:
            async with connection.events(jacquard.Battery) as events:
                first = await events.next()
                assert isinstance(first, jacquard.Battery)
                simulator.tell("battery 17 charging")
                async for battery in events:
                    if battery == jacquard.Battery(17, charging=True):
                        break

    with_manager(simulator, body)


def test_a_callback_receives_the_events_of_its_kind(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        connection = manager.connect(await manager.find(timeout=20))
        async with connection:
            await connection.tag()
            received: list[jacquard.Battery] = []
            async with connection.events(jacquard.Battery) as events:
                with connection.on(jacquard.Battery, received.append):
                    simulator.tell("battery 41")
                    while (await events.next()) != jacquard.Battery(41, False):
                        pass
                simulator.tell("battery 42")
                while (await events.next()) != jacquard.Battery(42, False):
                    pass
            assert received[-1] == jacquard.Battery(41, False)

    with_manager(simulator, body)


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


def test_a_touch_is_read_with_the_layout_of_its_struct() -> None:
    struct = structs.Touch(None, 7, 99, (ctypes.c_uint8 * 12)(*range(1, 13)), (ctypes.c_uint8 * 7)(), 2_500_000_000)
    touch = event_sources.touch(ctypes.addressof(struct), cast(Any, None))
    assert touch == jacquard.Touch(7, 99, tuple(range(1, 13))) and touch.arrival == 2.5


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


def test_states_are_events_if_requested(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        async with manager.connect(serial=SERIAL) as connection:
            seen: list[Any] = []
            async for event in connection.events(jacquard.ConnectionState, jacquard.Battery):
                seen.append(event)
                if isinstance(event, jacquard.Battery):
                    break
            assert [state.phase for state in seen[:-1]][-1] is Phase.CONNECTED
            tag = seen[-2].tag
            assert tag == await connection.tag()
            async with connection.events(jacquard.ConnectionState) as states:
                await connection.disconnect()
                assert [state.phase async for state in states][-1] is Phase.DISCONNECTED

    with_manager(simulator, body)


def test_a_lost_link_is_re_established_with_a_new_tag(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        async with manager.connect(serial=SERIAL) as connection:
            first = await connection.tag()
            async with connection.states() as states, connection.events(jacquard.Battery) as events:
                assert (await next_of(states)).tag == first
                await events.next()
                simulator.tell("drop link")
                lost = await next_of(states)
                assert lost.phase is Phase.PREPARING
                assert isinstance(lost.reason, jacquard.ConnectionLostError)
                with pytest.raises(jacquard.StaleTagError):
                    await first.battery()
                async for state in states:
                    if state.tag is not None:
                        assert state.tag != first
                        assert 0 <= (await state.tag.battery()).percent <= 100
                        break
                assert isinstance(await events.next(), jacquard.Battery)

    with_manager(simulator, body)


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


def test_a_failed_connection_raises_the_reason(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        found = await manager.find(serial=SERIAL)
        simulator.tell("adapter off")
        async with manager.adapter_states() as adapters:
            async for adapter in adapters:
                if not adapter.usable:
                    break
        async with manager.connect(found) as connection:
            with pytest.raises(jacquard.PoweredOffError):
                await connection.tag()

    with_manager(simulator, body)


def test_one_connection_per_tag(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        found = await manager.find(serial=SERIAL)
        async with manager.connect(found):
            with pytest.raises(jacquard.AlreadyConnectedError):
                await manager.connect(found).open()

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


def test_text_that_c_would_truncate_is_refused(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        with pytest.raises(ValueError):
            manager.scan(serial="01\0ZK")
        with pytest.raises(ValueError):
            manager.scan(timeout=-1)
        with pytest.raises(ValueError):
            manager.scan(minimum_rssi=1 << 32)
        with pytest.raises(jacquard.InvalidArgumentError):
            await manager.connect("not a UUID").open()
        with pytest.raises(TypeError):
            manager.connect()

    with_manager(simulator, body)


def test_all_connections_are_one_stream_and_each_ends_with_disconnected(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        found = await manager.find(serial=SERIAL, timeout=20)
        async with manager.connections() as states:
            async with manager.connect(found) as connection:
                await connection.tag()
                assert connection.connected and connection.phase is Phase.CONNECTED
                async for state in states:
                    assert state.identifier == found.identifier
                    if state.phase is Phase.CONNECTED:
                        break
                assert state.tag is not None and state.disconnect_reason is jacquard.DisconnectReason.NONE
                async with manager.connections() as late:
                    replayed = await late.next()
                    assert replayed is not None and replayed.phase is Phase.CONNECTED
            async for state in states:
                if state.phase is Phase.DISCONNECTED:
                    break
            assert state.disconnect_reason is jacquard.DisconnectReason.LOCAL

    with_manager(simulator, body)


def test_a_manager_reports_whether_it_is_scanning(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        assert not manager.scanning
        async with manager.scan():
            assert manager.scanning
        assert not manager.scanning

    with_manager(simulator, body)


def test_the_start_and_end_of_scans_are_events(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        async with manager.scanning_changes() as changes:
            assert await changes.next() is False
            async with manager.scan():
                assert await changes.next() is True
            assert await changes.next() is False

    with_manager(simulator, body)


def test_connected_tags_are_listed(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        assert await manager.connected() == []
        async with manager.connect(serial=SERIAL) as connection:
            await connection.tag()
            [tag] = await manager.connected()
            assert tag.identifier == connection.identifier
            assert tag.connected

    with_manager(simulator, body)


def test_a_connection_is_found_by_its_identifier(simulator: Simulator) -> None:
    async def body(manager: jacquard.Manager) -> None:
        found = await manager.find(serial=SERIAL)
        with pytest.raises(jacquard.NotFoundError):
            manager.connection(found)
        async with manager.connect(found) as connection:
            await connection.tag()
            same = manager.connection(found)
            assert same.connected
            same.close()
            assert connection.connected
            await manager.connection(found.identifier).disconnect()
            assert not connection.connected
            with pytest.raises(jacquard.NotFoundError):
                manager.connection(found)

    with_manager(simulator, body)


def test_the_loaded_library_has_a_version_and_a_path() -> None:
    loaded = jacquard.loaded_library()
    assert loaded.version == jacquard.__version__
    assert Path(loaded.path).name.startswith("libjacquard.so.1")
