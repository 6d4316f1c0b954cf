"""Notifications on the desktop, as its notification server gets them."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import LINK, OTHER, rule
from desk import bus_fixture  # noqa: F401
from jacquard import Battery
from jacquard_automations.action import Resources
from jacquard_automations.complaints import Complaints
from jacquard_automations.events.gesture import GestureTrigger
from jacquard_automations.occasion import Link
from jacquard_automations.outcomes import Outcome
from jacquard_automations.reasons import Reason
from jacquard_automations.settings import Settings
from jacquard_automations.status.notices import Notices
from simulator import Simulator
from test_automations_run import (
    Program,
    rules_fixture,  # noqa: F401
)
from waiting import until_async

# Prints the text of each notification.
SERVER = """
import asyncio
from dbus_fast import Message, MessageType
from dbus_fast.aio.message_bus import MessageBus

async def main():
    bus = await MessageBus().connect()
    def answer(message):
        if message.message_type is MessageType.METHOD_CALL and message.member == "Notify":
            print(message.body[4], flush=True)
            return Message.new_method_return(message, "u", [1])
    bus.add_message_handler(answer)
    await bus.request_name("org.freedesktop.Notifications")
    print("ready", flush=True)
    await bus.wait_for_disconnect()

asyncio.run(main())
"""


class Server:
    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
        assert self.line() == "ready"

    def line(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().rstrip("\n")

    def close(self) -> list[str]:
        """The notifications that have not been read."""
        if self.process.returncode is not None:
            return []
        self.process.kill()
        return self.process.communicate()[0].splitlines()


@pytest.fixture(name="server")
def server_fixture(bus: str) -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


FAILING = "name = 'a'\ngesture = 'any'\ndo = { shell = 'exit 3' }"


def test_a_low_battery_and_a_rule_that_fails_are_reported_once(tag: Simulator, rules: Path, server: Server) -> None:
    with Program(tag, rules, f"{FAILING}\n[settings]\nnotify = true") as program:
        for gesture in ("cover", "brush-in"):
            tag.tell(f"gesture {gesture}")
            program.until(rule="a", gesture=gesture)
        assert server.line() == 'a: shell = "exit 3": ended with status 3'
        for percent in (16, 15, 14, 60, 9):
            tag.tell(f"battery {percent} discharging")
        assert server.line() == "The battery of 0000AAAAA001ZK is at 15%"
        assert server.line() == "The battery of 0000AAAAA001ZK is at 9%"
        assert program.end() == 128 + signal.SIGTERM
    assert server.close() == []


def test_there_are_none_by_default(tag: Simulator, rules: Path, server: Server) -> None:
    with Program(tag, rules, FAILING) as program:
        tag.tell("gesture cover")
        program.until(rule="a")
        assert program.complaint().endswith("ended with status 3\n")
        tag.tell("battery 9 discharging")
        tag.tell("gesture brush-in")
        program.until(rule="a", gesture="brush-in")
        program.end()
    assert server.close() == []


def test_a_tag_that_stays_away_and_a_rule_that_works_again(server: Server) -> None:
    async def test() -> None:
        complaints: list[str] = []
        resources = Resources(Settings(notify=True), lambda kind, problem: None)
        notices = Notices(resources, Complaints(complaints.append), away=0.3)
        notices.link_changed(LINK.identity, "away")
        notices.link_changed(LINK.identity, "connected")
        # The first absence would be reported before that of the other tag, which began later.
        notices.link_changed(OTHER.identity, "away")
        assert await asyncio.to_thread(server.line) == "T001 has not been connected for 0.005 minutes"
        notices.link_changed(LINK.identity, "away")
        assert await asyncio.to_thread(server.line) == "0000AAAAA001ZK has not been connected for 0.005 minutes"
        failing = rule(GestureTrigger("cover"))[0]
        for reason in (Reason.NO_PLAYER, Reason.FAILED, Reason.HOURS, Reason.RAN, Reason.FAILED):
            notices.noted(failing, Outcome(reason, reason.value, "cover", "tag", 0))
        # A command that has begun, and fails later like the one before.
        notices.noted(failing, Outcome(Reason.RUNNING, "", "cover", "tag", 0))
        notices.noted(failing, Outcome(Reason.FAILED, "failed again", "cover", "tag", 0))
        notices.battery_changed(Link(LINK.identity, battery=Battery(10, True)))
        # They come in order, so the last one comes after everything before it.
        notices.battery_changed(Link(OTHER.identity, battery=Battery(9, False)))
        texts = [await asyncio.to_thread(server.line) for _ in range(3)]
        assert [text.rpartition(": ")[2] for text in texts] == ["no-player", "failed", "The battery of T001 is at 9%"]
        await notices.close()
        await resources.close()
        assert complaints == []

    asyncio.run(test())
    assert server.close() == []


def test_a_desktop_without_notifications(bus: str) -> None:
    async def test() -> None:
        complaints: list[str] = []
        resources = Resources(Settings(notify=True), lambda kind, problem: None)
        notices = Notices(resources, Complaints(complaints.append))
        for _ in range(2):
            notices.battery_changed(Link(LINK.identity, battery=Battery(10, False)))
            notices.battery_changed(Link(LINK.identity, battery=Battery(90, False)))
        await until_async(lambda: not notices._tasks)
        await notices.close()
        await resources.close()
        assert len(complaints) == 1 and complaints[0].startswith("no notification can be shown: ")

    asyncio.run(test())
