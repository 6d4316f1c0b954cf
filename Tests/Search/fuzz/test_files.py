"""Files that people write, with any content: maps of jacquardctl play, taught gestures and data sets. Each is accepted, and
can then be used, or refused with the line of each problem.

Without variables, the inputs are always the same. `EXAMPLES=100000 SEED=1 Tests/Support/long files` searches further.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

import pytest
import tomlkit
from conftest import LIBRARY, ROOT
from hypothesis import HealthCheck, given, seed, settings, strategies as some

# By default Hypothesis uses a folder in the current directory.
os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(ROOT / "build" / "hypothesis")
os.environ["JACQUARD_LIBRARY"] = str(LIBRARY)
sys.path += map(str, [ROOT / "bindings/python/src", *ROOT.glob("apps/*/src")])

from jacquard import TouchPhase, TouchPoint  # noqa: E402
from jacquard_apps.recording import label  # noqa: E402
from jacquard_apps.terminal import exits  # noqa: E402
from jacquard_automations.commands.play import MAPS  # noqa: E402
from jacquard_automations.playing import maps  # noqa: E402
from jacquard_automations.trained import episodes, file  # noqa: E402
from jacquardctl.recording import dataset  # noqa: E402
from jacquardctl.running import status_of  # noqa: E402

EXAMPLES = int(os.environ.get("EXAMPLES", 300))
SEED = os.environ.get("SEED")
# A limit against hanging only. The largest files are a few kilobytes.
SECONDS = 60

Bytes = some.SearchStrategy[bytes]
# Texts that are special in these files, or were in others.
WORDS = (
    *'" """ \'\'\' [ [[ ] ]] { } = , : . # \\ "\\ud800" \\u0000 - + é nan inf 1e400 0x1 1979-05-27 07:32:00 true null'.split(),
    *("\n", "\r", "\r\n", "\t", "\0", " ", "\x1b[2J", "\u2028", "\ufeff", "9" * 30, "7" * 5000, "[" * 60),
    *("version", "gesture", "strings", "time"),
)


@dataclasses.dataclass(frozen=True)
class Kind:
    """command: reads the file at a path. use: uses all of it, if it was accepted."""

    name: str
    valid: bytes
    parts: Bytes
    command: tuple[str, ...]
    use: Callable[[Path], object]

    @property
    def contents(self) -> Bytes:
        """Any bytes, a valid file with a few changes, and files of plausible parts."""
        inserted = some.sampled_from(WORDS).map(str.encode) | some.binary(max_size=6)
        edit = some.tuples(some.integers(0, len(self.valid)), some.integers(0, 20), inserted)
        return some.binary(max_size=200) | some.lists(edit, max_size=5).map(self.edited) | self.parts

    def edited(self, edits: list[tuple[int, int, bytes]]) -> bytes:
        content = self.valid
        for start, length, inserted in edits:
            content = content[:start] + inserted + content[start + length :]
        return content


# TOML


SCALARS = some.booleans() | some.integers(-3, 300) | some.integers() | some.floats() | some.text(max_size=8)
VALUES = some.recursive(
    SCALARS | some.dates() | some.sampled_from(["E2", "F#3", "play", "a"]),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text("abc ", min_size=1), inner, max_size=3),
    max_leaves=6,
)


def usually(value: some.SearchStrategy[Any]) -> some.SearchStrategy[Any]:
    return some.integers(0, 24).flatmap(lambda chance: value if chance else VALUES)


def any_of(**members: some.SearchStrategy[Any]) -> some.SearchStrategy[Any]:
    return some.fixed_dictionaries({}, optional={name: usually(value) for name, value in members.items()})


def table(**members: some.SearchStrategy[Any]) -> some.SearchStrategy[Any]:
    """A table, usually with all of these members, else with some of them, or with another one."""
    known = some.fixed_dictionaries({name: usually(value) for name, value in members.items()})
    other = some.dictionaries(some.sampled_from([*members, "x"]), VALUES, max_size=1)
    more = some.tuples(known, other).map(lambda both: {**both[0], **both[1]})
    return some.integers(0, 9).flatmap(lambda chance: known if chance else any_of(**members) | more | VALUES)


def toml(root: some.SearchStrategy[Any]) -> Bytes:
    return root.filter(lambda value: isinstance(value, dict)).map(lambda value: tomlkit.dumps(value).encode())


LINES = some.tuples(some.integers(0, 11), some.integers(0, 11)).map(list)
CHANNEL = some.integers(1, 16)
NOTE = some.sampled_from(["E2", "Bb2", "C-1", "g9"]) | some.integers(0, 127)
PRESS = table(note=NOTE, velocity=some.integers(1, 127), channel=CHANNEL) | table(
    mmc=some.sampled_from(["play", "stop"])
)
MAP = any_of(
    strings=table(
        lines=LINES, notes=some.lists(NOTE, min_size=1, max_size=12), channel=CHANNEL, voices=some.integers(1, 3),
        bend=some.floats(0, 2), bend_range=some.integers(2, 24), strum=some.booleans(), program=some.integers(1, 128),
    ),
    fader=some.lists(
        table(lines=LINES, name=some.text("ab-", min_size=1), cc=some.integers(0, 31), bits=some.sampled_from([7, 14])),
        max_size=2,
    ),
    pad=some.lists(table(lines=LINES, tap=PRESS, hold=PRESS, hold_time=some.floats(0.3, 10)), max_size=2),
)  # fmt: skip
ROW = some.lists(some.integers(0, 130), min_size=12, max_size=12)
EXAMPLE = some.lists(ROW, min_size=2, max_size=5).map(
    lambda rows: "".join(f"{17 * place} {' '.join(map(str, row))}\n" for place, row in enumerate(rows))
)
GESTURES = table(
    version=some.just(1),
    gesture=some.lists(
        table(
            name=some.text(min_size=1, max_size=5),
            tolerance=some.floats(0.1, 10),
            examples=some.lists(EXAMPLE, min_size=3, max_size=4),
        ),
        max_size=3,
    ),
)


def play(path: Path) -> None:
    instrument = maps.read(path)
    for place in range(12):
        for phase in (TouchPhase.BEGAN, TouchPhase.MOVED, TouchPhase.ENDED):
            for one in instrument.take([TouchPoint(place + 1, phase, place, 1, 80, 0, place * 1.0)]):
                assert all(0 <= byte < 256 for byte in one.midi)


def recognise(path: Path) -> None:
    gestures = file.read(path)
    recogniser = file.recogniser(gestures)
    for gesture in gestures:
        for example in gesture.examples:
            decision = recogniser.decide(example)
            assert decision is not None and decision.distance >= 0


def swipe() -> episodes.Episode:
    levels = [[max(0, 100 - 30 * abs(line - place)) for line in range(12)] for place in range(8)]
    return episodes.Episode(tuple(episodes.Sample(place / 60, tuple(row)) for place, row in enumerate(levels)))


# Data sets


JSON = some.recursive(
    some.none() | SCALARS,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text("abc", max_size=2), inner, max_size=3),
    max_leaves=6,
)
GARMENT = some.sampled_from(["Jacket", "Levi's 2"]) | some.text()
HEADER = table(
    jacquard_recording=some.just(1), library=some.just("0.1.0"), consent=some.just(1), license=some.just(label.LICENSE),
    label=table(gesture=some.sampled_from(label.GESTURES), hand=some.sampled_from(label.HANDS), garment=GARMENT),
)  # fmt: skip
TOUCH = table(
    sequence=some.integers(1, 99),
    proximity=some.integers(0, 255),
    lines=some.lists(some.integers(0, 128), min_size=12, max_size=12),
)
SAMPLE = table(time=some.floats(0, 9), touch=TOUCH)
VALID_HEADER = {
    "jacquard_recording": 1, "library": "0.1.0", "label": {"gesture": "tap", "hand": "left", "garment": "Jacket"}, "consent": 1,
    "license": label.LICENSE,
}  # fmt: skip
VALID_SAMPLES = [
    {"time": place / 60, "touch": {"sequence": place + 1, "proximity": 9, "lines": [place, *range(11)]}}
    for place in range(3)
]


def time_of(value: Any) -> float:
    time = value.get("time") if isinstance(value, dict) else None
    return time if isinstance(time, float) and time > 0 else 0.0


def as_lines(values: list[Any]) -> bytes:
    return "".join(f"{json.dumps(value, default=str)}\n" for value in values).encode()


# Samples with any time are ordered.
PARTS = some.tuples(HEADER, some.lists(SAMPLE, min_size=1, max_size=4)).map(
    lambda both: as_lines([both[0], *sorted(both[1], key=time_of)])
)


def export(path: Path) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as written:
        assert status_of(["dataset", "export", str(path), "-"]) == exits.OK
    samples = sum(len(recording.samples) for recording in dataset.recordings(path))
    assert written.getvalue().count("\n") == 1 + samples


KINDS = [
    Kind("map.toml", "\n".join(map(maps.shipped, MAPS[:1])).encode(), toml(MAP), ("play", "--check", "--map"), play),
    Kind(
        "gestures.toml", (file.HEAD + file.written(file.Gesture("zigzag", (swipe(),) * 3))).encode(), toml(GESTURES),
        ("gesture", "list"), recognise,
    ),
    Kind(
        "data.jsonl", as_lines([VALID_HEADER, *VALID_SAMPLES]),
        some.lists(HEADER | SAMPLE | JSON, max_size=4).map(as_lines) | PARTS, ("dataset", "check"), export,
    ),
]  # fmt: skip


@contextlib.contextmanager
def no_hang() -> Iterator[None]:
    def end(*_: object) -> None:
        raise AssertionError(f"it takes longer than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def is_accepted(kind: Kind, content: bytes, path: Path) -> bool:
    path.write_bytes(content)
    words = [*kind.command] if kind.name == "gestures.toml" else [*kind.command, str(path)]
    with (
        no_hang(),
        contextlib.redirect_stdout(io.StringIO()) as shown,
        contextlib.redirect_stderr(io.StringIO()) as complaint,
    ):
        status = status_of(words)
        if status == exits.OK:
            kind.use(path)
    if status == exits.OK:
        return True
    assert (status, shown.getvalue()) == (exits.USAGE, "")
    lines = complaint.getvalue().removesuffix("\n").split("\n")
    for line in lines:
        found = re.fullmatch(rf"jacquardctl: {re.escape(str(path))}:(\d+): (.+)", line)
        assert found and 1 <= int(found[1]) <= content.count(b"\n") + 1 and line.isprintable(), line
    return False


@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_any_content_is_accepted_or_refused_with_its_line(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "jacquard" / kind.name
    path.parent.mkdir()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    outcomes: Counter[bool] = Counter()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=SEED is None,
        suppress_health_check=list(HealthCheck),
    )
    @given(kind.contents)
    def search(content: bytes) -> None:
        outcomes[is_accepted(kind, content, path)] += 1

    (search if SEED is None else seed(int(SEED))(search))()
    print(f"{kind.name}: {outcomes[True]} accepted, {outcomes[False]} refused")
    assert min(outcomes[True], outcomes[False]) > EXAMPLES // 100
