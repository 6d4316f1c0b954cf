"""The command that teaches gestures, with recordings and with a tag."""

from __future__ import annotations

import contextlib
import json
import signal
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import ctl
import pytest
from jacquard_apps.terminal import exits
from jacquard_automations.trained import file
from jacquard_automations.trained.episodes import PAUSE
from jacquardctl.running import status_of
from simulator import SERIAL, Simulator
from strokes import DOUBLE_TAP, HOLD, SWIPE_IN, SWIPE_OUT, Stroke, jittered
from test_gesture_file import stored

# The command, with recordings


@pytest.fixture(name="home", autouse=True)
def home_fixture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The file of gestures."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "config" / "jacquard" / "gestures.toml"


def recording(path: Path, *gestures: Sequence[Stroke | float], seed: int = 0) -> str:
    """A recording of these gestures, each followed by a pause."""
    lines: list[dict[str, Any]] = [{"jacquard_recording": 1, "library": "0.1.0", "started": ""}]
    start = 0.0
    for number, gesture in enumerate(gestures):
        made = jittered(seed + number, *gesture)
        for sample in made.samples:
            touch = {"sequence": 0, "proximity": 0, "lines": sample.levels}
            lines.append({"time": round(start + sample.time - made.samples[0].time, 3), "touch": touch})
        start += made.duration + 1
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_a_gesture_is_taught_and_tested_from_recordings(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["gesture", "teach", "in", "--from", recording(tmp_path / "in", *[SWIPE_IN] * 5)]) == exits.OK
    *examples, last = capsys.readouterr().out.splitlines()
    assert len(examples) == 5 and all(line.endswith(" s, 1 stroke") for line in examples) and last == "in is stored."
    assert (
        status_of(
            ["gesture", "teach", "double", "--examples", "3", "--from", recording(tmp_path / "d", *[DOUBLE_TAP] * 4)]
        )
        == exits.OK
    )
    assert "double is stored. The nearest other gesture is in, at " in capsys.readouterr().out
    made = recording(tmp_path / "made", DOUBLE_TAP, SWIPE_OUT, SWIPE_IN, seed=50)
    assert status_of(["gesture", "test", "--from", made]) == exits.OK
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["double", "other", "in"] and "(nearest: " in lines[1]
    assert status_of(["gesture", "test", "--json", "--from", made]) == exits.OK
    found = ctl.objects(capsys.readouterr().out)
    assert [one["gesture"] for one in found] == ["double", None, "in"]
    assert [one["strokes"] for one in found] == [2, 1, 1] and all(len(one["strongest"]) == 12 for one in found)
    assert found[1]["distance"] > 1 >= max(found[0]["distance"], found[2]["distance"])


def test_gestures_are_listed_and_forgotten(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["gesture", "list"]) == exits.OK
    assert capsys.readouterr().err == "jacquardctl: No gesture has been taught: see jacquardctl gesture teach.\n"
    file.change(home, "in", stored())
    file.change(home, "double", stored("double", DOUBLE_TAP))
    assert status_of(["gesture", "list", "--json"]) == exits.OK
    one, two = ctl.objects(capsys.readouterr().out)
    assert (one["name"], one["examples"], one["tolerance"], one["nearest"], two["nearest"]) == (
        "in",
        5,
        1.0,
        "double",
        "in",
    )
    assert status_of(["gesture", "forget", "inn"]) == exits.USAGE
    assert capsys.readouterr().err == "jacquardctl: No gesture inn has been taught; did you mean in?\n"
    assert status_of(["gesture", "forget", "in"]) == exits.OK
    assert status_of(["gesture", "list"]) == exits.OK
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["NAME", "double"]


def test_a_gesture_that_cannot_be_told_from_another_is_refused(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.change(home, "in", stored())
    before = home.read_bytes()
    again = recording(tmp_path / "again", *[SWIPE_IN] * 5, seed=70)
    assert status_of(["gesture", "teach", "again", "--from", again]) == exits.REFUSED
    shown, complaint = capsys.readouterr()
    assert [shown.count(f"\n{name}: ") for name in ("again", "in")] == [5, 5]
    assert complaint.startswith("jacquardctl: again is closer to in (") and "jacquardctl gesture forget in" in complaint
    assert home.read_bytes() == before
    # The same name replaces it.
    assert status_of(["gesture", "teach", "in", "--json", "--from", again]) == exits.OK
    *_, told = ctl.objects(capsys.readouterr().out)
    assert (
        told["taught"] == "in" and told["nearest"] is None and len(file.read(home)) == 1 and home.read_bytes() != before
    )


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["test", "--from", "{made}"], "No gesture has been taught: see jacquardctl gesture teach."),
        (["teach", "a", "--from", "{made}"], "{made} contains 2 gestures; expected 5: see --examples."),
        (["teach", "01ZK", "a", "--from", "{made}"], "Use either TAG or --from, not both."),
        (
            ["teach", " a", "--from", "{made}"],
            "' a' cannot be a name; expected at most 40 letters, without spaces around them.",
        ),
        (["teach", "a", "--from", "/nonexistent"], "/nonexistent: No such file or directory"),
        (["teach", "a", "--from", __file__], "line 1 of the recording: not valid JSON"),
        (["forget", "a"], "No gesture a has been taught."),
    ],
)
def test_failures_are_explained(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = recording(tmp_path / "made", DOUBLE_TAP, HOLD)
    assert status_of(["gesture", *(word.format(made=made) for word in words)]) == exits.USAGE
    assert capsys.readouterr().err == f"jacquardctl: {complaint.format(made=made)}\n"


@pytest.mark.parametrize("words", [["list"], ["forget", "a"], ["test"], ["teach", "b"]], ids=" ".join)
def test_an_invalid_file_is_reported_by_every_command(
    words: list[str], home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.parent.mkdir(parents=True)
    home.write_text("version = 1\nwhat = 3\n")
    made = ["--from", recording(tmp_path / "made", *[HOLD] * 5)] if words[0] in ("test", "teach") else []
    assert status_of(["gesture", *words, *made]) == exits.USAGE
    assert capsys.readouterr().err == f"jacquardctl: {home}:2: key what: unknown key; expected version, gesture\n"
    assert home.read_text() == "version = 1\nwhat = 3\n"


# The command, with a tag


@contextlib.contextmanager
def touched(tag: Simulator, line: int, samples: int = 15) -> Iterator[None]:
    """A finger that holds a line, and those beside it, for at least 30 ms a sample, again and again, however slow the machine is."""
    ended = threading.Event()

    def touch() -> None:
        while not ended.is_set():
            for _ in range(samples):
                tag.tell("touch 64 " + " ".join({0: "100", 1: "40"}.get(abs(number - line), "0") for number in range(12)))
                if ended.wait(0.03):
                    return
            ended.wait(2 * PAUSE)

    thread = threading.Thread(target=touch)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def modes(tag: Simulator) -> int:
    """How often the mode was set."""
    return tag.tell("journal requests").split("; ").count("touch-mode")


def test_a_gesture_is_taught_on_a_tag(tag: Simulator, home: Path) -> None:
    with ctl.Running(tag, "gesture", "teach", SERIAL, "hold", "--examples", "3") as program, touched(tag, 3):
        seen = program.until(taught="hold")
        assert [one.get("example") for one in seen] == [1, 2, 3, None]
        assert program.process.wait(20) == exits.OK
    (gesture,) = file.read(home)
    assert all(one.samples[0].levels[3] == 100 for one in gesture.examples)


def test_touches_of_a_tag_are_tested_until_an_interrupt(tag: Simulator, home: Path) -> None:
    # Very tolerant: a slow machine makes touches longer.
    file.change(home, "hold", stored("hold", [Stroke(0.5, 3)], tolerance=10))
    before = modes(tag)
    with ctl.Running(tag, "gesture", "test") as program:
        with touched(tag, 3):
            (*_, one) = program.until(gesture="hold")
            assert one["nearest"] == "hold" and one["distance"] <= 1
        program.process.send_signal(signal.SIGINT)
        assert program.process.wait(20) == exits.INTERRUPTED
    assert modes(tag) == before + 2
