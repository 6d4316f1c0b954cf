"""Closing at any time leaves nothing and calls no callback."""

import asyncio
import ctypes
import gc
import logging
import resource
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jacquard
import pytest
import raw
from jacquard._core import registry
from jacquard._native import callbacks, handles
from jacquard._native.library import library
from jacquard.blocking import Manager
from simulator import SERIAL, Simulator
from waiting import turn

MANAGERS = 1000
UNREACHABLE = "unix:path=/nonexistent/jacquard"


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    gc.collect()
    descriptors, threads = raw.descriptors(), raw.threads()
    yield
    gc.collect()
    assert registry.count() == 0
    assert (raw.descriptors(), raw.threads()) == (descriptors, threads)


@pytest.mark.parametrize("step", range(15))
def test_closing_a_connection_at_any_step(simulator_for_module: Simulator, step: int) -> None:
    with Manager(bus_address=simulator_for_module.bus_address) as manager:
        with manager.connect(serial=SERIAL) as connection:
            next(state for state in connection.states() if state.step >= step)


@pytest.mark.parametrize("step", range(15))
def test_closing_a_manager_at_any_step_of_a_connection(simulator_for_module: Simulator, step: int) -> None:
    manager = Manager(bus_address=simulator_for_module.bus_address)
    manager.open()
    connection = manager.connect(serial=SERIAL)
    connection.open()
    states, events, scan = connection.states(), connection.events(), manager.scan()
    next(state for state in states if state.step >= step)
    manager.close()
    assert events.next() is None or isinstance(events.next(), (jacquard.Battery, type(None)))
    scan.close()
    connection.close()


def test_an_asyncio_program_that_forgets_to_close(simulator_for_module: Simulator) -> None:
    async def main() -> None:
        manager = jacquard.Manager(bus_address=simulator_for_module.bus_address)
        manager.open()
        connection = manager.connect(serial=SERIAL)
        await connection.open()
        await connection.tag()
        forgotten.append(asyncio.ensure_future(connection.events().next()))
        await turn()

    forgotten: list[asyncio.Future[Any]] = []
    with pytest.warns(ResourceWarning):
        asyncio.run(main())
        assert forgotten.pop().done()
        gc.collect()


def test_releasing_everything_without_closing_it(simulator_for_module: Simulator) -> None:
    manager = Manager(bus_address=simulator_for_module.bus_address)
    manager.open()
    connection = manager.connect(serial=SERIAL)
    connection.open()
    kept = [connection.tag(), connection.states(), connection.events(), manager.scan()]
    with pytest.warns(ResourceWarning):
        del kept, connection, manager
        gc.collect()


def test_a_thousand_managers(simulator_for_module: Simulator) -> None:
    open_and_close(simulator_for_module.bus_address, MANAGERS // 5)
    before = resident()
    open_and_close(simulator_for_module.bus_address, MANAGERS)
    assert resident() - before < 1 << 20


def resident() -> int:
    """Bytes of memory that this process has in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_no_callback_comes_from_another_thread(
    simulator_for_module: Simulator, caplog: pytest.LogCaptureFixture
) -> None:
    """The library has no other thread; even its log is delivered by ordinary callbacks."""
    before = raw.threads()
    with caplog.at_level(logging.DEBUG, "jacquard"):
        with Manager(bus_address=simulator_for_module.bus_address) as manager:
            with manager.connect(serial=SERIAL) as connection:
                connection.tag().battery()
                assert raw.threads() == before
    told = [record for record in caplog.records if record.name.startswith("jacquard.")]
    assert {record.thread for record in told} == {threading.get_ident()}


def test_managers_without_a_bus() -> None:
    """Fewer managers, because the kernel takes 10 ms to close the inotify descriptor that watches for the bus."""
    open_and_close(UNREACHABLE, MANAGERS // 10)


def open_and_close(bus_address: str, count: int) -> None:
    for _ in range(count):
        with Manager(bus_address=bus_address) as manager, manager.adapter_states() as states:
            states.next(timeout=20)


def test_a_thousand_managers_with_a_thread_each() -> None:
    for _ in range(MANAGERS):
        manager = raw.new_manager(UNREACHABLE)
        assert library().jacquard_manager_start(manager) == 0
        assert library().jacquard_manager_unref(manager).value is None


def test_destroy_runs_once_and_no_callback_after_it(simulator_for_module: Simulator) -> None:
    manager = raw.new_manager(simulator_for_module.bus_address)
    destroyed, calls = raw.Destroyed(), raw.Calls(callbacks.AdapterCallback)
    subscription = handles.Subscription()
    assert not library().jacquard_manager_on_adapter(
        manager, calls.callback, None, destroyed.callback, ctypes.byref(subscription)
    )
    raw.dispatch_until(manager, lambda: calls.count > 0)
    assert library().jacquard_subscription_cancel(subscription) == 0
    assert destroyed.count == 1
    before = calls.count
    assert library().jacquard_subscription_cancel(subscription) == 0
    assert library().jacquard_subscription_unref(subscription).value is None
    assert library().jacquard_manager_unref(manager).value is None
    assert (destroyed.count, calls.count) == (1, before)


def test_a_registration_without_a_handle_ends_with_its_manager() -> None:
    manager = raw.new_manager(UNREACHABLE)
    destroyed = raw.Destroyed()
    no_handle = ctypes.POINTER(handles.Subscription)()
    for _ in range(3):
        assert not library().jacquard_manager_on_adapter(
            manager, raw.a_callback(callbacks.AdapterCallback), None, destroyed.callback, no_handle
        )
    library().jacquard_manager_unref(manager)
    assert destroyed.count == 3


def test_a_subscription_that_cancels_itself_is_destroyed_after_its_callback(simulator_for_module: Simulator) -> None:
    manager = raw.new_manager(simulator_for_module.bus_address)
    destroyed, subscription = raw.Destroyed(), handles.Subscription()
    during = []

    def cancel(adapter: object, user_data: object) -> None:
        library().jacquard_subscription_cancel(subscription)
        during.append(destroyed.count)

    calls = raw.Calls(callbacks.AdapterCallback, cancel)
    assert not library().jacquard_manager_on_adapter(
        manager, calls.callback, None, destroyed.callback, ctypes.byref(subscription)
    )
    raw.dispatch_until(manager, lambda: destroyed.count > 0)
    assert (during, calls.count, destroyed.count) == ([0], 1, 1)
    library().jacquard_subscription_unref(subscription)
    library().jacquard_manager_unref(manager)


def test_dispatching_inside_a_callback_is_refused(simulator_for_module: Simulator) -> None:
    manager = raw.new_manager(simulator_for_module.bus_address)
    results = []
    calls = raw.Calls(
        callbacks.AdapterCallback, lambda *_: results.append(library().jacquard_manager_dispatch(manager))
    )
    assert not library().jacquard_manager_on_adapter(
        manager, calls.callback, None, raw.NO_DESTROY, ctypes.POINTER(handles.Subscription)()
    )
    raw.dispatch_until(manager, lambda: bool(results))
    library().jacquard_manager_unref(manager)
    assert set(results) == {jacquard.Status.MISUSE}


def test_releasing_the_manager_inside_its_callback() -> None:
    manager = raw.new_manager(UNREACHABLE)
    destroyed = raw.Destroyed()
    calls = raw.Calls(callbacks.AdapterCallback, lambda *_: library().jacquard_manager_unref(manager))
    assert not library().jacquard_manager_on_adapter(
        manager, calls.callback, None, destroyed.callback, ctypes.POINTER(handles.Subscription)()
    )
    raw.dispatch_until(manager, lambda: destroyed.count > 0)
    assert (calls.count, destroyed.count) == (1, 1)
    assert library().jacquard_manager_get_fd(manager) == jacquard.Status.INVALID_HANDLE
