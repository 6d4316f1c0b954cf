"""jacquardctl beside other programs that use the same tag."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import ctl
import pytest
from jacquardctl import exits, processes
from simulator import SERIAL, Simulator

TEAL = "component 0 pattern 1 duration 2000 intensity 100 frames 0,128,128:2000"


@pytest.fixture
def bound(simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Simulator:
    """A simulator whose tag is bound."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    simulator.tell("disconnect takes 10ms")
    assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
    return simulator


def hosts(simulator: Simulator, **env: str) -> list[tuple[object, object]]:
    """The host of each bound tag: its process and the name of its program."""
    ran = ctl.run(simulator, "list", "--json", env=env)
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    return [(tag["host_process"], tag["host_program"]) for tag in ctl.objects(ran.stdout)]


def name(process: int) -> str:
    return Path(f"/proc/{process}/comm").read_text().strip()


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


# list


def test_the_host_of_a_tag_is_listed(bound: Simulator) -> None:
    wait_for(lambda: hosts(bound) == [(None, None)])
    with ctl.watch(bound) as watch:
        watch.until(event="state", phase="connected")
        process = watch.process.pid
        assert hosts(bound) == [(process, name(process))]
        heading, row = ctl.run(bound, "list").stdout.splitlines()
        assert heading.split()[-2:] == ["HOST", "IDENTIFIER"]
        assert row.split()[-3:-1] == [name(process), f"({process})"]
        # The next host is the guest.
        with ctl.watch(bound) as guest:
            guest.until(event="state", phase="connected")
            assert hosts(bound) == [(process, name(process))]
            watch.process.send_signal(signal.SIGKILL)
            watch.process.wait(20)
            wait_for(lambda: hosts(bound) == [(guest.process.pid, name(guest.process.pid))])
    wait_for(lambda: hosts(bound) == [(None, None)])


def test_listing_hosts_does_not_disturb_them(bound: Simulator) -> None:
    with ctl.watch(bound) as watch:
        watch.until(event="state", phase="connected")
        bound.tell("gear attach levis-trucker")
        watch.until(event="gear")
        before = bound.tell("journal requests")
        for _ in range(3):
            hosts(bound)
        assert bound.tell("journal requests") == before
        bound.tell("gesture cover")
        assert [event["event"] for event in watch.until(event="gesture")] == ["gesture"]


def test_a_program_that_refuses_to_share_is_listed_too(bound: Simulator) -> None:
    program = (
        "import asyncio, jacquard\n"
        "async def main():\n"
        "    async with jacquard.Manager(exclusive=True) as manager:\n"
        "        async with manager.connect((await manager.known())[0]) as connection:\n"
        "            await connection.tag()\n"
        "            print('connected', flush=True)\n"
        "            await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    with ctl.Script(bound, program) as script:
        assert script.line() == "connected"
        assert hosts(bound) == [(script.process.pid, name(script.process.pid))]
        ran = ctl.run(bound, "battery", SERIAL)
        assert ran.returncode == exits.FAILED
        assert f"Another program is using this tag: {name(script.process.pid)}, process {script.process.pid}." in ran.stderr


def test_tags_are_listed_without_a_bus_or_a_runtime_directory(bound: Simulator, tmp_path: Path) -> None:
    with ctl.watch(bound) as watch:
        watch.until(event="state", phase="connected")
        assert hosts(bound, DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={tmp_path}/missing") == [(None, None)]
        assert hosts(bound, XDG_RUNTIME_DIR=f"{tmp_path}/missing") == [(None, None)]


def test_tags_are_listed_while_the_bus_hangs(bound: Simulator, tmp_path: Path) -> None:
    """The socket of a bus that does not reply."""
    import socket

    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"{tmp_path}/silent")
        silent.listen()
        begin = time.monotonic()
        assert hosts(bound, DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={tmp_path}/silent") == [(None, None)]
        assert time.monotonic() - begin < 5


def test_names_of_processes() -> None:
    own = os.getpid()
    assert processes.name(own) == name(own)
    assert processes.described(own) == f"{name(own)} ({own})"
    assert processes.name(2**31 - 1) is None
    assert processes.described(2**31 - 1) == "process 2147483647"


# Beside watch


def test_a_command_of_watch_uses_the_same_tag(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    command = shlex.join([sys.executable, "-m", "jacquardctl", "led", SERIAL, "teal"])
    with ctl.watch(simulator, "--on", "double-tap", command) as watch:
        watch.until(event="gear")
        simulator.tell("gesture double-tap")
        wait_for(lambda: simulator.tell("journal lights") == TEAL)
        simulator.tell("gesture cover")
        assert all(event["event"] == "gesture" for event in watch.until(event="gesture", name="cover"))
        assert simulator.tell("stats").split()[1] == "links=1"


def test_a_guest_is_described_like_a_program_with_a_link(simulator: Simulator) -> None:
    with ctl.watch(simulator) as host, ctl.watch(simulator) as guest:
        (*_, state) = host.until(event="state", phase="connected")
        (*_, other) = guest.until(event="state", phase="connected")
        assert (state["host_process"], other["host_process"]) in ((None, host.process.pid), (guest.process.pid, None))


# disconnect


def test_a_tag_that_is_asked_to_disconnect_stays_away_until_it_is_moved(bound: Simulator) -> None:
    with ctl.watch(bound) as watch:
        watch.until(event="state", phase="connected")
        ran = ctl.run(bound, "disconnect", "--only-on-motion")
        assert (ran.returncode, ran.stdout, ran.stderr) == (exits.OK, "", "")
        watch.until(event="state", phase="preparing")
        before = bound.tell("stats").split()[1]
        bound.tell("move")
        watch.until(event="state", phase="connected")
        assert bound.tell("stats").split()[1] != before
    assert ctl.run(bound, "disconnect", "--all").returncode == exits.OK
    assert bound.tell("journal requests").count("disconnect") == 2
