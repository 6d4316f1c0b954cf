"""jacquardctl's output on a terminal."""

from __future__ import annotations

import asyncio
import io
import re
from pathlib import Path
from typing import Any

import ctl
import pytest
from jacquard import Battery, Gesture, GestureNumber, Touch
from jacquardctl import drawing, live_view
from rich.console import Console
from simulator import SERIAL, Simulator

CONTROL = re.compile("\x1b\\[[0-9;?]*[A-Za-z]|\r")
NOTE = "jacquardctl: Install python3-rich for a live view; without it, events are printed line by line."


def test_watch_shows_one_line_and_then_everything(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    simulator.tell("after ready 300ms gesture brush-in")
    simulator.tell("after ready once 700ms drop link")
    shown = ctl.on_a_terminal(simulator, "watch", SERIAL, "--for", "6")
    connecting, _, connected = shown.partition("● connected")
    assert "preparing" not in shown and f"connecting to {SERIAL} " in connecting
    # Below the command there is one line, which is redrawn.
    assert CONTROL.sub("", connecting).count("\n") <= 4
    for part in ("80%", "-58 dBm", "Levi's Trucker Jacket", "brush-in", "! The link to the tag was lost.", "Jacquard-01ZK"):
        assert part in connected


def test_watch_with_commands_prints_lines_but_not_the_steps(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    simulator.tell("after ready 300ms gesture brush-in")
    simulator.tell("after ready once 700ms drop link")
    shown = ctl.on_a_terminal(simulator, "watch", SERIAL, "--for", "6", "--on", "brush-in", "echo hello")
    lines = [CONTROL.sub("", line).strip() for line in shown.split("\n")]
    said = [line.split(" ", 1)[1] for line in lines if line[2:3] == ":"]
    assert said[:2] == ["connected 14/14", "name Jacquard-01ZK"]
    assert said.count("connected 14/14") == 2 and said.count("gesture brush-in") == 2 and "hello" in lines
    assert sum("The link to the tag was lost." in line for line in said) == 1
    assert not any(line.startswith(("initializing", "configuring")) for line in said)


def test_scan_shows_signal_bars(simulator: Simulator) -> None:
    assert "▂▄▆█" in ctl.on_a_terminal(simulator, "scan", "--timeout", "1")
    assert "▂▄▆█" not in ctl.run(simulator, "scan", "--timeout", "1").stdout


@pytest.mark.parametrize("words", [["watch", SERIAL, "--for", "1"], ["scan", "--timeout", "1"]], ids=["watch", "scan"])
def test_without_rich_it_says_what_rich_would_do(simulator: Simulator, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "rich").mkdir()
    (tmp_path / "rich" / "__init__.py").write_text("raise ImportError('there is no rich')\n")
    path = f"{tmp_path}:{ctl.environment('')['PYTHONPATH']}"
    shown = ctl.on_a_terminal(simulator, *words, PYTHONPATH=path)
    assert shown.count(NOTE) == 1 and SERIAL in shown
    assert NOTE not in ctl.run(simulator, *words, env={"PYTHONPATH": path}).stderr


@pytest.mark.parametrize("rssi, bars", [(-50, "▂▄▆█ -50"), (-75, "▂▄▆█ -75"), (-100, "▂▄▆█ -100"), (None, "")])
def test_signal_bars_differ_in_colour(rssi: int | None, bars: str) -> None:
    drawn = drawing.signal(rssi)
    assert drawn.plain == bars
    filled = {-50: 4, -75: 2, -100: 0, None: 0}[rssi]
    assert sum(span.end - span.start for span in drawn.spans if span.style == "dim") == (4 - filled if bars else 0)


class Screen:
    """The text that a Live display would show."""

    def __init__(self) -> None:
        self.console = Console(file=io.StringIO(), width=100)
        self.picture = ""

    def update(self, picture: Any, refresh: bool) -> None:
        with self.console.capture() as captured:
            self.console.print(picture)
        self.picture = captured.get()


def test_a_live_view_draws_touch_until_the_finger_is_lifted() -> None:
    async def body() -> None:
        screen = Screen()
        view = live_view.LiveView(screen, "x")
        view._was_connected = True
        for number in range(2000):
            view.take(Touch(number, 64, (0, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 255)))
        view.take(Battery(5, True))
        view.take(Gesture(GestureNumber(99), "\x1b[2J"))
        await asyncio.sleep(0.1)
        assert "▁▁▁ ▃▃▃ ▅▅▅ ███ ▁▁▁" in screen.picture and screen.picture.count("█") >= 6
        assert "5%, charging" in screen.picture and "\x1b[2J" not in screen.picture
        await asyncio.sleep(live_view.TOUCH_SECONDS + 0.3)
        assert "▁▁▁ " * 12 in screen.picture + " "
        view.close()

    asyncio.run(body())
