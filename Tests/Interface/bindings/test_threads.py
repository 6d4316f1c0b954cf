"""Several threads use one blocking manager."""

import itertools
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import fingers
import jacquard
import pytest
from jacquard._core import registry
from jacquard.blocking import Manager
from simulator import SERIAL, Simulator
from waiting import until, waiting_calls


def test_another_thread_runs_while_one_waits(simulator: Simulator) -> None:
    """Only the other thread can end the waiting call, so a call that held the lock would never end."""
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        connection.tag()
        with connection.events(jacquard.Battery) as events:
            events.next()
            work = threading.Thread(target=lambda: (sum(range(100_000)), simulator.tell("battery 5 charging")))
            work.start()
            while events.next(timeout=20) != jacquard.Battery(5, charging=True):
                pass
            work.join()


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
    """The thread that polls does so for all, and another one continues when its call ends."""
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
            until(lambda: waiting_calls(manager) == len(waits))
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
    """A callback in another thread keeps the turn."""
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
