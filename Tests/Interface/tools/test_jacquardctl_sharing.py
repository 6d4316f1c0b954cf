"""jacquardctl beside other programs that use the same tag."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from pathlib import Path

import ctl
import pytest
from jacquard_apps.system import processes
from jacquard_apps.terminal import exits
from simulator import SERIAL, Simulator
from waiting import until

TEAL = "component 0 pattern 1 duration 2000 intensity 100 frames 0,128,128:2000"


@pytest.fixture
def bound(simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Simulator:
    """A simulator whose tag is bound."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    simulator.tell("disconnect takes 10ms")
    assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
    return simulator


def links(simulator: Simulator, **env: str) -> list[tuple[object, object]]:
    """The process that has the link to each bound tag, and the name of its program."""
    ran = ctl.run(simulator, "list", "--json", env=env)
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    return [(tag["link_process"], tag["link_program"]) for tag in ctl.objects(ran.stdout)]


def service_of(watch: ctl.Running) -> int:
    """The process of the service through which it is connected."""
    (*_, state) = watch.until(event="state", phase="connected")
    assert isinstance(state["service_process"], int)
    return state["service_process"]


def name(process: int) -> str:
    return Path(f"/proc/{process}/comm").read_text().strip()


# list


def test_the_process_with_the_link_is_listed(bound: Simulator) -> None:
    with ctl.watch(bound) as watch:
        service = service_of(watch)
        assert links(bound) == [(service, "jacquardd")]
        heading, row = ctl.run(bound, "list").stdout.splitlines()
        assert heading.split()[-2:] == ["LINK", "IDENTIFIER"]
        assert row.split()[-3:-1] == ["jacquardd", f"({service})"]
        watch.process.send_signal(signal.SIGKILL)
        watch.process.wait(20)
    # The link stays for a while, but not after a command to drop it.
    assert links(bound) == [(service, "jacquardd")]
    assert ctl.run(bound, "disconnect").returncode == exits.OK
    until(lambda: links(bound) == [(None, None)])


def test_listing_links_does_not_disturb_them(bound: Simulator) -> None:
    with ctl.watch(bound) as watch:
        watch.until(event="state", phase="connected")
        bound.tell("gear attach levis-trucker")
        watch.until(event="gear")
        before = bound.tell("journal requests")
        for _ in range(3):
            links(bound)
        assert bound.tell("journal requests") == before
        bound.tell("gesture cover")
        assert [event["event"] for event in watch.until(event="gesture")] == ["gesture"]


EXCLUSIVE = """
import asyncio, jacquard
async def main():
    async with jacquard.Manager(exclusive=True) as manager:
        async with manager.connect((await manager.known())[0]) as connection:
            await connection.tag()
            print('connected', flush=True)
            await asyncio.Event().wait()
asyncio.run(main())
"""


def test_a_program_that_refuses_to_share_is_listed_too(bound: Simulator) -> None:
    with ctl.Script(bound, EXCLUSIVE) as script:
        # The service drops the link that it has kept since the tag was bound.
        assert script.line() == "connected"
        assert links(bound) == [(script.process.pid, name(script.process.pid))]
        ran = ctl.run(bound, "battery", SERIAL)
        assert ran.returncode == exits.FAILED
        assert f"Another program is using this tag: {name(script.process.pid)}, process {script.process.pid}." in ran.stderr


def test_tags_are_listed_without_a_bus_or_a_runtime_directory(bound: Simulator, tmp_path: Path) -> None:
    with ctl.watch(bound) as watch:
        service = service_of(watch)
        assert links(bound, DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={tmp_path}/missing") == [(service, "jacquardd")]
        assert links(bound, XDG_RUNTIME_DIR=f"{tmp_path}/missing") == [(None, None)]


def test_tags_are_listed_while_the_bus_hangs(bound: Simulator, tmp_path: Path) -> None:
    """The socket of a bus that does not reply."""
    import socket

    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(f"{tmp_path}/silent")
        silent.listen()
        assert len(links(bound, DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={tmp_path}/silent")) == 1


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
        until(lambda: simulator.tell("journal lights") == TEAL)
        simulator.tell("gesture cover")
        assert all(event["event"] == "gesture" for event in watch.until(event="gesture", name="cover"))
        assert simulator.tell("stats").split()[1] == "links=1"


def test_two_programs_describe_a_tag_alike(simulator: Simulator) -> None:
    with ctl.watch(simulator) as first, ctl.watch(simulator) as second:
        assert service_of(first) == service_of(second)
    assert simulator.tell("stats").split()[1] == "links=1"


def test_a_command_uses_the_link_of_the_previous_one(simulator: Simulator) -> None:
    for words in (["battery"], ["info"], ["led", "teal"]):
        assert ctl.run(simulator, words[0], SERIAL, *words[1:]).returncode == exits.OK
    assert simulator.tell("stats").split()[1] == "links=1"


# Without a service


def test_a_second_program_is_refused_without_a_service() -> None:
    with Simulator("--no-service") as simulator, ctl.watch(simulator) as watch:
        (*_, state) = watch.until(event="state", phase="connected")
        assert state["service_process"] is None
        ran = ctl.run(simulator, "battery", SERIAL)
        assert (ran.returncode, ran.stdout) == (exits.FAILED, "")
        assert f"Another program is using this tag: {name(watch.process.pid)}, process {watch.process.pid}." in ran.stderr
        assert "systemctl --user start jacquardd.socket" in ran.stderr


def test_a_command_without_a_service_drops_the_link() -> None:
    with Simulator("--no-service") as simulator:
        for count in (1, 2):
            assert ctl.run(simulator, "battery", SERIAL).returncode == exits.OK
            assert simulator.tell("stats").split()[1] == f"links={count}"


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
