"""The blocking face against a software tag."""

import gc
import inspect
import itertools
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import fingers
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


def test_another_thread_runs_while_one_waits(simulator: Simulator) -> None:
    """The waiting call ends only by what the other thread does: with the lock held, it never would."""
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        connection.tag()
        with connection.events(jacquard.Battery) as events:
            events.next()
            work = threading.Thread(target=lambda: (sum(range(100_000)), simulator.tell("battery 5 charging")))
            work.start()
            while events.next(timeout=20) != jacquard.Battery(5, charging=True):
                pass
            work.join()


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


@pytest.mark.parametrize("threads", [1, 16])
def test_one_thread_iterates_while_others_send_commands(simulator: Simulator, threads: int) -> None:
    """Samples with numbers arrive at 60 Hz until a thousand commands have been answered."""
    commands = 1000
    simulator.tell("latency 4ms")

    def send() -> list[int]:
        with ThreadPoolExecutor(threads) as senders:
            return list(senders.map(lambda _: tag.battery(timeout=20).percent, range(commands)))

    def touch() -> int:
        number = 0
        while not answered.done():
            fingers.feel(simulator, f"touch 9 {number % 250} {number // 250} 3 4 5 6 7 8 9 10 11 12")
            number += 1
        simulator.tell("touch 255 1 2 3 4 5 6 7 8 9 10 11 12")
        return number

    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        tag = connection.tag()
        simulator.tell("gear attach levis-trucker")
        with connection.events(jacquard.Gear) as gear:
            component = next(event.component for event in gear if event.component is not None)
        component.set_touch_mode(jacquard.TouchMode.CONTINUOUS)
        with connection.events(jacquard.Touch) as touches, ThreadPoolExecutor() as pool:
            answered = pool.submit(send)
            sent = pool.submit(touch)
            numbers = [each.lines[0] + 250 * each.lines[1] for each in itertools.takewhile(lambda each: each.proximity != 255, touches)]
        assert len(answered.result()) == commands
        assert numbers == list(range(sent.result()))
        assert connection.counters.dropped_notifications == 0


def test_commands_of_many_threads_that_wait_too_long_are_not_sent(simulator: Simulator) -> None:
    """The tag responds to about five commands a second, one after the other."""
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        tag = connection.tag()
        before = simulator.tell("journal requests").count("battery")
        simulator.tell("latency 200ms")
        begun = time.monotonic()
        with ThreadPoolExecutor(16) as pool:
            calls = [pool.submit(tag.battery, timeout=1) for _ in range(16)]
            late = [call for call in calls if isinstance(call.exception(20), jacquard.TimeoutError)]
        assert time.monotonic() - begun < 2
        assert 1 <= len(calls) - len(late) < 16
        assert all(0 <= call.result().percent <= 100 for call in calls if call not in late)
        simulator.tell("latency 0ms")
        assert 0 <= tag.battery(timeout=5).percent <= 100
        # The one whose response came too late, and the last one.
        sent = simulator.tell("journal requests").count("battery") - before
        assert sent - (len(calls) - len(late)) in (1, 2)


def test_a_pool_of_threads_shares_a_manager(simulator: Simulator) -> None:
    """Whichever of them polls, it does so for all, and another one continues when its call ends."""
    simulator.tell("latency 5ms")
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        tag = connection.tag()
        calls: list[Callable[[], object]] = [tag.battery, tag.configuration, manager.known, connection.tag, lambda: connection.states().next(timeout=20)]
        with ThreadPoolExecutor(16) as pool:
            results = [pool.submit(calls[number % len(calls)]) for number in range(320)]
            assert all(result.result(60) is not None for result in results)
    assert registry.count() == 0


def test_two_threads_read_one_stream(simulator: Simulator) -> None:
    """Each event goes to one of them, and the end to both."""
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        connection.tag()
        with connection.events(jacquard.Battery) as events, ThreadPoolExecutor() as pool:
            events.next()
            with pytest.raises(TimeoutError):
                events.next(timeout=0.05)
            readers = [pool.submit(list, events) for _ in range(2)]
            for percent in range(20, 40):
                simulator.tell(f"battery {percent}")
            with connection.events(jacquard.Battery) as others:
                while others.next(timeout=20) != jacquard.Battery(39, False):
                    pass
            events.close()
            received = [battery for reader in readers for battery in reader.result(20)]
        assert sorted(battery.percent for battery in received) == list(range(20, 40))


def test_another_thread_ends_a_wait_by_closing_what_it_waits_for(simulator: Simulator) -> None:
    manager = Manager(bus_address=simulator.bus_address)
    manager.open()
    connection = manager.connect(serial=SERIAL)
    connection.open()
    connection.tag()
    opened = len(os.listdir("/proc/self/fd"))
    with ThreadPoolExecutor() as pool:
        for close in ("stream", "connection", "manager"):
            streams = [connection.events(jacquard.Touch) for _ in range(3)]
            waits = [pool.submit(stream.next) for stream in streams]
            time.sleep(0.1)  # until they wait
            for each in streams if close == "stream" else [connection if close == "connection" else manager]:
                each.close()
            assert [wait.result(20) for wait in waits] == [None] * 3
            if close == "connection":
                connection = manager.connect(serial=SERIAL)
                connection.open()
    assert len(os.listdir("/proc/self/fd")) < opened


def test_a_thread_waits_no_longer_than_asked_while_another_polls(simulator: Simulator) -> None:
    with Manager(bus_address=simulator.bus_address) as manager, ThreadPoolExecutor() as pool:
        search = pool.submit(manager.find, serial="ZZZZ", timeout=1)
        with manager.scan(serial="ZZZZ") as scan:
            begun = time.monotonic()
            for seconds in (0.2, 0):
                with pytest.raises(TimeoutError):
                    scan.next(timeout=seconds)
            assert 0.2 <= time.monotonic() - begun < 0.9
        assert isinstance(search.exception(20), jacquard.NotFoundError)


def test_a_thread_waits_no_longer_than_asked_for_its_turn(simulator: Simulator) -> None:
    """A callback in another thread keeps it."""
    entered, leave = threading.Event(), threading.Event()

    def keep(_: jacquard.Battery) -> None:
        entered.set()
        leave.wait(20)

    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        tag = connection.tag()
        stream = connection.events(jacquard.Touch)
        calls: list[Callable[..., object]] = [tag.battery, manager.known, connection.tag, stream.next]

        def light(timeout: float) -> None:
            tag.led(jacquard.Led.solid("red", 1), timeout=timeout)

        with connection.on(jacquard.Battery, keep), ThreadPoolExecutor() as pool:
            search = pool.submit(manager.find, serial="ZZZZ", timeout=1)
            assert entered.wait(20)
            waits = [pool.submit(call, timeout=0.2) for call in [*calls, light]]
            begun = time.monotonic()
            try:
                assert all(isinstance(wait.exception(5), jacquard.TimeoutError) for wait in waits)
                assert time.monotonic() - begun < 2
            finally:
                leave.set()
            assert isinstance(search.exception(20), jacquard.NotFoundError)
        assert 0 <= tag.battery(timeout=20).percent <= 100
        assert simulator.tell("journal lights") == ""
    assert registry.count() == 0


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
