"""Several programs, one tag: real processes on the simulator's bus."""

import signal
import sys
import time

import pytest
from sharing_fixtures import program, simulator, start  # noqa: F401 (first: it finds the others)

import ctl
from members import Gestures, switches
from simulator import SERIAL

IN_USE = -53
INITIALIZING = 4


@pytest.fixture
def pair(start):
    """A host and its guest."""
    host = start()
    host.connected()
    guest = start()
    guest.connected()
    assert host.is_host and not guest.is_host
    return host, guest


# Roles


def test_the_first_program_is_the_host_and_later_ones_are_its_guests(start):
    host = start()
    host.connected()
    guests = [start(), start()]
    for guest in guests:
        guest.connected()
        state = [report for report in guest.reports if report.is_connected][-1]
        assert state.values[1] == host.process.pid
    assert host.is_host


def test_programs_that_start_together_agree_on_one_host(start):
    members = [start() for _ in range(8)]
    for member in members:
        member.connected()
    assert sum(member.is_host for member in members) == 1


def test_an_exclusive_program_refuses_others(start):
    start("exclusive").connected()
    refused = start()
    refused.wait_for(lambda reports: any(report.values[-1] == IN_USE for report in reports))


def test_an_exclusive_program_does_not_become_a_guest(start):
    start().connected()
    refused = start("exclusive")
    refused.wait_for(lambda reports: any(report.values[-1] == IN_USE for report in reports))


# The ends of programs


def test_a_host_that_ends_leaves_the_link_to_a_guest(simulator, pair):
    host, guest = pair
    # While the guest reads the information of the gear, a packet may be incomplete.
    time.sleep(0.5)
    host.end()
    guest.wait_for(lambda _: guest.is_host)
    assert simulator.tell("stats").split()[1] == "links=1"


def test_a_guest_that_ends_does_not_end_the_link(simulator, pair):
    host, guest = pair
    guest.end()
    assert host.is_connected
    assert simulator.tell("stats").split()[1] == "links=1"


@pytest.mark.parametrize("moment", ["search", "set-up"])
def test_a_host_is_stopped_before_the_tag_is_connected(simulator, start, moment):
    """Its guests only wait."""
    simulator.tell("out-of-range")
    host = start()
    host.wait_for(lambda _: host.state)
    guests = [start(), start()]
    for guest in guests:
        guest.wait_for(lambda _, guest=guest: guest.state and guest.state.values[1] == host.process.pid)
    if moment == "search":
        stopped = host.signal(signal.SIGSTOP)
        simulator.tell("in-range")
    else:
        simulator.tell("latency 300ms")
        simulator.tell("in-range")
        host.wait_for(lambda _: host.state.values[0] == INITIALIZING)
        stopped = host.signal(signal.SIGSTOP)
        simulator.tell("latency 0ms")
    delays = [guest.connected(since=stopped) - stopped for guest in guests]
    print(f"seconds until guests were connected: {delays}")
    assert sum(guest.is_host for guest in guests) == 1
    host.signal(signal.SIGCONT)
    host.wait_for(lambda _: host.is_connected and not host.is_host)
    for guest in guests:
        guest.wait_for(lambda _, guest=guest: guest.is_connected)
    before = simulator.tell("stats").split()[1]
    with Gestures(simulator, 60):
        time.sleep(1)
    assert simulator.tell("stats").split()[1] == before
    for member in (host, *guests):
        member.check_gestures()
        assert sum(report.kind == "gesture" for report in member.reports) > 30


# Many programs


def test_twenty_guests_receive_everything(simulator, start):
    members = [start() for _ in range(21)]
    for member in members:
        member.connected()
    time.sleep(1)
    with Gestures(simulator, 60) as gestures:
        time.sleep(10)
    time.sleep(0.5)
    counts = [sum(report.kind == "gesture" for report in member.reports) for member in members]
    assert counts == [gestures.sent] * 21
    assert gestures.sent > 500
    for member in members:
        member.check_gestures()


def test_a_guest_that_does_not_read_harms_no_one(simulator, start, pair):
    host, guest = pair
    deaf = start()
    deaf.connected()
    busy = start("lights")
    busy.connected()
    time.sleep(0.5)
    before = len(busy.lights)
    deaf.signal(signal.SIGSTOP)
    with Gestures(simulator, 500) as gestures:
        time.sleep(8)
    time.sleep(0.5)
    for member in (host, guest, busy):
        assert sum(report.kind == "gesture" for report in member.reports) == gestures.sent
        member.check_gestures()
    assert len(busy.lights) - before > 200
    assert not [code for code in busy.lights.values() if code]
    deaf.signal(signal.SIGCONT)
    time.sleep(0.5)
    assert deaf.is_connected


def test_idle_programs_do_not_wake_up(pair):
    time.sleep(3)
    before = [switches(member.process.pid) for member in pair]
    time.sleep(10)
    assert [switches(member.process.pid) for member in pair] == before


# Programs that people use


def test_a_command_runs_beside_the_program_that_runs_it(simulator):
    """The command of issue 18."""
    command = f"{sys.executable} -m jacquardctl led {SERIAL} teal"
    with ctl.watch(simulator, "--on", "double-tap", command) as watching:
        watching.until(event="state", phase="connected")
        watching.until(event="gear")
        simulator.tell("gesture double-tap")
        deadline = time.monotonic() + 20
        while not simulator.tell("journal lights") and time.monotonic() < deadline:
            time.sleep(0.05)
        assert "frames 0,128,128" in simulator.tell("journal lights")
        # The link was not dropped.
        assert "links=1" in simulator.tell("stats")
