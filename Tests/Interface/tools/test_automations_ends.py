"""How the program that runs rules ends, and its unit."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ctl
import pytest
from jacquard_apps.terminal import exits
from simulator import Simulator
from test_automations_run import (
    Program,
    has_ended,
    rules_fixture,  # noqa: F401
    wait_for,
    write,
)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_pending_outlasts_the_program(tag: Simulator, rules: Path, end: signal.Signals) -> None:
    """The service keeps the link between the programs, and a gesture made then does not wait for the next one."""
    timed = [
        "gesture = 'cover'\ntwice = 10\ndo = { run = ['true'] }",
        "gesture = 'any'\nname = 'any'\ndo = { run = ['true'] }",
        "connected_for = 1\nname = 'connected'\ndo = { run = ['true'] }",
        "away_for = 0.5\nname = 'away'\ndo = { run = ['true'] }",
    ]

    def kinds(events: list[dict[str, Any]]) -> list[str]:
        return [event["rule"] for event in events if "rule" in event and event.get("seconds") != 0]

    with Program(tag, rules, *timed) as program:
        # Pending at the end: one of two gestures, and a part of the time.
        tag.tell("gesture cover")
        program.until(rule="any", gesture="cover")
        program.end(end)
    tag.tell("gesture double-tap")
    with Program(tag, rules, *timed) as program:
        events = program.until(rule="connected")
        for gesture in ("cover", "brush-in"):
            tag.tell(f"gesture {gesture}")
            events += program.until(rule="any", gesture=gesture)
        assert kinds(events) == ["connected", "any", "any"]
        tag.tell("out-of-range")
        # The service ends the channel, and the next program waits for the tag.
        program.end(end)
    write(rules, *timed)
    with ctl.Running(tag, "run", str(rules)) as last:
        tag.tell("in-range")
        events = last.until(rule="connected")
        tag.tell("out-of-range")
        events += last.until(rule="away")
        tag.tell("in-range")
        events += last.until(rule="connected")
        assert kinds(events) == ["connected", "away", "connected"]


def test_a_dry_run_and_once(tag: Simulator, rules: Path, tmp_path: Path) -> None:
    rule = f"name = 'touch'\ngesture = 'cover'\ndo = {{ run = ['touch', '{tmp_path}/touched'] }}"
    with Program(tag, rules, rule, words=("--dry-run",)) as program:
        tag.tell("gesture cover")
        (*_, ran) = program.until(gesture="cover")
        assert (ran["rule"], ran["action"]) == ("touch", f'run = ["touch", "{tmp_path}/touched"]')
    assert not (tmp_path / "touched").exists()
    write(rules, rule)
    tag.tell("every 100ms gesture cover")
    once = ctl.run(tag, "run", str(rules), "--once")
    assert (once.returncode, once.stderr) == (exits.OK, "")
    first, *lines = once.stdout.splitlines()
    assert first == f"{rules}: 1 rule" and (tmp_path / "touched").exists()
    *links, done = (line.partition(" ")[2] for line in lines)
    assert links == ["0000AAAAA001ZK: connecting", "0000AAAAA001ZK: connected"]
    assert done == f'0000AAAAA001ZK cover: run = ["touch", "{tmp_path}/touched"]'


def test_once_waits_for_its_commands_and_ctrl_c_ends_them(tag: Simulator, rules: Path, tmp_path: Path) -> None:
    started = tmp_path / "started"
    write(rules, f"gesture = 'cover'\ndo = {{ shell = 'echo $$ >>{started}; sleep 0.7; echo >>{started}' }}")
    tag.tell("every 100ms gesture cover")
    once = ctl.run(tag, "run", str(rules), "--once")
    assert (once.returncode, once.stderr) == (exits.OK, "")
    assert started.read_text().count("\n") == 2
    started.unlink()
    write(rules, f"gesture = 'cover'\ndo = {{ shell = 'echo $$ >>{started}; exec sleep 1000', time_limit = 0 }}")
    with ctl.Running(tag, "run", str(rules), "--once") as program:
        process = int(wait_for(started))
        program.until(gesture="cover")
        program.process.send_signal(signal.SIGINT)
        assert program.process.wait(20) == exits.INTERRUPTED
        assert has_ended(process)


# The user unit


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A program in place of systemctl that notes its arguments."""
    folder, log = tmp_path / "bin", tmp_path / "log"
    folder.mkdir()
    (folder / "systemctl").write_text(f'#!/bin/sh\necho "$@" >>{log}\n[ ! -e {tmp_path}/fails ] || {{ echo "no bus" >&2; exit 1; }}\n')
    (folder / "systemctl").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    yield log


def jacquardctl(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(ctl.program(*words), env=ctl.environment(""), capture_output=True, text=True, timeout=ctl.LONGEST)


def test_enable_checks_the_file_and_starts_the_unit(systemctl: Path, tmp_path: Path) -> None:
    path = tmp_path / "config" / "jacquard" / "automations.toml"
    ran = jacquardctl("run", "--enable")
    assert ran.returncode == exits.USAGE and f"{path}:1: cannot be read" in ran.stderr
    path.parent.mkdir(parents=True)
    path.write_text("[[on]]\ngesture = 'cover'\ndo = { run = ['true'] }\n")
    assert not systemctl.exists()
    ran = jacquardctl("run", "--enable")
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    assert ran.stdout.startswith(f"jacquard-automations.service runs the rules of {path}, from now on and from each login on.\n")
    assert systemctl.read_text() == "--user daemon-reload\n--user enable --now jacquard-automations.service\n"
    ran = jacquardctl("run", "--disable")
    assert ran.returncode == exits.OK and systemctl.read_text().endswith("--user disable --now jacquard-automations.service\n")
    (tmp_path / "fails").touch()
    ran = jacquardctl("run", "--enable")
    assert (ran.returncode, ran.stdout) == (exits.FAILED, "")
    assert ran.stderr == "jacquardctl: systemctl --user daemon-reload failed: no bus\n"
    assert "leave FILE out" in jacquardctl("run", "file", "--enable").stderr
