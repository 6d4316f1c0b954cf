"""Tags that are found, and the scans of a manager."""


import jacquard
import pytest
from running import with_manager
from simulator import SERIAL, Simulator


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
