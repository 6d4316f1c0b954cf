"""Rules for taught gestures."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import ctl
import pytest
from jacquard_apps.terminal import exits
from jacquard_automations import file as rules_file, toml_file
from jacquard_automations.complaints import Complaints
from jacquard_automations.events.trained import TrainedTrigger
from jacquard_automations.occasion import TagIdentity
from jacquard_automations.rules import Selection
from jacquard_automations.touches import TaughtGestures, need_touches, need_trained
from jacquard_automations.trained import file
from jacquard_automations.triggers import TrainedGesture
from jacquardctl.running import status_of
from simulator import Simulator
from strokes import DOUBLE_TAP, HOLD, Stroke, jittered
from test_gesture_command import (
    home_fixture,  # noqa: F401
    modes,
    touched,
)
from test_gesture_file import stored
from waiting import until

# Rules

RULE = "[[on]]\ntrained = 'hold'\ndo = { run = ['true'] }\n"


def test_a_rule_for_a_taught_gesture_is_read() -> None:
    (rule,) = rules_file.parse(RULE).rules
    assert (rule.trigger, str(rule.trigger)) == (TrainedTrigger("hold"), "trained hold")
    with pytest.raises(toml_file.Problems) as found:
        rules_file.parse(RULE.replace("hold", " hold"))
    assert str(found.value.all[0]) == "[[on]] number 1, key trained: ' hold' cannot be the name of a gesture"


def test_a_rule_runs_for_its_gesture_only() -> None:
    watch = TrainedTrigger("hold").watch()
    assert watch.take(TrainedGesture("tap", 0.1, 0), 0) is None
    assert watch.take(TrainedGesture("hold", 0.1234, 0), 0) == {"event": "trained", "trained": "hold", "distance": 0.123}


def checked(rules: str, path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """What run --check complains about, except that no tag is bound here."""
    path.write_text(rules)
    status = status_of(["run", "--check", str(path)])
    lines = capsys.readouterr().err.replace(f"jacquardctl: {path}:", "").splitlines(keepends=True)
    return status, "".join(line for line in lines if not line.endswith(": see jacquardctl bind\n"))


def test_the_check_reports_a_gesture_that_was_not_taught(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.toml"
    none = "1: trained hold: no gesture 'hold' has been taught; none has: see jacquardctl gesture teach\n"
    assert checked(RULE, rules, capsys) == (exits.USAGE, none)
    file.change(home, "holds", stored("holds", HOLD))
    near = "1: trained hold: no gesture 'hold' has been taught; did you mean holds?\n"
    assert checked(RULE, rules, capsys) == (exits.USAGE, near)
    file.change(home, "hold", stored("hold", DOUBLE_TAP))
    assert checked(RULE, rules, capsys) == (exits.OK, "")
    home.write_text("version = 2\n")
    assert f"1: trained hold: {home}:1: key version: the file has format 2" in checked(RULE, rules, capsys)[1]


def test_the_check_reports_gestures_that_touch_mode_silences(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.change(home, "hold", stored("hold", HOLD))
    own = "[[on]]\ngesture = 'genie'\ndo = { run = ['true'] }\n"
    status, complaint = checked(RULE + own, tmp_path / "rules.toml", capsys)
    text = "4: genie: a tag of the rule in line 1 (trained hold) is in touch mode, and reports no such gesture\n"
    assert (status, complaint) == (exits.OK, text)
    apart = RULE + "tag = '01ZK'\n" + own + "tag = ['T001', 'T002']\n"
    assert checked(apart, tmp_path / "rules.toml", capsys) == (exits.OK, "")


@pytest.mark.parametrize(
    "one, two, may",
    [
        ({}, {}, True),
        ({"words": ("01ZK",)}, {}, True),
        ({"words": ("01ZK",)}, {"words": ("0000AAAAA001zk",)}, True),
        ({"words": ("01ZK",)}, {"words": ("T001",)}, False),
        ({"profile": (("a", "b"),)}, {"profile": (("c", "d"),)}, True),
        ({"profile": (("a", "b"),)}, {"profile": (("a", "d"),)}, False),
    ],
)
def test_selections_may_meet(one: dict[str, Any], two: dict[str, Any], may: bool) -> None:
    assert Selection(**one).may_meet(Selection(**two)) is Selection(**two).may_meet(Selection(**one)) is may


def test_a_rule_runs_at_a_taught_gesture_and_touch_mode_lasts_as_long_as_the_rule(
    tag: Simulator, home: Path, tmp_path: Path
) -> None:
    out, rules = tmp_path / "out", tmp_path / "automations.toml"
    connected = "[[on]]\nconnected_for = 0\ndo = { run = ['true'] }\n"
    rules.write_text(connected)
    with ctl.Running(tag, "run", str(rules)) as program:
        program.until(event="connected")
        before = modes(tag)
        # The file of gestures and the rules may change while it runs.
        file.change(home, "hold", stored("hold", [Stroke(0.5, 3)], tolerance=10))
        rules.write_text(connected + RULE.replace("'true'", f"'sh', '-c', 'echo $JACQUARD_TRAINED >{out}'"))
        with touched(tag, 3):
            (*_, ran) = program.until(trained="hold")
        assert ran["event"] == "trained" and ran["distance"] <= 1 and modes(tag) == before + 1
        rules.write_text(connected + RULE.replace("trained = 'hold'", "gesture = 'cover'"))
        until(lambda: modes(tag) > before + 1)
        tag.tell("gesture cover")
        program.until(gesture="cover")
        program.process.send_signal(signal.SIGTERM)
        assert program.process.wait(20) == 128 + signal.SIGTERM
    assert out.read_text() == "hold\n" and modes(tag) == before + 2


def test_the_file_of_gestures_is_read_and_its_errors_are_reported_only_while_a_rule_needs_it(home: Path) -> None:
    said: list[str] = []
    taught = TaughtGestures(Complaints(said.append))
    home.parent.mkdir(parents=True)
    home.write_text("version = 2\n")
    taught.read()
    taught.use(False)
    assert said == []
    taught.use(True)
    assert len(said) == 1 and "the file has format 2" in said[0]
    taught.use(False)
    taught.read()
    assert len(said) == 1
    home.unlink()
    file.change(home, "hold", stored("hold", HOLD))
    taught.use(True)
    assert len(said) == 1
    gesture = taught.gesture(jittered(0, *HOLD))
    assert gesture is not None and gesture.name == "hold"


def test_a_tag_needs_taught_gestures_only_for_rules_that_select_it() -> None:
    rules = rules_file.parse(RULE + "tag = 'T001'\n[[on]]\ntouch = 'hold'\ndo = { run = ['true'] }\n").rules
    here, there = TagIdentity("a", "0000AAAAA001ZK"), TagIdentity("b", "T001")
    assert [need_touches(rules, tag) for tag in (here, there)] == [True, True]
    assert [need_trained(rules, tag) for tag in (here, there)] == [False, True]


def test_an_invalid_file_of_gestures_does_not_concern_other_rules(tag: Simulator, home: Path, tmp_path: Path) -> None:
    rules = tmp_path / "automations.toml"
    home.parent.mkdir(parents=True, exist_ok=True)
    home.write_text("version = 2\n")
    rules.write_text(RULE.replace("trained", "touch"))
    # Twice as long as a hold lasts.
    with ctl.Running(tag, "run", str(rules)) as program, touched(tag, 3, samples=34):
        program.until(touch="hold")
        rules.write_text(RULE)
        assert program.process.stderr
        assert "the file has format 2" in program.process.stderr.readline()


def test_the_end_of_the_program_ends_touch_mode(tag: Simulator, home: Path, tmp_path: Path) -> None:
    rules = tmp_path / "automations.toml"
    file.change(home, "hold", stored("hold", [Stroke(0.5, 3)], tolerance=10))
    rules.write_text(RULE)
    before = modes(tag)
    with ctl.Running(tag, "run", str(rules), "--once") as program:
        with touched(tag, 3):
            program.until(trained="hold")
        assert program.process.wait(20) == exits.OK
    assert modes(tag) == before + 2
