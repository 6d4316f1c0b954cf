"""Commands of jacquardctl for several tags at the same time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import ctl
import pytest
from jacquard_apps.terminal import exits
from simulator import SERIAL, Simulator

# Serial numbers. That of the first tag is the longer one, which is known when the tag is bound.
FIRST = "0000AAAAA001ZK"
SECOND, THIRD = "T001", "T002"


@pytest.fixture
def tags(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Simulator]:
    """Three tags in range; the first two are bound."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with Simulator("--tags", "3") as running:
        running.tell("disconnect takes 10ms")
        for serial in (SERIAL, SECOND):
            assert ctl.run(running, "bind", serial).returncode == exits.OK
        yield running


def counts(tags: Simulator, kind: str) -> list[int]:
    """How many of these each of the tags has received."""
    return [int(count) for count in re.findall(f" {kind}=([0-9]+)", tags.tell("stats"))]


def test_watch_names_the_tag_on_each_line(tags: Simulator) -> None:
    tags.tell("gear attach levis-trucker")
    tags.tell("after ready 500ms gesture brush-in")
    # The service has kept the links since the tags were bound.
    assert ctl.run(tags, "disconnect", "--all").returncode == exits.OK
    command = "echo $JACQUARD_SERIAL $JACQUARD_GESTURE"
    ran = ctl.run(tags, "watch", SERIAL, THIRD, "--for", "4", "--on", "any", command, "--led", "teal --gear")
    assert ran.returncode == exits.OK
    said = [line.split(" ", 1)[1].split() for line in ran.stdout.splitlines()]
    for name in (FIRST, THIRD):
        assert [name, "connected", "14/14"] in said and [name, "gesture", "brush-in"] in said
        assert f"{name} brush-in" in ran.stderr.splitlines()
        assert f"\njacquardctl: {name}: ‘--led teal --gear’: " in f"\n{ran.stderr}"
    assert {name for name, *_ in said} == {FIRST, THIRD}


def test_watch_all_bound_tags_as_json(tags: Simulator) -> None:
    ran = ctl.run(tags, "watch", "--all", "--for", "4", "--json")
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    states = [event for event in ctl.objects(ran.stdout) if event["event"] == "state"]
    assert {state["serial"][-4:] for state in states if state["phase"] == "connected"} == {SERIAL, SECOND}


def test_light_and_vibration_on_all_bound_tags(tags: Simulator) -> None:
    tags.tell("gear attach saint-laurent-backpack")
    for words in (["led", "--all", "teal"], ["haptic", "--all", "insert"]):
        ran = ctl.run(tags, *words)
        assert (ran.returncode, ran.stdout, ran.stderr) == (exits.OK, "", "")
    assert ctl.run(tags, "led", "red", "blue", "--all").returncode == exits.OK
    assert (counts(tags, "lights"), counts(tags, "haptics")) == ([2, 2, 0], [1, 1, 0])


def test_the_failure_of_one_tag_does_not_affect_others(tags: Simulator) -> None:
    tags.tell("tag 1 out-of-range")
    ran = ctl.run(tags, "led", "--all", "teal", "--timeout", "4")
    assert (ran.returncode, ran.stdout) == (exits.FAILED, "")
    assert ran.stderr.startswith(f"jacquardctl: {FIRST}: The tag could not be connected in time.")
    assert counts(tags, "lights") == [0, 1, 0]
    ran = ctl.run(tags, "led", "--all", "teal", "--timeout", "4", "--json")
    (failure,) = ctl.objects(ran.stderr)
    assert (failure["tag"], failure["error"]["code"]) == (FIRST, "timeout")


def test_all_tags_when_none_is_bound(simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    ran = ctl.run(simulator, "led", "--all", "teal")
    assert (ran.returncode, ran.stderr) == (exits.USAGE, "jacquardctl: No tag is bound to this machine: see jacquardctl bind.\n")
