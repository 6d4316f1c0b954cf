"""jacquardctl's output on a terminal."""

from __future__ import annotations

import asyncio
import io
import re
from pathlib import Path
from typing import Any

import ctl
import pytest
from jacquard import Battery, Gesture, GestureType, Touch
from jacquard_apps.terminal import drawing, output
from jacquardctl.terminal import live_view
from rich.console import Console
from simulator import SERIAL, Simulator
from waiting import until_async

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


@pytest.mark.parametrize("columns", [100, 60, 30, 20])
def test_a_narrow_terminal_shows_whole_serial_numbers(simulator: Simulator, columns: int) -> None:
    shown = ctl.on_a_terminal(simulator, "scan", "--timeout", "1", COLUMNS=str(columns))
    lines = [CONTROL.sub("", line) for line in shown.splitlines()]
    rows = [line for line in lines if line.startswith(SERIAL)]
    assert rows and all(len(line.rstrip()) <= columns for line in rows)
    assert any(line.startswith("SERIAL ") for line in lines)
    if columns >= 60:
        assert f"Jacquard-{SERIAL} " in rows[-1] and "▂▄▆█ -" in rows[-1]


def test_the_widest_columns_of_a_table_give_way() -> None:
    console = Console(file=io.StringIO(), width=40)
    with console.capture() as captured:
        console.print(output.rich_table(("SERIAL", "NAME", ""), [("0000AAAAA001ZK", "x" * 40, "bound"), ("T001", "y", "")]))
    assert [line.rstrip() for line in captured.get().splitlines()] == [
        "SERIAL          NAME",
        f"0000AAAAA001ZK  {'x' * 16}…  bound",
        "T001            y",
    ]


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

    def __init__(self, height: int = 25) -> None:
        self.console = Console(file=io.StringIO(), width=100, height=height)
        self.picture = ""

    def update(self, picture: Any, refresh: bool) -> None:
        with self.console.capture() as captured:
            self.console.print(picture)
        self.picture = captured.get()


@pytest.mark.parametrize("height", [25, 10, 5, 2])
def test_a_short_window_shows_the_newest_gestures(height: int) -> None:
    async def body() -> None:
        screen = Screen(height)
        view = live_view.LiveView(screen, "x")
        view._was_connected = True
        view.take(Battery(5, True))
        for number in range(1, 9):
            view.take(Gesture(GestureType(number), f"gesture-{number}"))
        view.close()
        lines = [line.split() for line in screen.picture.splitlines()]
        assert [line[0] for line in lines[: height - 1]][:4] == ["tag", "link", "battery", "gear"][: height - 1]
        gestures = [f"gesture-{number}" for number in range(1, 9)][-max(1, height - 4) :]
        assert [line[-1] for line in lines[min(4, height - 1) :]] == gestures

    asyncio.run(body())


def test_a_live_view_draws_touch_until_the_finger_is_lifted() -> None:
    async def body() -> None:
        screen = Screen()
        view = live_view.LiveView(screen, "x")
        view._was_connected = True
        for number in range(2000):
            view.take(Touch(number, 64, (0, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 255)))
        view.take(Battery(5, True))
        view.take(Gesture(GestureType(99), "\x1b[2J"))
        view.take(Gesture(GestureType(7), "cover", may_be_copy=True))
        await until_async(lambda: "cover" in screen.picture)
        assert "▁▁▁ ▃▃▃ ▅▅▅ ███ ▁▁▁" in screen.picture and screen.picture.count("█") >= 6
        assert "cover (may be a copy)" in screen.picture
        assert "5%, charging" in screen.picture and "\x1b[2J" not in screen.picture
        await until_async(lambda: "▁▁▁ " * 12 in screen.picture + " ")
        view.close()

    asyncio.run(body())
