"""jacquardctl doctor --sleeve: which lines of a sleeve do not respond."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import ctl
import pytest
from jacquard_apps.terminal import exits
from simulator import SERIAL, Simulator

DEAD, STUCK = 4, 8
GEAR = "gear attach levis-trucker"


def strokes(*, broken: bool) -> list[str]:
    """A finger goes over all lines, again and again. One broken line reads nothing, and one always reads the same."""
    actions = [GEAR]
    for number in range(80):
        lines = [round(90 * math.exp(-((line + 1 - number / 6) ** 2) / 2)) + number % 2 for line in range(12)]
        if broken:
            lines[DEAD], lines[STUCK] = 0, 60
        actions.append(f"after ready {100 + 16 * number}ms every 1500ms touch 64 {' '.join(map(str, lines))}")
    return actions


def judged(tmp_path: Path, actions: list[str], *, bound: bool = True) -> dict[str, Any]:
    scenario = tmp_path / "scenario"
    scenario.write_text("".join(f"{action}\n" for action in actions))
    with Simulator("--scenario", str(scenario)) as simulator:
        if bound:
            assert ctl.run(simulator, "bind", SERIAL).returncode == exits.OK
        ran = ctl.run(simulator, "doctor", "--timeout", "0.5", "--sleeve", "4", "--json")
        assert ran.returncode == exits.OK, ran
        (finding,) = [finding for finding in ctl.objects(ran.stdout) if finding["about"] == "sleeve"]
        return finding


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_broken_lines_are_named(tmp_path: Path) -> None:
    finding = judged(tmp_path, strokes(broken=True))
    assert finding["text"].endswith(f"{SERIAL}: line {DEAD} is dead, line {STUCK} is stuck")
    assert not finding["good"] and "thread" in finding["advice"]
    expected = ["good"] * 12
    expected[DEAD], expected[STUCK] = "dead", "stuck"
    assert finding["details"]["line_health"] == expected


def test_lines_that_respond_are_good(tmp_path: Path) -> None:
    finding = judged(tmp_path, strokes(broken=False))
    assert finding["good"] and not finding["caveat"]
    assert finding["details"]["line_health"] == ["good"] * 12 and finding["details"]["samples"] > 100


def test_nothing_is_said_of_lines_that_were_not_touched(tmp_path: Path) -> None:
    finding = judged(tmp_path, [GEAR])
    assert finding["caveat"] and "too few touches to judge the lines: 0 samples" in finding["text"]


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    assert "No tag is bound" in judged(tmp_path, [GEAR], bound=False)["text"]
    assert "No gear is attached" in judged(tmp_path, ["battery 80"])["text"]
