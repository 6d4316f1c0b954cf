"""jacquardctl always ends cleanly: with the right status, without superfluous output, and without a remaining link."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import ctl
import pytest
from jacquard_apps.terminal import exits
from jacquard_automations.reactions import MOST
from simulator import SERIAL, SERVICE, Simulator
from waiting import until

ABSENT = "ZZZZ"


def is_free(simulator: Simulator) -> bool:
    """A tag that is connected does not advertise, and is reported as connected."""
    (tag,) = ctl.objects(ctl.run(simulator, "scan", "--timeout", "1", "--json").stdout)
    return not tag["connected"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("command", ["watch", "touch", "record"])
def test_a_signal_ends_a_running_command_and_drops_the_link(
    simulator: Simulator, tmp_path: Path, command: str, number: signal.Signals
) -> None:
    """The command has its own link, which no service keeps."""
    simulator.tell("disconnect takes 10ms")
    simulator.tell("gear attach levis-trucker")
    simulator.tell("every 20ms touch sweep")
    words = {"watch": [], "touch": [], "record": ["-"]}[command]
    with ctl.Running(simulator, command, SERIAL, *words, env={SERVICE: "off"}) as running:
        assert running.process.stdout
        awaited = {"watch": '"connected"', "touch": '"lines"', "record": '"connected"'}[command]
        while awaited not in running.process.stdout.readline():
            pass
        running.process.send_signal(number)
        _, complaints = running.process.communicate(timeout=20)
        assert (running.process.returncode, complaints) == (128 + number, "")
    assert is_free(simulator)


@pytest.mark.parametrize(
    "words",
    [["scan"], ["battery", ABSENT], ["info", ABSENT], ["led", ABSENT, "red"], ["doctor", "--timeout", "60"]],
    ids=" ".join,
)
def test_ctrl_c_while_it_waits(simulator: Simulator, words: list[str]) -> None:
    process = subprocess.Popen(
        ctl.program(*words, "--debug"),
        env=ctl.environment(simulator.bus_address),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    while "powered on" not in process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=20)
    assert process.returncode == exits.INTERRUPTED
    assert "Traceback" not in complaints


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (["module", "delete", SERIAL, "IMU"], "Delete"),
        (["motion", "erase", SERIAL, "--all"], "Erase"),
        (["record", SERIAL, "/nonexistent/file", "--label"], "Gesture"),
    ],
    ids=["delete", "erase", "label"],
)
def test_ctrl_c_at_a_question(simulator: Simulator, words: list[str], question: str) -> None:
    simulator.tell("session walk samples 20")
    process = ctl.OnTerminal(simulator, *words)
    process.until(question)
    assert process.end(signal.SIGINT) == exits.INTERRUPTED
    assert "Traceback" not in process.shown


CTRL_C_DURING_THE_START = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == "jacquardctl.running":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
from jacquardctl.cli import main
main(["scan"])
"""


def test_ctrl_c_during_start_up(simulator: Simulator) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CTRL_C_DURING_THE_START],
        env=ctl.environment(simulator.bus_address),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (-signal.SIGINT, "", "")


def test_ctrl_c_that_is_ignored_stays_so(simulator: Simulator) -> None:
    """SIGINT is ignored, for example, after & in a script."""
    ignoring = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    with ctl.watch(simulator, **ignoring) as watch:
        watch.until(event="state", phase="connected")
        watch.process.send_signal(signal.SIGINT)
        simulator.tell("battery 7")
        watch.until(event="battery", percent=7)
        watch.process.send_signal(signal.SIGTERM)
        assert watch.process.wait(20) == 128 + signal.SIGTERM


def test_a_reader_that_disconnects_is_not_an_error(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    simulator.tell("every 20ms touch sweep")
    for command in ("touch", "watch"):
        with ctl.Running(simulator, command, SERIAL) as running:
            assert running.process.stdout
            running.process.stdout.readline()
            running.process.stdout.close()
            simulator.tell("battery 5")
            assert running.process.stderr
            assert running.process.stderr.read() == ""
            assert running.process.wait(20) == exits.OK


def test_a_pipe_that_is_closed_from_the_start(simulator: Simulator) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        ctl.program("scan", "--timeout", "1"),
        env=ctl.environment(simulator.bus_address),
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (exits.OK, "")


def test_watch_for_a_limited_time(simulator: Simulator) -> None:
    ran = ctl.run(simulator, "watch", SERIAL, "--for", "1", "--json")
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    assert ctl.objects(ran.stdout)[0]["phase"] == "preparing"


def test_a_command_that_hangs_does_not_delay_watch_and_ends_with_it(simulator: Simulator, tmp_path: Path) -> None:
    simulator.tell("gear attach levis-trucker")
    hanging = f"echo $$ > {tmp_path}/pid; exec sleep 1000"
    with ctl.watch(simulator, "--on", "brush-in", hanging) as watch:
        watch.until(event="gear")
        simulator.tell("gesture brush-in")
        simulator.tell("gesture cover")
        watch.until(event="gesture", name="cover")
        sleeper = int(until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text()))
        watch.process.send_signal(signal.SIGINT)
        assert watch.process.wait(20) == exits.INTERRUPTED
    state = Path(f"/proc/{sleeper}/stat")
    until(lambda: not state.exists() or "Z" in state.read_text().split()[2])


def test_gestures_beyond_the_limit_of_running_commands(simulator: Simulator, tmp_path: Path) -> None:
    simulator.tell("gear attach levis-trucker")
    with ctl.watch(simulator, "--on", "double-tap", f"echo . >> {tmp_path}/begun; exec sleep 1000") as watch:
        watch.until(event="gear")
        for _ in range(MOST + 5):
            simulator.tell("gesture double-tap")
        assert watch.process.stderr
        assert [watch.process.stderr.readline() for _ in range(5)] == [
            f"jacquardctl: ‘echo . >> {tmp_path}/begun; exec sleep 1000’ was not started: "
            f"{MOST} commands are still running\n"
        ] * 5
        watch.process.send_signal(signal.SIGINT)
        watch.process.wait(20)


def test_a_commands_words_are_interpreted_only_by_the_shell(simulator: Simulator, tmp_path: Path) -> None:
    """Commands contain no data from the tag, and their quoting is preserved."""
    simulator.tell("name $(touch x)`touch y`';")
    simulator.tell("gear attach levis-trucker")
    command = f"""printf '%s|' "a b" 'c"d' "$JACQUARD_GESTURE" "$JACQUARD_GESTURE_NUMBER" > '{tmp_path}/said'"""
    with ctl.watch(simulator, "--on", "99", command, "--on", "Brush In", command, cwd=tmp_path) as watch:
        watch.until(event="gear")
        for word, expected in (("99", 'a b|c"d||99|'), ("brush-in", 'a b|c"d|brush-in|2|')):
            simulator.tell(f"gesture {word}")
            until(lambda: (tmp_path / "said").exists() and (tmp_path / "said").read_text() == expected)  # noqa: B023
    assert sorted(path.name for path in tmp_path.iterdir()) == ["said"]


def test_a_hostile_name_does_not_reach_the_terminal(simulator: Simulator) -> None:
    simulator.tell("name \x1b[2J\x07[red]x[/red]")
    ran = ctl.run(simulator, "scan", "--timeout", "1")
    assert ran.returncode == exits.OK
    assert "\x1b" not in ran.stdout and "\x07" not in ran.stdout
    assert "\N{REPLACEMENT CHARACTER}[2J\N{REPLACEMENT CHARACTER}[red]x[/red]" in ran.stdout


def test_touch_is_drawn_on_a_terminal(simulator: Simulator) -> None:
    simulator.tell("gear attach saint-laurent-backpack")
    simulator.tell("every 20ms touch 64 128 0 0 0 0 0 0 0 0 0 0 32")
    shown = ctl.on_a_terminal(simulator, "touch", SERIAL, "--for", "1")
    assert " 0 " + "█" * 40 + " 128" in shown
    assert "11 " + "█" * 10 + "·" * 30 + "  32" in shown


def test_touches_are_tracked(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    finger = "0 0 0 11 52 86 52 11 0 0 0 0"
    words = ["touch", SERIAL, "--tracked", "--json"]
    simulator.tell(f"every 20ms touch 64 {finger}")
    with ctl.Running(simulator, *words) as running:
        assert running.process.stdout

        def awaited(phase: str) -> dict[str, Any]:
            for line in running.process.stdout or ():
                point: dict[str, Any] = json.loads(line).get("touch", {})
                if point.get("phase") == phase:
                    return point
            raise AssertionError(f"no touch {phase}")

        began, moved = awaited("began"), awaited("moved")
        assert began["id"] == moved["id"] and abs(moved["position"] - 5) < 0.05 and 80 < moved["strength"] < 90
        simulator.tell("touch lift")
        assert awaited("ended")["id"] == began["id"]
        assert awaited("began")["id"] == began["id"] + 1
        simulator.tell("drop link")
        assert awaited("cancelled")["id"] == began["id"] + 1


def test_gestures_are_derived_from_touches(simulator: Simulator) -> None:
    simulator.tell("gear attach levis-trucker")
    simulator.tell("every 20ms touch 64 0 0 0 11 52 86 52 11 0 0 0 0")
    words = ["touch", SERIAL, "--tracked"]
    with ctl.Running(simulator, *words) as running:
        lines = (json.loads(line) for line in running.process.stdout or ())
        gesture = next(line["touch_gesture"] for line in lines if "touch_gesture" in line)
        assert (gesture["kind"], gesture["other_id"]) == ("hold", None) and gesture["id"] >= 1
        assert abs(gesture["position"] - 5) < 0.05 and gesture["distance"] == 0
    environment = ctl.environment(simulator.bus_address)
    with subprocess.Popen(ctl.program(*words), env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            # A late sample begins another touch.
            line = next(line for line in process.stdout or () if "hold" in line)[9:]
            assert re.match(r"hold by touch \d+ at (4\.9|5\.0)", line), line
        finally:
            process.kill()


def test_tables_and_findings_are_shown_on_a_terminal(simulator: Simulator) -> None:
    simulator.tell("name \x1b[2J[bold]x")
    shown = ctl.on_a_terminal(simulator, "scan", "--timeout", "1")
    assert "SERIAL" in shown and SERIAL in shown
    assert "\N{REPLACEMENT CHARACTER}[2J[bold]x" in shown
    assert "powered on" in ctl.on_a_terminal(simulator, "doctor", "--timeout", "0.5")


@pytest.mark.parametrize(
    "words",
    [["scan", "--timeout", "0.5"], ["battery", SERIAL], ["doctor", "--timeout", "0.5"], ["info", SERIAL]],
    ids=" ".join,
)
def test_without_rich(simulator: Simulator, tmp_path: Path, words: list[str]) -> None:
    simulator.tell("disconnect takes 10ms")
    (tmp_path / "rich").mkdir()
    (tmp_path / "rich" / "__init__.py").write_text("raise ImportError('there is no rich')\n")
    path = f"{tmp_path}:{ctl.environment('')['PYTHONPATH']}"
    for more in ([], ["--json"]):
        ran = ctl.run(simulator, *words, *more, env={"PYTHONPATH": path})
        assert (ran.returncode, ran.stderr) == (exits.OK, "")
        assert ran.stdout


def test_a_full_disk_is_not_wrong_usage(simulator: Simulator) -> None:
    with open("/dev/full", "w") as full:
        process = subprocess.run(
            ctl.program("scan", "--timeout", "0.5"),
            env=ctl.environment(simulator.bus_address),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert (process.returncode, process.stderr) == (exits.FAILED, "jacquardctl: No space left on device\n")
