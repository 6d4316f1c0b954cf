"""The blocking API with a software tag."""

import gc
import inspect
import os
import signal
import threading

import jacquard
import pytest
from jacquard import blocking
from jacquard._core import registry
from jacquard.blocking import Manager
from simulator import SERIAL, Simulator


def test_four_lines_read_a_battery(simulator: Simulator) -> None:
    simulator.tell("battery 63 discharging")
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        assert str(connection.tag().battery()) == "63%"
    assert registry.count() == 0


def test_states_carry_a_blocking_tag(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        with connection.states() as states:
            tag = next(state.tag for state in states if state.tag is not None)
        assert tag == connection.tag()
        assert tag.info.name == f"Jacquard-{SERIAL}"
        assert 0 <= tag.battery().percent <= 100
        connection.disconnect()
        assert [state.phase for state in connection.states()] == [jacquard.Phase.DISCONNECTED]


def test_a_connection_is_found_by_its_identifier(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        tag = connection.tag()
        assert manager.connection(tag.info.identifier).tag() == tag
        assert [each.identifier for each in manager.connected()] == [tag.info.identifier]
        manager.connection(tag.info.identifier).disconnect()
        with pytest.raises(jacquard.NotFoundError):
            manager.connection(tag.info.identifier)


def test_states_among_the_events_carry_a_blocking_tag_too(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        with connection.events(jacquard.ConnectionState, jacquard.Battery) as events:
            states = (event for event in events if isinstance(event, jacquard.ConnectionState))
            tag = next(state.tag for state in states if state.tag is not None)
        assert 0 <= tag.battery().percent <= 100


def test_a_callback_receives_gear_with_a_blocking_component(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        connection.tag()
        received: list[jacquard.Gear[blocking.Component]] = []
        with connection.on(jacquard.Gear, received.append), connection.events(jacquard.Gear) as events:
            simulator.tell("gear attach levis-trucker")
            component = next(gear.component for gear in events if gear.component is not None)
            assert received[-1].component == component


def test_a_callback_stays_registered_until_its_connection_ends(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager:
        connection = manager.connect(serial=SERIAL)
        connection.open()
        connection.tag()
        received: list[jacquard.Battery] = []
        registered = registry.count()
        connection.on(jacquard.Battery, received.append)
        gc.collect()
        with connection.events(jacquard.Battery) as events:
            simulator.tell("battery 43")
            next(battery for battery in events if battery == jacquard.Battery(43, False))
        assert received[-1] == jacquard.Battery(43, False)
        del connection, events
        gc.collect()
        assert registry.count() == registered


def test_waiting_no_longer_than_asked(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager:
        assert list(manager.scan(serial="ZZZZ", timeout=0.1)) == []
        with pytest.raises(jacquard.NotFoundError):
            manager.find(serial="ZZZZ", timeout=0.1)
        with manager.scan(serial="ZZZZ") as scan, pytest.raises(TimeoutError):
            scan.next(timeout=0.1)
    assert registry.count() == 0


def test_a_scan_that_the_controller_refuses_raises_the_reason(simulator: Simulator) -> None:
    simulator.tell("discovery refused")
    for search in (lambda manager: list(manager.scan(timeout=0.5)), lambda manager: manager.find(timeout=0.5)):
        with Manager(bus_address=simulator.bus_address) as manager, pytest.raises(jacquard.AdapterRefusedError):
            search(manager)


def test_ctrl_c_ends_the_wait_and_nothing_else(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager:
        with manager.connect(serial=SERIAL) as connection:
            tag = connection.tag()
            registered = registry.count()
            interrupt = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
            interrupt.start()
            with pytest.raises(KeyboardInterrupt):
                manager.find(serial="ZZZZ", timeout=20)
            interrupt.join()
            assert registry.count() == registered
            assert 0 <= tag.battery().percent <= 100


def test_a_callback_cannot_wait(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        tag = connection.tag()
        with connection.on(jacquard.Battery, lambda battery: tag.battery()):
            with connection.events(jacquard.Battery) as events, pytest.raises(RuntimeError, match="a callback cannot wait"):
                events.next(timeout=20)
                events.next(timeout=20)
        assert 0 <= tag.battery(timeout=20).percent <= 100


def test_a_machine_without_a_bus_is_a_state_and_not_an_error(tmp_path: object) -> None:
    with Manager(bus_address=f"unix:path={tmp_path}/missing") as manager:
        with manager.adapter_states() as states:
            adapter = next(adapter for adapter in states if adapter.state is not jacquard.AdapterState.UNKNOWN)
        assert adapter.state is jacquard.AdapterState.UNSUPPORTED
        assert isinstance(adapter.error, jacquard.BusUnavailableError)
        with pytest.raises(jacquard.BusUnavailableError):
            manager.find(timeout=20)


def test_all_connections_are_one_stream(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager, manager.connections() as states:
        assert not manager.scanning
        with manager.connect(serial=SERIAL) as connection:
            tag = connection.tag()
            assert connection.connected and connection.phase is jacquard.Phase.CONNECTED
        phases = []
        for state in states:
            assert state.tag in (None, tag)
            phases.append(state.phase)
            if state.phase is jacquard.Phase.DISCONNECTED:
                break
        assert jacquard.Phase.CONNECTED in phases
    assert registry.count() == 0


@pytest.mark.parametrize("name", blocking.__all__)
def test_it_has_all_that_the_asyncio_classes_have_and_what_waits_takes_a_timeout(name: str) -> None:
    for method, function in vars(getattr(jacquard, name)).items():
        if method.startswith("_"):
            continue
        same = getattr(blocking, name).__dict__[method]
        assert isinstance(same, property) == isinstance(function, property)
        if inspect.iscoroutinefunction(function):
            assert not inspect.iscoroutinefunction(same)
            assert "timeout" in inspect.signature(same).parameters
