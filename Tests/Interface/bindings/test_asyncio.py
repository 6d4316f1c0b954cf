"""The asyncio API with a software tag: the events that a program receives, and their order."""

import ctypes
from pathlib import Path
from typing import Any, cast

import jacquard
import pytest
from jacquard import Phase, event_sources
from jacquard._native import structs
from running import next_of, with_manager
from simulator import SERIAL, Simulator


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


def test_a_touch_is_read_with_the_layout_of_its_struct() -> None:
    struct = structs.Touch(None, 7, 99, (ctypes.c_uint8 * 12)(*range(1, 13)), (ctypes.c_uint8 * 7)(), 2_500_000_000)
    touch = event_sources.touch(ctypes.addressof(struct), cast(Any, None))
    assert touch == jacquard.Touch(7, 99, tuple(range(1, 13))) and touch.arrival == 2.5


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
