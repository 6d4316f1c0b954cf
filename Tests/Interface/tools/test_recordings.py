"""A recording that is replayed with a software tag: the library delivers the same events again."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import ctl
import jacquard
import places
import pytest
from fingers import PERIOD
from jacquard_apps.recording.reader import read
from jacquard_apps.terminal import exits
from simulator import SERIAL, Simulator
from waiting import until

LINKS = 3
# The last delivered event.
LAST = '{"percent": 3, "charging": false}'


def simulated(bus: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A program with a software tag."""
    return subprocess.run(words, env=ctl.environment(bus), capture_output=True, text=True, timeout=ctl.LONGEST)


class Recorder:
    """A program that records to a file until it is interrupted."""

    def __init__(self, file: Path, bus: str, *words: str) -> None:
        self._file = file
        self._process = subprocess.Popen(
            words, env=ctl.environment(bus), stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )

    def holds(self, text: str, count: int = 1) -> bool:
        return self._file.exists() and self._file.read_text().count(text) >= count

    def wait_for(self, text: str, count: int = 1) -> None:
        """Waits until the file contains a text this number of times."""

        def holds() -> bool:
            assert self._process.poll() is None, text
            return self.holds(text, count)

        until(holds, ctl.LONGEST, problem=lambda: text)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        said, _ = self._process.communicate(timeout=ctl.LONGEST)
        assert error[0] or (self._process.returncode, said) == (128 + signal.SIGTERM, b"")


def lines_of(path: Path) -> list[dict[str, Any]]:
    return ctl.objects(path.read_text())


def delivered(path: Path, *kinds: str) -> list[Any]:
    return [line[kind] for line in lines_of(path) for kind in kinds if kind in line]


def session(tag: Simulator, file: Recorder) -> None:
    """The tag gets the next line only when the previous event is in the file, so the machine's speed does not
    matter."""
    file.wait_for('"phase": "connected"')
    tag.tell("gear attach levis-trucker")
    file.wait_for('"gear": {')
    for gesture, name in (("01", "double-tap"), ("02", "brush-in")):
        tag.tell(f"packet notification 080810071865aa39040a0208{gesture}")
        file.wait_for(f'"{name}"')
    tag.tell("battery 70 charging")
    file.wait_for('"percent": 70')
    tag.tell("gear detach")
    tag.tell("gear attach saint-laurent-backpack")
    file.wait_for('"gear": {', 2)
    # The first samples precede touch mode and are not sent. A tag whose queue is full loses packets.
    until(lambda: file.holds('"touch": {', 40), meanwhile=lambda: tag.tell("touch sweep"), period=PERIOD)
    tag.tell("mute on")
    tag.tell("send notification c0 09 08 08 10 07 18 66 aa 39 00")
    tag.tell("raw-packet 9 01 02 03 04")
    tag.tell("raw-packet 10 05 06")
    file.wait_for('"raw_value"', 2)
    tag.tell("out-of-range for 500ms")
    file.wait_for('"phase": "connected"', 2)
    tag.tell("mute off")
    tag.tell("battery 69 charging")
    file.wait_for('"percent": 69')
    tag.tell("gear detach")
    tag.tell("bluetoothd restart after 300ms")
    file.wait_for('"phase": "connected"', LINKS)
    tag.tell("battery 3 discharging")
    file.wait_for(LAST)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("recorded") / "first"
    with Simulator() as simulator:
        simulator.tell("battery 71")
        simulator.tell("firmware 1.90.2")
        words = ctl.program("record", SERIAL, str(file), "--touch")
        with Recorder(file, simulator.bus_address, *words) as recorder:
            session(simulator, recorder)
    return file


def test_a_recording_contains_the_session(recorded: Path) -> None:
    first, *lines = lines_of(recorded)
    assert (first["jacquard_recording"], first["library"]) == (1, "0.1.0")
    assert all(set(line) > {"time"} and len(line) == 2 for line in lines)
    assert [line["time"] for line in lines] == sorted(line["time"] for line in lines)
    assert {kind for line in lines for kind in line} == {
        "time",
        "adapter",
        "battery",
        "counters",
        "end",
        "found",
        "gear",
        "gesture",
        "log",
        "name",
        "notification",
        "raw_value",
        "state",
        "tag",
        "touch",
    }
    states = [line["state"] for line in lines if "state" in line]
    assert [state["phase"] for state in states].count("connected") == LINKS
    assert lines[-2]["counters"]["links"] == LINKS
    assert lines[-1]["end"] == "interrupted"


def test_the_strokes_of_simulated_people_are_a_recording() -> None:
    command = [str(places.SIMULATOR), "strokes", "double-tap", "swipe-out", "leaning", "--count", "2"]
    recording = read(subprocess.run(command, capture_output=True, text=True, timeout=ctl.LONGEST).stdout.splitlines())
    assert recording.moments[-1].kind == "end"
    strokes = [moment.value for moment in recording.moments if moment.kind == "stroke"]
    assert [stroke["name"] for stroke in strokes] == ["double-tap", "swipe-out", "leaning"] * 2
    assert [stroke["seed"] for stroke in strokes] == [1, 1, 1, 2, 2, 2]
    # The part up to the end of the first swipe: two taps, and a finger that moves.
    tracker, begun, positions = jacquard.TouchTracker(), [], []
    for moment in recording.moments[: next(n for n, one in enumerate(recording.moments) if one.value == strokes[2])]:
        if moment.kind == "touch":
            touch = jacquard.Touch(moment.value["sequence"], moment.value["proximity"], tuple(moment.value["lines"]))
            for point in tracker.process(touch, moment.time):
                begun += [moment.time] if point.phase is jacquard.TouchPhase.BEGAN else []
                positions.append(point.position)
    assert len(begun) == 3 and begun[1] - begun[0] < 0.6
    assert positions[-1] - positions[0] > 1


def test_a_replay_delivers_the_same_events_in_the_same_order(recorded: Path, tmp_path: Path) -> None:
    again = tmp_path / "second"
    record = ctl.program("record", SERIAL, str(again))
    with Recorder(again, "", *ctl.program("replay", str(recorded), "--"), *record) as recorder:
        recorder.wait_for(LAST)
    for kind in ("gesture", "raw_value"):
        assert delivered(again, kind) == delivered(recorded, kind) != []
    # A tag drops stale touches: a busy machine receives fewer of them, but none that are different.
    rest = iter(delivered(recorded, "touch"))
    assert all(touch in rest for touch in delivered(again, "touch"))
    assert len(delivered(again, "touch")) > 20
    # The tag is asked for its level after each link, and may have changed by then. Links begin and end at the recorded
    # times: a busy machine may miss one.
    levels = [battery["percent"] for battery in delivered(again, "battery")]
    assert set(levels) <= {71, 70, 69, 3} and levels[-1] == 3
    firmware = [tag["firmware"] for tag in delivered(again, "tag")]
    assert firmware and firmware == [[1, 90, 2]] * len(firmware) and len(firmware) <= LINKS


def test_a_replay_keeps_the_recorded_times(recorded: Path, tmp_path: Path) -> None:
    """Times are relative to the first link, whose report may be as late as any event on a busy machine."""
    again = tmp_path / "second"
    record = ctl.program("record", SERIAL, str(again), "--for", "3")
    assert simulated("", *ctl.program("replay", str(recorded), "--"), *record).returncode == exits.OK

    def times(path: Path) -> list[float]:
        lines = lines_of(path)
        ready = next(line["time"] for line in lines if line.get("state", {}).get("phase") == "connected")
        return [line["time"] - ready for line in lines if "notification" in line]

    for ours, theirs in zip(times(again), times(recorded)[:20]):
        assert ours > theirs - 0.5


def test_a_faster_replay_to_another_program(recorded: Path) -> None:
    words = ctl.program("replay", str(recorded), "--speed", "20", "--")
    ran = simulated("", *words, *ctl.program("battery", SERIAL, "--json"))
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    assert json.loads(ran.stdout)["percent"] in (80, 71, 70, 69, 3)


def test_a_replay_without_a_program_is_watched(recorded: Path) -> None:
    ran = simulated("", *ctl.program("replay", str(recorded), "--speed", "20", "--json"))
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    seen = ctl.objects(ran.stdout)
    assert [event["name"] for event in seen if event["event"] == "gesture"] == ["double-tap", "brush-in"]


def test_the_exit_status_is_that_of_the_program(recorded: Path) -> None:
    assert simulated("", *ctl.program("replay", str(recorded), "--", "sh", "-c", "exit 9")).returncode == 9


def test_a_recording_as_a_scenario(recorded: Path) -> None:
    ran = simulated("", *ctl.program("replay", str(recorded), "--scenario"))
    assert ran.returncode == exits.OK
    lines = ran.stdout.splitlines()
    assert lines[:4] == [f"serial {SERIAL}", "firmware 1.90.2", f"name Jacquard-{SERIAL}", "mute on"]
    assert sum("out-of-range for" in line for line in lines) == 1
    assert sum("bluetoothd restart after" in line for line in lines) == 1


def test_a_recording_of_a_bound_tag(tmp_path: Path) -> None:
    """The tag is found among the known ones, by its full serial number; the software tag advertises the end of it."""
    file, at_home = tmp_path / "bound", {"XDG_STATE_HOME": str(tmp_path)}
    with Simulator() as simulator:
        assert ctl.run(simulator, "bind", SERIAL, "--code", SERIAL, env=at_home).returncode == exits.OK
        ran = ctl.run(simulator, "record", SERIAL, str(file), "--for", "1", env=at_home)
        assert (ran.returncode, ran.stderr) == (exits.OK, "")
    (found,) = delivered(file, "found")
    serial = found["serial"]
    assert len(serial) == 14 and serial.endswith(SERIAL)
    for word in (SERIAL, serial):
        ran = simulated("", *ctl.program("replay", str(file), "--"), *ctl.program("info", word))
        assert (ran.returncode, ran.stderr) == (exits.OK, "")
    assert simulated("", *ctl.program("replay", str(file), "--speed", "20")).returncode == exits.OK


def test_a_serial_number_that_begins_with_a_dash_is_not_an_option(recorded: Path, tmp_path: Path) -> None:
    file = tmp_path / "dash"
    file.write_text(recorded.read_text().replace(SERIAL, "-hZK"))
    ran = simulated("", *ctl.program("replay", str(file), "--speed", "20", "--json"))
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    assert '"gesture"' in ran.stdout


def test_an_existing_file_is_kept(recorded: Path) -> None:
    before = recorded.read_bytes()
    ran = simulated("unix:path=/nonexistent", *ctl.program("record", SERIAL, str(recorded)))
    assert ran.returncode == exits.USAGE
    assert "exists" in ran.stderr
    assert recorded.read_bytes() == before


def test_errors_are_recorded_too(tmp_path: Path) -> None:
    file = tmp_path / "file"
    words = ctl.program("record", SERIAL, str(file), "--timeout", "5")
    ran = simulated(f"unix:path={tmp_path}/missing", *words)
    assert ran.returncode == exits.NO_BLUETOOTH
    assert "bus cannot be reached" in str(lines_of(file)[-1]["end"])
