"""The examples of the Python package and of its README, and of the command-line tool, with a software tag."""

from __future__ import annotations

import os
import pathlib
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import places
import pytest
from simulator import Simulator

EXAMPLES = places.PYTHON_SOURCE.parent / "examples"
PROGRAMS = re.findall(r"```python\n(.*?)```", (places.PYTHON_SOURCE.parent / "README.md").read_text(), re.DOTALL)


@contextmanager
def running(simulator: Simulator, *command: object, **settings: str) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONPATH": places.PYTHONPATH, "PYTHONDONTWRITEBYTECODE": "1", **settings}
    environment["DBUS_SYSTEM_BUS_ADDRESS"] = simulator.bus_address
    words = [str(word) for word in command]
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def line(stream: IO[str] | None, pattern: str) -> str:
    """The next line that matches."""
    assert stream
    for text in stream:
        if re.search(pattern, text):
            return text.rstrip("\n")
    raise AssertionError(f"no line matches {pattern}")


def test_every_example_is_tested() -> None:
    tested = re.findall(r'EXAMPLES / "([a-z.-]+)"', pathlib.Path(__file__).read_text())
    assert {path.name for path in EXAMPLES.iterdir() if path.is_file()} == set(tested)


def test_motion_stream(simulator: Simulator) -> None:
    with running(simulator, sys.executable, "-u", EXAMPLES / "motion-stream.py", "01ZK") as program:
        assert line(program.stdout, r"^-?\d+\.\d{3} -?\d+\.\d{3} 1\.046$")  # 2142 counts of 2048 for each g
        program.send_signal(signal.SIGINT)
        assert program.wait(20) == 0
    assert "recording-stop" in simulator.tell("journal requests")


def test_motion_record(simulator: Simulator, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "walk.bin"
    with running(simulator, sys.executable, "-u", EXAMPLES / "motion-record.py", "1", str(file)) as program:
        assert line(program.stdout, "bytes") == f"{file}: {file.stat().st_size} bytes"
        assert program.wait(20) == 0
    assert len(pathlib.Path(f"{file}.csv").read_text().splitlines()) > 10


def test_events(simulator: Simulator) -> None:
    with running(simulator, sys.executable, "-u", EXAMPLES / "events.py", "01ZK") as program:
        assert line(program.stdout, "80%") == "80%"
        simulator.tell("gear attach levis-trucker")
        line(program.stdout, "Trucker Jacket")
        assert "0,128,128" in simulator.tell("journal lights")
        simulator.tell("gesture brush-in")
        assert line(program.stdout, "brush") == "brush-in"
        program.send_signal(signal.SIGINT)
        assert program.wait(20) == 0


@pytest.mark.parametrize("arguments", [["01ZK"], []], ids=["of a tag", "of the first tag seen"])
def test_battery(simulator: Simulator, arguments: list[str]) -> None:
    simulator.tell("battery 34 charging")
    with running(simulator, sys.executable, EXAMPLES / "battery.py", *arguments) as program:
        output, errors = program.communicate(timeout=30)
    assert (program.returncode, errors) == (0, "") and "34%" in output


@pytest.mark.parametrize("arguments", [["events.py"], ["battery.py", "01ZK"]], ids=["asyncio", "blocking"])
def test_an_example_reports_what_is_missing(simulator: Simulator, arguments: list[str]) -> None:
    simulator.tell("adapter off")
    with running(simulator, sys.executable, EXAMPLES / arguments[0], *arguments[1:]) as program:
        output, errors = program.communicate(timeout=30)
    assert (program.returncode, output) == (1, "") and len(errors.splitlines()) == 1


def test_states(simulator: Simulator) -> None:
    with running(simulator, sys.executable, EXAMPLES / "states.py") as program:
        line(program.stdout, "^connected 14/14$")
        simulator.tell("drop link")
        line(program.stdout, "^preparing 1/14: The link to the tag was lost.$")
        line(program.stdout, "^connected 14/14$")
        simulator.tell("adapter off for 200ms")
        line(program.stdout, "^preparing 0/14: ")
        line(program.stdout, "^connected 14/14$")
        program.send_signal(signal.SIGINT)
        assert program.wait(20) == 0


def test_remote_control(simulator: Simulator, tmp_path: pathlib.Path) -> None:
    """The script finds the command-line tool and a player in PATH, as in a shell."""
    (tmp_path / "jacquardctl").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m jacquardctl "$@"\n')
    (tmp_path / "playerctl").write_text('#!/bin/sh\necho "player: $1" >&2\n')
    for command in ("jacquardctl", "playerctl"):
        (tmp_path / command).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    with running(simulator, places.APPS / "jacquardctl" / "examples" / "remote-control.sh", "01ZK", PATH=path, PYTHONUNBUFFERED="1") as program:
        simulator.tell("after ready 200ms gear attach levis-trucker")
        line(program.stdout, "Trucker Jacket")
        for gesture, wanted in [("brush-in", "next"), ("brush-out", "previous"), ("double-tap", "play-pause")]:
            simulator.tell(f"gesture {gesture}")
            assert line(program.stderr, "player") == f"player: {wanted}"


@pytest.mark.parametrize("program", PROGRAMS, ids=["asyncio", "blocking", "at a prompt"])
def test_a_readme_program_works(simulator: Simulator, program: str) -> None:
    simulator.tell("battery 71 discharging")
    environment = {**os.environ, "PYTHONPATH": str(places.PYTHON_SOURCE)}
    environment["DBUS_SYSTEM_BUS_ADDRESS"] = simulator.bus_address
    running = subprocess.Popen([sys.executable, "-uc", program], env=environment, stdout=subprocess.PIPE, text=True)
    assert running.stdout
    try:
        assert running.stdout.readline().endswith("71%\n")
    finally:
        running.terminate()
        running.communicate()
