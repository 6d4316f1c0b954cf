"""Actions that press keys and turn wheels."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from desk import (
    LONGEST,
    TAG,
    FakeDevice,
    desk,
    devices_fixture,  # noqa: F401
)
from jacquard_apps.terminal import exits
from jacquard_automations.action import ActionError
from jacquard_automations.actions import keys
from jacquardctl.running import status_of
from test_automations_music import relative
from waiting import until_async

CTRL, M, SPACE = 29, 50, 57


def test_keys_and_scrolling(devices: list[FakeDevice]) -> None:
    async def test() -> None:
        async with desk('key = "ctrl+m"', "scroll = -2") as one:
            keyboard, wheel = devices
            assert (keyboard.name, keyboard.codes) == ("Jacquard keys", {1: [CTRL, M]})
            await one.act(0)
            await one.act(1)
            assert keyboard.written == [(1, CTRL, 1), (1, M, 1), (0, 0, 0), (1, M, 0), (1, CTRL, 0), (0, 0, 0)]
            assert wheel.written == [(2, 8, -1), (0, 0, 0)] * 2
        assert not keyboard.is_open and not wheel.is_open

    asyncio.run(test())


@pytest.mark.parametrize("change, turned", [(3, [1, 1, 1]), (-2, [-1, -1]), (1000, [1] * 20)])
def test_a_wheel_follows_the_fader(devices: list[FakeDevice], change: int, turned: list[int]) -> None:
    async def test() -> None:
        async with desk('scroll = "fader"') as one:
            await one.act(0, **relative(change))
            assert [value for kind, _, value in devices[0].written if kind] == turned

    asyncio.run(test())


def test_a_device_exists_only_if_a_rule_needs_it(devices: list[FakeDevice]) -> None:
    async def test() -> None:
        async with desk('run = ["true"]') as one:
            assert devices == []
            await one.prepare('key = "space"')
            await one.prepare('key = "space"', 'run = ["true"]')
            await one.prepare('key = "m"')
            assert [device.is_open for device in devices] == [False, True]
            await one.prepare('run = ["true"]')
            assert [device.is_open for device in devices] == [False, False]

    asyncio.run(test())


@pytest.mark.parametrize("end", ["time", "link", "rule", "program", "other tag"])
def test_nothing_stays_pressed(devices: list[FakeDevice], end: str) -> None:
    async def test() -> None:
        hold = 0.05 if end == "time" else 10
        async with desk(f'key = "space", hold = {hold}', 'key = "m"') as one:
            (keyboard,) = devices
            await one.act(0)
            assert keyboard.written == [(1, SPACE, 1), (0, 0, 0)]
            if end == "link":
                one.resources.link_lost(TAG.identifier)
            elif end == "rule":
                await one.prepare('key = "m"')
            elif end == "other tag":
                one.resources.link_lost("another")
                assert keyboard.written[-1] == (0, 0, 0) and len(keyboard.written) == 2
            if end == "time":
                await until_async(lambda: len(keyboard.written) >= 4)
            if end not in ("program", "other tag"):
                assert keyboard.written[2:] == [(1, SPACE, 0), (0, 0, 0)]
        assert keyboard.written[2:] == [(1, SPACE, 0), (0, 0, 0)] and not keyboard.is_open

    asyncio.run(asyncio.wait_for(test(), LONGEST))


@pytest.mark.parametrize("text", ['key = "space"', 'key = "space", hold = 10', "scroll = 1"])
def test_a_device_that_was_removed_is_made_again(devices: list[FakeDevice], text: str) -> None:
    async def test() -> None:
        async with desk(text) as one:
            await one.act()
            devices[0].is_removed = True
            if "hold" in text:
                # The release of the key finds that the device was removed.
                one.resources.link_lost(TAG.identifier)
            else:
                message = f"{devices[0].name} cannot be used: No such device. It is created again for the next event"
                with pytest.raises(ActionError, match=message):
                    await one.act()
            await one.act()
            assert not devices[0].is_open and len(devices) == 2 and devices[1].written

    asyncio.run(asyncio.wait_for(test(), LONGEST))


TWO_COMMANDS = (
    "Run: echo 'SUBSYSTEM==\"misc\", KERNEL==\"uinput\", TAG+=\"uaccess\", OPTIONS+=\"static_node=uinput\"' | "
    "sudo tee /etc/udev/rules.d/60-uinput.rules, and: "
    "sudo sh -c 'udevadm control --reload; modprobe uinput; udevadm trigger /dev/uinput'"
)


class Uinput:
    """A node that does not exist, or that this user may not open, and what udev says about it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.node, self.rule, self._tags = folder / "uinput", folder / "rule", folder / "tags"
        self._monkeypatch = monkeypatch
        self.tags("")
        (folder / "udevadm").write_text(f'#!/bin/sh\n[ "$*" = "info --query=property {self.node}" ] && cat {self._tags}\n')
        (folder / "udevadm").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        monkeypatch.setattr(keys, "NODE", str(self.node))
        monkeypatch.setattr(keys, "INSTALLED_RULE", self.rule)

    def tags(self, current: str) -> None:
        # A device keeps the tags that it has had as TAGS.
        self._tags.write_text(f"DEVNAME=/dev/uinput\nTAGS=:seat:uaccess:\n{current}")

    def refuse(self) -> None:
        real = os.open

        def opened(path: Any, *words: Any, **options: Any) -> int:
            if path == str(self.node):
                raise PermissionError(13, "Permission denied")
            return real(path, *words, **options)

        self._monkeypatch.setattr(os, "open", opened)

    def is_of_a_package(self) -> None:
        self._monkeypatch.setattr(keys, "PACKAGES", Path(keys.__file__).parent)


@pytest.fixture
def uinput(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Uinput:
    pytest.importorskip("evdev", reason="python3-evdev is not installed")
    return Uinput(tmp_path, monkeypatch)


def test_a_uinput_that_cannot_be_opened_says_what_to_do(uinput: Uinput) -> None:
    begin = f"{uinput.node} cannot be opened: "

    async def test() -> None:
        async with desk('key = "space"', "scroll = 1") as one:

            async def expect(text: str) -> None:
                for number in (0, 1):
                    with pytest.raises(ActionError) as found:
                        await one.act(number)
                    assert str(found.value) == begin + text and one.actions[number].obstacle() == begin + text

            missing, refused = "No such file or directory. ", "Permission denied. "
            assert one.problems == [begin + missing + TWO_COMMANDS] * 2
            await expect(missing + TWO_COMMANDS)
            uinput.is_of_a_package()
            await expect(missing + "Run: sudo apt install ./jacquard-uinput_*.deb")
            uinput.rule.touch()
            await expect(missing + "The kernel's module uinput is not loaded. Run: sudo modprobe uinput")
            uinput.refuse()
            await expect(refused + "Run: sudo apt install ./jacquard-uinput_*.deb")
            uinput.tags("CURRENT_TAGS=:seat:\n")
            await expect(refused + "Run: sudo apt install ./jacquard-uinput_*.deb")

    asyncio.run(test())


def test_the_package_does_not_help_a_user_who_is_not_at_the_screen(uinput: Uinput) -> None:
    uinput.refuse()
    uinput.is_of_a_package()
    uinput.tags("CURRENT_TAGS=:seat:uaccess:\n")

    async def test() -> None:
        async with desk('key = "space"') as one:
            (problem,) = one.problems
            assert problem.endswith("in at the screen can press keys, not over ssh or without a session: log in there")
            assert "install" not in problem

    asyncio.run(test())


def test_check_says_what_keys_need(uinput: Uinput, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file is valid: its other rules run."""
    path = tmp_path / "file"
    path.write_text("".join(f'[[on]]\ngesture = {number}\ndo = {{ key = "space" }}\n' for number in (1, 2)))
    for tags in ("", "CURRENT_TAGS=:uaccess:\n"):
        uinput.refuse()
        uinput.tags(tags)
        assert status_of(["run", "--check", str(path)]) == exits.OK
        shown, complaint = capsys.readouterr()
        advice = keys.LOG_IN if tags else TWO_COMMANDS
        assert shown == f"{path}: valid, 2 rules\n"
        first, unbound = complaint.splitlines()
        assert first == f'jacquardctl: {path}:1: key = "space": {uinput.node} cannot be opened: Permission denied. {advice}'
        assert "no tag is bound" in unbound
