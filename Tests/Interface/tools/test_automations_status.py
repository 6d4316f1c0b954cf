"""jacquardctl status: each reason for which a rule does not run, by making it happen."""

from __future__ import annotations

import asyncio
import datetime
import json
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ctl
import pytest
from bench import BRUSH_IN, COPY, COVER, Bench, Later, rule
from desk import bus_fixture  # noqa: F401
from jacquard_apps.terminal import exits
from jacquard_automations import file
from jacquard_automations.action import Run
from jacquard_automations.actions import keys
from jacquard_automations.events.gesture import GestureTrigger
from jacquard_automations.outcomes import Outcome
from jacquard_automations.reasons import Reason
from jacquard_automations.status import place, standing
from simulator import SERIAL, Simulator
from test_automations_run import (
    Program,
    rules_fixture,  # noqa: F401
    write,
)
from waiting import until

Rules = dict[str, dict[str, Any]]


def asked(tag: Simulator, path: Path, **changes: str) -> dict[str, Any]:
    ran = ctl.run(tag, "status", str(path), "--json", env=changes)
    status: dict[str, Any] = json.loads(ran.stdout)
    assert ran.returncode == (exits.FAILED if status["process"] is None else exits.OK), ran.stderr
    return status


def by_name(status: dict[str, Any]) -> Rules:
    return {rule["name"]: rule for rule in status["rules"]}


def last(rules: Rules, name: str) -> str | None:
    outcome = rules[name]["last"]
    return outcome and str(outcome["reason"])


def reasons(about: dict[str, Any]) -> list[str]:
    return [obstacle["reason"] for obstacle in about["obstacles"]]


def a_rule(name: str, text: str = "", do: str = "run = ['true']", event: str = "gesture = 'brush-in'") -> str:
    return f"name = '{name}'\n{event}\n{text}\ndo = {{ {do} }}"


def test_each_reason_at_one_gesture(tag: Simulator, rules: Path, bus: str) -> None:
    later = datetime.datetime.now() + datetime.timedelta(hours=2)
    named = [
        a_rule("ran"),
        a_rule("hours", f"between = ['{later:%H:%M}', '{later + datetime.timedelta(hours=1):%H:%M}']"),
        a_rule("locked", "locked = true"),
        a_rule("other-tag", "tag = 'T001'"),
        a_rule("made-once", "twice = 1"),
        a_rule("no-player", do="media = 'next'"),
        a_rule("failed", do="shell = 'exit 3'"),
        a_rule("too-many", "rate = 1", event="gesture = 'any'"),
        a_rule("None", event="gesture = 'double-tap'"),
        a_rule("switched-off", "enabled = false"),
    ]
    with Program(tag, rules, *named) as program:
        tag.tell("gesture brush-in")
        tag.tell("gesture cover")
        until(lambda: by_name(asked(tag, rules))["too-many"]["not_run"] and last(by_name(asked(tag, rules)), "failed") == "failed")
        found = by_name(asked(tag, rules))
        texts = {name: rule["last"]["text"] for name, rule in found.items() if rule["last"]}
        del found[""]
        assert {name: last(found, name) for name in found} == {name: None if name in ("None", "switched-off") else name for name in found}
        assert texts["hours"].startswith("at ") and texts["hours"].endswith(f"but the rule is for {later:%H:%M} to " + texts["hours"][-5:])
        assert texts["locked"] == "the screen was not locked" and texts["other-tag"] == "the rule is for T001"
        assert texts["no-player"] == 'media = "next": no media player is running'
        assert texts["failed"] == 'shell = "exit 3": ended with status 3'
        assert texts["too-many"] == "more than 1 times in one second"
        assert reasons(found["switched-off"]) == ["switched-off"]
        assert reasons(found["other-tag"]) == ["unbound"] and reasons(found["ran"]) == []
        assert (found["too-many"]["ran"], found["too-many"]["not_run"]) == (1, 1)
        shown = ctl.run(tag, "status", str(rules)).stdout
        assert f"jacquardctl run ({program.process.pid}): {rules}\n" in shown
        assert "0000AAAAA001ZK: connected since " in shown and "Levi's Trucker Jacket, battery 80%\n" in shown
        assert "0000AAAAA001ZK brush-in: not run: the screen was not locked\n" in shown
        assert "    cannot run: no tag T001 is bound to this machine: see jacquardctl bind\n" in shown


def test_a_gesture_that_was_made_once_or_too_long_ago(tag: Simulator, rules: Path) -> None:
    with Program(tag, rules, a_rule("once", "twice = 1"), a_rule("old", event="gesture = 'cover'")) as program:
        tag.tell("gesture brush-in")
        until(lambda: last(by_name(asked(tag, rules)), "once") == "made-once")
        with program.absent(2):
            tag.tell("gesture cover")
            statuses = ctl.objects(ctl.run(tag, "status", "--json").stdout)
            assert {"process": program.process.pid, "silent": True} in statuses
        until(lambda: last(by_name(asked(tag, rules)), "old") == "too-old")


def test_a_rule_whose_last_run_takes_long(tag: Simulator, rules: Path) -> None:
    slow = a_rule("busy", do="shell = 'sleep 3'") + "\n[settings]\nparallel = 1"
    with Program(tag, rules, slow) as program:
        tag.tell("gesture brush-in")
        program.until(rule="busy")
        tag.tell("gesture brush-in")
        until(lambda: last(by_name(asked(tag, rules)), "busy") == "busy")


def test_what_a_rule_lacks_before_any_event(tag: Simulator, rules: Path) -> None:
    named = [
        a_rule("missing", do="run = ['/nonexistent/program']"),
        a_rule("untaught", event="trained = 'zigzag'"),
        a_rule("unreachable", do="media = 'next'"),
        a_rule("other-rule", event="gesture = 'brush-up'"),
    ]
    with Program(tag, rules, *named, env={"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent/bus"}):
        found = by_name(asked(tag, rules))
        assert {name: reasons(found[name]) for name in ("missing", "untaught", "unreachable", "other-rule")} == {
            "missing": ["missing"],
            "untaught": ["missing"],
            "unreachable": ["unreachable"],
            "other-rule": ["other-rule"],
        }
        assert "is in touch mode, and reports no such gesture" in found["other-rule"]["obstacles"][0]["text"]


def test_the_state_of_the_link_and_of_the_file(tag: Simulator, rules: Path) -> None:
    def now() -> list[str]:
        status = asked(tag, rules)
        return [*reasons(status), *reasons(by_name(status)["rule"])]

    with Program(tag, rules, a_rule("rule")):
        assert now() == []
        tag.tell("gear detach")
        until(lambda: now() == ["gear"])
        tag.tell("gear attach levis-trucker")
        until(lambda: now() == [])
        with ctl.Running(tag, "touch", SERIAL) as touch:
            until(lambda: now() == ["touch-mode"])
            touch.process.send_signal(signal.SIGTERM)
            touch.process.wait(20)
        until(lambda: now() == [])
        tag.tell("out-of-range")
        until(lambda: now() == ["link"])
        tag.tell("in-range")
        until(lambda: now() == [])
        tag.tell("adapter off")
        until(lambda: now() == ["bluetooth", "link"])
        tag.tell("adapter on")
        until(lambda: now() == [])
        write(rules, "wrong = 1")
        until(lambda: now() == ["invalid-file"])
        (obstacle,) = asked(tag, rules)["obstacles"]
        assert obstacle["text"].startswith(f"{rules}:2: ")
        write(rules, a_rule("rule"))
        until(lambda: now() == [])


def test_nothing_runs_the_rules(simulator: Simulator, rules: Path, tmp_path: Path) -> None:
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    ran = ctl.run(simulator, "status", str(rules), env=state)
    assert ran.returncode == exits.FAILED and "jacquardctl setup" in ran.stderr
    write(rules, a_rule("rule"))
    status = asked(simulator, rules, **state)
    assert (status["process"], reasons(status), reasons(status["rules"][0])) == (None, ["not-running"], ["unbound"])
    write(rules, "wrong = 1")
    ran = ctl.run(simulator, "status", str(rules), env=state)
    assert ran.returncode == exits.USAGE and f"{rules}:2: [[on]] number 1" in ran.stderr


def test_a_run_that_was_killed_is_not_shown(tag: Simulator, rules: Path) -> None:
    with Program(tag, rules, a_rule("rule")) as program:
        program.end(signal.SIGKILL)
        assert reasons(asked(tag, rules)) == ["not-running"]
    with Program(tag, rules, a_rule("rule"), words=("--dry-run",)):
        tag.tell("gesture brush-in")
        until(lambda: last(by_name(asked(tag, rules)), "rule") == "dry-run")
        assert asked(tag, rules)["dry_run"]


def outcome(bench: Bench) -> Outcome:
    (one,) = bench.engine.rules
    found = bench.engine.outcomes.of(one).last
    assert found is not None
    return found


def test_a_copy_and_a_machine_that_was_suspended() -> None:
    async def test() -> None:
        bench = Bench(rule(GestureTrigger("cover"))[0])
        await bench.take(COPY)
        assert outcome(bench).reason is Reason.COPY
        await bench.take(COVER)
        assert outcome(bench).reason is Reason.RAN
        bench.ahead += 100
        await bench.take(BRUSH_IN, COVER)
        assert outcome(bench).reason is Reason.SUSPENDED

    asyncio.run(test())


@pytest.mark.parametrize("problem", [None, "ended with status 3"])
def test_a_command_that_still_runs_has_neither_run_nor_failed(problem: str | None) -> None:
    ends: list[Callable[[str | None], None]] = []

    async def start(run: Run) -> None:
        ends.append(run.ended)

    async def test() -> None:
        one, _ = rule(GestureTrigger("cover"), Later("b", act_as=start), Later("c", act_as=start))
        bench = Bench(one)
        await bench.take(COVER)
        histories = bench.engine.outcomes
        assert outcome(bench).reason is Reason.RUNNING and (histories.of(one).ran, histories.of(one).not_run) == (0, 0)
        ends[0](None)
        assert outcome(bench).reason is Reason.RUNNING and histories.of(one).last_ran is None
        ends[1](problem)
        assert outcome(bench).reason is (Reason.FAILED if problem else Reason.RAN)
        assert (histories.of(one).ran, histories.of(one).not_run) == ((0, 1) if problem else (1, 0))
        assert (histories.of(one).last_ran is None) == bool(problem)

    asyncio.run(test())


def test_a_device_that_this_user_cannot_open(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("evdev", reason="python3-evdev is not installed")
    monkeypatch.setattr(keys, "NODE", str(tmp_path / "uinput"))
    automations = file.parse("[[on]]\ngesture = 1\ndo = { key = 'a' }")
    (obstacle,) = standing.of_machine(automations, automations.rules[0])
    assert obstacle.reason is Reason.NO_ACCESS and obstacle.text.startswith(f"{tmp_path}/uinput cannot be opened")


def test_every_reason_has_a_test() -> None:
    text = Path(__file__).read_text()
    assert [reason for reason in Reason if f'"{reason.value}"' not in text and f"Reason.{reason.name}" not in text] == []


# The socket


def test_the_socket_is_for_this_user_and_may_have_a_long_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder for programs that run, it is beside the file of bound tags."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/nonexistent")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ("x" * 200)))

    async def describe() -> dict[str, Any]:
        return {"process": 1}

    async def test() -> None:
        async with place.published(describe), place.published(describe):
            assert await place.statuses() == [{"process": 1}] * 2
            paths = list((tmp_path / ("x" * 200) / "jacquard").iterdir())
            assert [path.stat().st_mode & 0o777 for path in paths] == [0o600, 0o600]
            # A socket as a program leaves it after kill -9.
            with socket.socket(socket.AF_UNIX) as ended, place.opened(paths[0].parent) as short:
                ended.bind(f"{short}/automations-1-ended")
            assert await place.statuses() == [{"process": 1}] * 2
            assert sorted(paths[0].parent.iterdir()) == sorted(paths)
            # A connection to a file that is not a socket is refused, too.
            for name in ("automations-backup.toml", "automations-2-file"):
                (paths[0].parent / name).write_text("mine")
            assert await place.statuses() == [{"process": 1}] * 2
            for name in ("automations-backup.toml", "automations-2-file"):
                assert (paths[0].parent / name).read_text() == "mine"
                (paths[0].parent / name).unlink()
        assert list(paths[0].parent.iterdir()) == []
        # Rules run also where there can be no socket.
        monkeypatch.setenv("XDG_STATE_HOME", "/proc/nonexistent")
        async with place.published(describe):
            assert await place.statuses() == []

    asyncio.run(test())
