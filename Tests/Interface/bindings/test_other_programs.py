"""One process after another uses a tag, while other programs are subscribed."""

from __future__ import annotations

import subprocess
import sys

import ctl
import jacquard
from jacquard.blocking import Manager
from simulator import SERIAL, Simulator

# A separate process that connects, reports the gear, and prints the numbers of five gestures.
LISTENER = f"""
import sys
import jacquard
from jacquard.blocking import Manager

with Manager(bus_address=sys.argv[1]) as manager, manager.connect(serial={SERIAL!r}) as connection:
    with connection.events(jacquard.Gesture, jacquard.Gear) as events:
        tag = connection.tag()
        while getattr(events.next(timeout=20), "component", None) is None:
            pass
        print("ready", flush=True)
        for _ in range(5):
            print(int(events.next(timeout=20).type), flush=True)
    tag.battery()
    counters = connection.counters
    print(counters.dropped_responses, counters.dropped_fragments, counters.doubtful_values, flush=True)
"""
GESTURES = ["1", "1", "2", "2", "3"]


def listener(simulator: Simulator) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", LISTENER, simulator.bus_address],
        env=ctl.environment(simulator.bus_address),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def listened(simulator: Simulator) -> list[str]:
    """The gestures that a second process receives when the tag sends five, and the number of copies that it dropped."""
    process = listener(simulator)
    for number in GESTURES:
        simulator.tell(f"gesture {number}")
    heard, _ = process.communicate(timeout=ctl.LONGEST)
    assert process.returncode == 0
    return heard.split()


def use_and_leave(manager: Manager) -> None:
    """Returns when the link is down."""
    with manager.connect(serial=SERIAL) as connection:
        assert connection.tag().battery()
        connection.disconnect()
        assert [state.phase for state in connection.states()][-1] is jacquard.Phase.DISCONNECTED


def test_a_second_process_receives_each_gesture_once_while_the_first_continues(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    with Manager(bus_address=simulator.bus_address) as manager:
        use_and_leave(manager)
        assert listened(simulator) == [*GESTURES, "0", "0", "0"]
        use_and_leave(manager)


def test_a_killed_process_does_not_affect_the_next(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    process = listener(simulator)
    process.kill()
    process.communicate()
    # The link is older than the second process, whose messages from bluetoothd make the first equal values doubtful.
    assert listened(simulator)[:-1] == [*GESTURES, "0", "0"]


def test_an_earlier_foreign_subscriber_has_no_effect(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    with Manager(bus_address=simulator.bus_address) as manager:
        use_and_leave(manager)
    simulator.tell("foreign subscribe")
    # Equal values that arrive together, before any other, are delivered and count as doubtful.
    assert listened(simulator)[:-1] == [*GESTURES, "0", "0"]


def test_a_scan_continues_during_another_programs_scan(simulator: Simulator) -> None:
    simulator.tell("foreign scan rssi 0")
    with Manager(bus_address=simulator.bus_address) as manager:
        assert manager.find(serial=SERIAL, timeout=20).serial == SERIAL
        simulator.tell("foreign scan stop")
        assert isinstance(manager.find(serial=SERIAL, timeout=20), jacquard.Advertisement)


def test_copies_are_marked_after_a_foreign_program_has_subscribed(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    with Manager(bus_address=simulator.bus_address) as manager, manager.connect(serial=SERIAL) as connection:
        with connection.events(jacquard.Gesture, jacquard.Gear) as events:
            while getattr(events.next(timeout=20), "component", None) is None:
                pass
            simulator.tell("foreign subscribe")
            heard: list[jacquard.Gesture] = []
            while not any(gesture.may_be_copy for gesture in heard):
                simulator.tell("gesture cover")
                simulator.tell("gesture brush-in")
                for event in iter(lambda: events.next(timeout=20), None):
                    assert isinstance(event, jacquard.Gesture)
                    heard.append(event)
                    if event.name == "brush-in":
                        break
    certain = [gesture.name for gesture in heard if not gesture.may_be_copy]
    assert certain == (["cover", "brush-in"] * len(heard))[: len(certain)]
    assert len(heard) > len(certain)
