"""Rules for touches, and touch mode while they exist."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import ctl
from fingers import feel
from simulator import Simulator
from test_automations_run import (
    Program,
    rules_fixture,  # noqa: F401
    wait_for,
    write,
)
from waiting import until


def test_a_fader_needs_touch_mode_only_while_a_rule_has_it(tag: Simulator, rules: Path, tmp_path: Path) -> None:
    fader = f"fader = 'absolute'\nsteps = 4\ndo = {{ shell = 'echo $JACQUARD_VALUE >{tmp_path}/value' }}"
    cover = "gesture = 'cover'\ndo = { run = ['true'] }"
    at_the_end = "touch 64 0 0 0 0 0 0 0 0 0 11 52 86"
    with Program(tag, rules, fader, cover) as program:
        until((tmp_path / "value").exists, meanwhile=lambda: tag.tell(at_the_end), period=0.05)
        touched = program.until(event="fader")
        assert (touched[-1]["value"], touched[-1]["change"]) == (1.0, 4)
        assert wait_for(tmp_path / "value") == "1.0\n"
        before = tag.tell("journal requests").count("touch-mode")
        write(rules, cover)
        tag.wait_for_touch_mode(before + 1)
        # The tag reports gestures again, over the same link.
        tag.tell("gesture cover")
        program.until(event="gesture")
        assert "links=1 " in tag.tell("stats")
        assert program.end() == 128 + signal.SIGTERM


def test_touches_and_gestures_of_one_tag(tag: Simulator, rules: Path) -> None:
    """In touch mode the tag recognises nothing itself: the double tap and the hold are derived."""
    double_tap = "gesture = 'double-tap'\ndo = { run = ['true'] }"
    with Program(tag, rules, double_tap, "touch = 'hold'\ndo = { run = ['true'] }") as program:
        tag.wait_for_touch_mode()
        ran = program.until_repeated(tag, "stroke double-tap", event="gesture")
        assert (ran["gesture"], ran["derived"]) == ("double-tap", True)
        assert program.until_repeated(tag, "stroke hold", event="touch")["touch"] == "hold"


def test_a_rule_runs_while_lines_are_held(tag: Simulator, rules: Path) -> None:
    """A finger rests on the first line, and another one taps."""

    def touched(*lines: int) -> None:
        feel(tag, "touch 64 " + " ".join("90" if number in lines else "0" for number in range(12)))

    held = "touch = 'tap'\nwhile_held = [0, 2]\ndo = { run = ['true'] }"
    with Program(tag, rules, held, words=("--dry-run",)) as program:
        ran: list[dict[str, Any]] = []
        reading = threading.Thread(target=lambda: ran.extend(program.until(event="touch")))
        reading.start()
        # A tap is missed if the machine pauses meanwhile.
        deadline = time.monotonic() + ctl.LONGEST
        while reading.is_alive():
            assert time.monotonic() < deadline
            for lines, count in (((0,), 45), ((0, 8), 6), ((0,), 12), ((), 6)):
                for _ in range(count):
                    touched(*lines)
            reading.join(0.3)
        assert (ran[-1]["touch"], ran[-1]["held"]) == ("tap", [0, 2])
        assert ran[-1]["rule"] == "touch tap while lines 0 to 2 are held (line 5)"


def test_a_tag_that_refuses_touch_mode_is_asked_again(tag: Simulator, rules: Path) -> None:
    with Program(tag, rules) as program:
        tag.tell("on request touch-mode once: status 10")
        write(rules, "fader = 'absolute'\nsteps = 4\ndo = { run = ['true'] }")
        assert "0000AAAAA001ZK: " in program.complaint()
        tag.tell("every 50ms touch 64 0 0 0 0 0 0 0 0 0 11 52 86")
        assert program.until(event="fader")[-1]["value"] == 1.0
