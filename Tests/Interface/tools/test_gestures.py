"""jacquardctl gesture: episodes of touching, the recogniser, the file of examples, the command, and rules."""

from __future__ import annotations

import contextlib
import json
import math
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
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
from jacquard_automations.table import Problem
from jacquard_automations.touches import TaughtGestures, need_touches, need_trained
from jacquard_automations.trained import file
from jacquard_automations.trained.episodes import LONGEST, PAUSE, TOUCHED, Episode, Episodes, Sample
from jacquard_automations.trained.recogniser import Recogniser, Taught, strokes
from jacquard_automations.triggers import TrainedGesture
from jacquardctl.running import status_of
from simulator import SERIAL, Simulator
from waiting import until

# Of a part of dbus-fast that is not used.
pytestmark = pytest.mark.filterwarnings("ignore:DynamicImporter:ImportWarning")
RATE = 60
REST = (0,) * 12


class Stroke:
    """A finger that goes from one line to another."""

    def __init__(self, seconds: float, start: float, end: float | None = None, strength: float = 100) -> None:
        self.seconds = seconds
        self._start, self._end = start, start if end is None else end
        self._strength = strength

    def lines(self, share: float) -> tuple[int, ...]:
        at = self._start + (self._end - self._start) * share
        return tuple(round(self._strength * math.exp(-((line - at) ** 2) / 2)) for line in range(12))


def samples(*strokes: Stroke | float) -> list[tuple[float, tuple[int, ...]]]:
    """The samples of strokes and of pauses between them, which are numbers of seconds."""
    found: list[tuple[float, tuple[int, ...]]] = []
    for stroke in strokes:
        count = round((stroke.seconds if isinstance(stroke, Stroke) else stroke) * RATE)
        for number in range(count):
            lines = stroke.lines(number / max(1, count - 1)) if isinstance(stroke, Stroke) else REST
            found.append((len(found) / RATE, lines))
    return found


def episodes(touches: Sequence[tuple[float, Sequence[int]]]) -> list[Episode]:
    running = Episodes()
    found = [running.add(at, lines) for at, lines in touches]
    found.append(running.wait(math.inf))
    return [episode for episode in found if episode is not None]


def episode(*strokes: Stroke | float) -> Episode:
    (only,) = episodes(samples(*strokes))
    return only


def jittered(seed: int, *strokes: Stroke | float) -> Episode:
    """With noise of 3 counts, one sample in twenty lost, and up to half a line beside."""
    dice = random.Random(seed)
    shift = dice.uniform(-0.5, 0.5)
    moved = [
        Stroke(one.seconds * dice.uniform(0.9, 1.1), one._start + shift, one._end + shift, dice.uniform(80, 120))
        if isinstance(one, Stroke)
        else one
        for one in strokes
    ]
    noisy = [
        (at, tuple(min(128, max(0, round(line + dice.gauss(0, 3)))) for line in lines))
        for at, lines in samples(*moved, 0.1)
        if dice.random() > 0.05
    ]
    return max(episodes(noisy), key=lambda one: one.duration)


SWIPE_IN = (Stroke(0.4, 1.5, 9.5),)
SWIPE_OUT = (Stroke(0.4, 9.5, 1.5),)
DOUBLE_TAP = (Stroke(0.12, 5), 0.15, Stroke(0.12, 5))
HOLD = (Stroke(1.0, 5),)


def taught(name: str, strokes: Sequence[Stroke | float], tolerance: float = 1.0) -> Taught:
    return Taught(name, [jittered(seed, *strokes) for seed in range(5)], tolerance)


ALL = Recogniser([taught("in", SWIPE_IN), taught("out", SWIPE_OUT), taught("double", DOUBLE_TAP), taught("hold", HOLD)])


def decided(recogniser: Recogniser, episode: Episode) -> str | None:
    decision = recogniser.decide(episode)
    assert decision is not None
    return decision.gesture


# Episodes


def test_a_double_tap_is_one_episode() -> None:
    assert [strokes(one) for one in episodes(samples(*DOUBLE_TAP))] == [2]


def test_touches_with_a_long_pause_are_two_episodes() -> None:
    assert len(episodes(samples(Stroke(0.1, 5), PAUSE + 0.1, Stroke(0.1, 5)))) == 2


def test_an_episode_ends_after_a_pause_without_samples() -> None:
    running = Episodes()
    assert running.due is None
    for at, lines in samples(Stroke(0.2, 5)):
        running.add(at, lines)
    assert running.due is not None and running.wait(running.due - 0.01) is None
    ended = running.wait(running.due)
    assert ended is not None and ended.duration == pytest.approx(0.2 - 1 / RATE)
    assert running.due is None and running.wait(math.inf) is None


def test_an_episode_has_no_untouched_ends() -> None:
    only = episode(0.3, Stroke(0.2, 5), 0.3)
    assert max(only.samples[0].levels) >= TOUCHED <= max(only.samples[-1].levels)


def test_one_noisy_sample_is_no_episode() -> None:
    assert episodes([(0.0, (0,) * 11 + (60,)), (1 / RATE, REST)]) == []


def test_an_arm_that_rests_is_cut_once_and_then_ignored() -> None:
    running = Episodes()
    found = [running.add(number / RATE, Stroke(1, 5).lines(0)) for number in range(round((3 * LONGEST) * RATE))]
    assert [one.is_cut for one in found if one is not None] == [True]


def test_another_line_works_while_an_arm_rests() -> None:
    arm = [(number / RATE, Stroke(1, 1).lines(0)) for number in range(round((LONGEST + 1) * RATE))]
    tap = [
        (at + LONGEST + 1, tuple(map(sum, zip(lines, Stroke(1, 1).lines(0)))))
        for at, lines in samples(0.5, Stroke(0.2, 9), 0.5)
    ]
    resting, tapped = episodes(arm + tap)
    assert resting.is_cut and not tapped.is_cut
    assert max(range(12), key=lambda line: tapped.samples[5].levels[line]) == 9


def test_a_sleeve_that_reads_more_at_rest_is_not_touched() -> None:
    raised = [(number / RATE, (min(60, number // 4),) * 12) for number in range(600)]
    assert episodes(raised) == []


def test_a_lost_link_ends_an_episode() -> None:
    running = Episodes()
    for at, lines in samples(Stroke(0.2, 5)):
        running.add(at, lines)
    running.cancel()
    assert running.due is None and running.wait(math.inf) is None


# The recogniser


@pytest.mark.parametrize(
    "strokes, name", [(SWIPE_IN, "in"), (SWIPE_OUT, "out"), (DOUBLE_TAP, "double"), (HOLD, "hold")]
)
def test_gestures_are_recognised(strokes: Sequence[Stroke | float], name: str) -> None:
    assert [decided(ALL, jittered(seed, *strokes)) for seed in range(100, 120)].count(name) >= 19


def test_the_direction_is_part_of_a_gesture() -> None:
    only_in = Recogniser([taught("in", SWIPE_IN)])
    assert decided(only_in, episode(*SWIPE_IN)) == "in" and decided(only_in, episode(*SWIPE_OUT)) is None


def test_the_place_is_part_of_a_gesture() -> None:
    low = Recogniser([taught("low", [Stroke(0.3, 2)])])
    assert decided(low, episode(Stroke(0.3, 2))) == "low" and decided(low, episode(Stroke(0.3, 7))) is None


@pytest.mark.parametrize(
    "strokes",
    [
        (Stroke(0.1, 5),),
        (*DOUBLE_TAP, 0.15, Stroke(0.12, 5)),
        (Stroke(0.4, 1.5, 3),),
        (Stroke(3, 1.5, 9.5),),
        (Stroke(0.4, 0),),
    ],
    ids=["tap", "triple tap", "start of a swipe", "slow swipe", "first line"],
)
def test_other_touches_are_no_gesture(strokes: Sequence[Stroke | float]) -> None:
    assert decided(ALL, episode(*strokes)) is None


def test_a_pause_without_samples_is_a_pause() -> None:
    silent = [(at, lines) for at, lines in samples(*DOUBLE_TAP) if max(lines) > 0]
    (only,) = episodes(silent)
    assert strokes(only) == 2 and decided(ALL, only) == "double"


def test_what_is_cut_is_no_gesture() -> None:
    example = episode(*HOLD)
    held = Recogniser([Taught("hold", [example] * 3)])
    assert decided(held, example) == "hold"
    assert decided(held, Episode(example.samples, is_cut=True)) is None


def test_without_gestures_there_is_no_decision() -> None:
    assert Recogniser([]).decide(episode(*HOLD)) is None


def test_an_example_has_no_distance_and_the_limit_is_one() -> None:
    example = jittered(1, *SWIPE_IN)
    decision = ALL.decide(example)
    assert decision is not None and (decision.nearest, decision.distance) == ("in", 0)
    far = ALL.decide(episode(Stroke(3, 1.5, 9.5)))
    assert far is not None and far.gesture is None and far.distance > 1


def test_tolerance_multiplies_the_reach() -> None:
    slow = episode(Stroke(0.75, 1.5, 9.5))
    strict, tolerant = (Recogniser([taught("in", SWIPE_IN, factor)]) for factor in (0.5, 5))
    assert decided(strict, slow) is None and decided(tolerant, slow) == "in"


def test_what_the_examples_vary_in_counts_less() -> None:
    even, uneven = (
        Recogniser([Taught("hold", [episode(Stroke(seconds, 5)) for seconds in each])])
        for each in ([1, 1, 1.05], [0.5, 1, 2])
    )
    between = episode(Stroke(1.5, 5))
    near, far = uneven.decide(between), even.decide(between)
    assert near is not None and far is not None and near.distance < far.distance / 1.5


def test_a_rival_is_the_nearest_other_gesture() -> None:
    double = taught("double", DOUBLE_TAP)
    rival = ALL.rival(double)
    assert rival is not None and rival.name == "hold" and rival.distance > 2 * double.spread
    assert Recogniser([double]).rival(double) is None


def calls(work: Any) -> int:
    """How many functions it calls."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_training_and_a_decision_cost_little() -> None:
    """2,000 calls take less than a millisecond on a machine of 2020, and 100,000 less than fifty."""
    many = Recogniser([taught(f"{number}", SWIPE_IN) for number in range(6)])
    short, long = episode(*HOLD), episode(Stroke(4.0, 5))
    examples = [jittered(seed, *HOLD) for seed in range(5)]
    decision = calls(lambda: many.decide(short))
    assert decision < 2000
    assert calls(lambda: many.decide(long)) < 2.5 * decision
    assert calls(lambda: Taught("hold", examples)) < 10 * decision


# The file

ROW = "   0   0   0   0   0  60 100  60   0   0   0   0   0\n"
EXAMPLE = ROW + ROW.replace("   0 ", "  17 ", 1)
VALID = 'version = 1\n[[gesture]]\nname = "a"\nexamples = [\n' + f'"""\n{EXAMPLE}""",\n' * 3 + "]\n"


def stored(name: str = "in", strokes: Sequence[Stroke | float] = SWIPE_IN, tolerance: float = 1.0) -> file.Gesture:
    return file.Gesture(name, tuple(jittered(seed, *strokes) for seed in range(5)), tolerance)


def problem(text: str) -> str:
    with pytest.raises(Problem) as found:
        file.parse(text)
    return f"{found.value.line}: {found.value}"


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "gestures.toml"
    gesture = stored("a name", tolerance=1.5)
    file.change(path, gesture.name, gesture)
    (read,) = file.read(path)
    assert (read.name, read.tolerance) == ("a name", 1.5)
    for before, after in zip(gesture.examples, read.examples):
        assert [sample.levels for sample in before.samples] == [sample.levels for sample in after.samples]
        assert after.duration == pytest.approx(before.duration, abs=0.001)
    assert path.stat().st_mode & 0o777 == 0o600 and [one.name for one in path.parent.iterdir()] == [path.name]


def test_an_example_can_be_read(tmp_path: Path) -> None:
    assert file.rows(
        Episode((Sample(7.0, (0,) * 5 + (100, 60) + (0,) * 5), Sample(7.0173, (0,) * 5 + (128, 7) + (0,) * 5)))
    ) == (
        "   0   0   0   0   0   0 100  60   0   0   0   0   0\n  17   0   0   0   0   0 128   7   0   0   0   0   0\n"
    )


def test_a_missing_or_empty_file_has_no_gestures(tmp_path: Path) -> None:
    assert file.read(tmp_path / "none") == file.parse("") == file.parse("version = 1\n") == []


def test_all_else_in_the_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "gestures.toml"
    other = VALID[12:].replace('"a"', '"b"')
    for newline in ("\n", "\r\n"):
        path.write_bytes(f"# mine\n{VALID}# after a\n\n{other}# end".replace("\n", newline).encode())
        file.change(path, "a", stored("a"))
        file.change(path, "c", stored("c"))
        assert [gesture.name for gesture in file.read(path)] == ["a", "b", "c"]
        file.change(path, "c", None)
        file.change(path, "a", None)
        rest = f"# mine\nversion = 1\n# after a\n\n{other}# end\n\n".replace("\n", newline)
        assert path.read_bytes().decode() == rest
        path.unlink()


def test_a_file_that_changes_meanwhile_is_not_overwritten(
    tmp_path: Path, changed_meanwhile: Callable[[Path, str], None]
) -> None:
    path = tmp_path / "gestures.toml"
    path.write_text(VALID)
    changed_meanwhile(path, "# another program\n")
    with pytest.raises(Problem, match="changed by another program"):
        file.change(path, "b", stored("b"))
    assert path.read_text() == "# another program\n" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "text, message",
    [
        ("[[gesture]]", "1: the key version is missing"),
        ("version = 2", "1: key version: the file has format 2; this jacquardctl knows format 1"),
        ("version = 'x'", "1: key version: 'x' is not a number"),
        ("version = 1\ngesture = 3", "2: key gesture: 3 is not a list of tables"),
        ("version = 1\ngestures = []", "2: key gestures: unknown key; did you mean gesture?"),
        (VALID.replace("name", "nam"), "3: [[gesture]] number 1, key nam: unknown key; did you mean name?"),
        (VALID.replace('"a"', '" a"'), "3: [[gesture]] number 1, key name: ' a' is not a name of at most 40 letters, "),
        (VALID + VALID[12:], "19: [[gesture]] number 2, key name: there is another gesture 'a'"),
        (VALID + "tolerance = 0", "18: [[gesture]] number 1, key tolerance: 0 is out of range; expected 0.1 to 10"),
        (VALID + "tolerance = nan", "18: [[gesture]] number 1, key tolerance: nan is not a number"),
        (
            VALID.replace(f'"""\n{EXAMPLE}""",\n', "", 1),
            "4: [[gesture]] number 1, key examples: 2 examples; expected 3 to 25",
        ),
        (VALID.replace("  17 ", "  17 x", 1), "7: [[gesture]] number 1, key examples[1]: row 2: '  17 x  0 "),
        (VALID.replace("  17 ", "  17 1 ", 1), "7: [[gesture]] number 1, key examples[1]: row 2: '  17 1   0 "),
        (
            VALID.replace("  17 ", "5001 ", 1),
            "7: [[gesture]] number 1, key examples[1]: row 2: the time 5001 is out of range; ",
        ),
        (
            VALID.replace("   0 ", "  18 ", 1),
            "7: [[gesture]] number 1, key examples[1]: row 2: the time 17 is out of range; ",
        ),
        (
            VALID.replace(" 100", " 256", 1),
            "6: [[gesture]] number 1, key examples[1]: row 1: the level 256 is out of range; ",
        ),
        (
            VALID.replace("100", "  1").replace("60", " 1"),
            "5: [[gesture]] number 1, key examples[1]: expected two rows ",
        ),
        (VALID.replace("100", "9" * 90), "6: [[gesture]] number 1, key examples[1]: row 1: '   0   0 "),
    ],
    ids=range(18),
)
def test_what_is_wrong_has_a_line_and_a_message(text: str, message: str) -> None:
    assert problem(text).startswith(message)


@pytest.mark.parametrize(
    "number, content",
    enumerate(
        [b"\xff", b"#\n" * (toml_file.LARGEST // 2 + 1), b"a = [[[[" * 500, b'version = 1\nname = "' + b"x" * 5000]
    ),
    ids=range(4),
)
def test_hostile_bytes_give_a_message(number: int, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "gestures.toml"
    path.write_bytes(content)
    with pytest.raises(toml_file.Invalid, match=f"^{path}:[0-9]+: "):
        file.read(path)


# The command, with recordings


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
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
