"""Labelled recordings: written with consent and without personal data, checked, joined and converted."""

from __future__ import annotations

import json
import os
import pwd
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import ctl
import places
import pytest
from fingers import PERIOD
from jacquard_apps.recording import label, reader
from jacquard_apps.recording.label import Label
from jacquard_apps.terminal import exits
from jacquard_board.playback import Playback
from jacquardctl.recording import dataset
from simulator import SERIAL, Simulator
from waiting import until

GARMENT = "Levi's Trucker Jacket"
OPTIONS = ["--label", "swipe_in", "--hand", "right", "--garment", GARMENT, "--consent"]
HEAD = (
    '{"jacquard_recording": 1, "library": "0.1.0", "label": {"gesture": "swipe_in", "hand": "right", '
    '"garment": "Levi\'s Trucker Jacket"}, "consent": 1, "license": "CC0-1.0"}'
)
LINES = "0, 0, 3, 80, 128, 41, 0, 0, 0, 0, 0, 0"
FIRST = f'{{"time": 0.0, "touch": {{"sequence": 1, "proximity": 90, "lines": [{LINES}]}}}}'
SECOND = FIRST.replace("0.0", "0.016731").replace('"sequence": 1', '"sequence": 2')
AGAIN = FIRST.replace("0.0", "1.5")
GOOD = [HEAD, FIRST, SECOND, AGAIN]


def file_of(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def told(*words: object, **options: object) -> subprocess.CompletedProcess[str]:
    """A command that needs no tag. It ends without a traceback, whatever it reads."""
    ran = subprocess.run(
        ctl.program(*map(str, words)),
        env=ctl.environment("unix:path=/nonexistent", **{str(k): str(v) for k, v in options.items()}),
        capture_output=True,
        text=True,
        timeout=ctl.LONGEST,
        stdin=subprocess.DEVNULL,
    )
    assert "Traceback" not in ran.stderr
    return ran


@pytest.fixture(scope="module")
def tag() -> Iterator[Simulator]:
    with Simulator() as simulator:
        simulator.tell("gear attach levis-trucker")
        yield simulator


def recorder(tag: Simulator, *words: str, typed: str = "") -> ctl.OnTerminal:
    return ctl.OnTerminal(tag, "record", SERIAL, *words, typed=typed)


def touch(tag: Simulator, file: Path, samples: int = 30) -> None:
    """Touches the sleeve until the file has this number of samples."""
    until(
        lambda: file.exists() and file.read_text().count("\n") > samples,
        ctl.LONGEST,
        meanwhile=lambda: tag.tell("touch sweep"),
        period=PERIOD,
    )


def test_a_labelled_recording_contains_its_label_and_touches_and_nothing_else(tag: Simulator, tmp_path: Path) -> None:
    file = tmp_path / "swipe.jsonl"
    record = recorder(tag, str(file), *OPTIONS)
    record.until("Repeat swipe_in")
    touch(tag, file)
    assert record.end(signal.SIGINT) == exits.INTERRUPTED
    assert " ".join(label.CONSENT.split()) in " ".join(record.shown.split())
    assert "Do you agree?" not in record.shown
    (recording,) = dataset.recordings(file)
    assert recording.label == Label("swipe_in", "right", GARMENT)
    assert recording.samples[0].time < 1 and len(recording.samples) >= 30
    text = file.read_text()
    for name in personal(tag):
        assert not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE), name
    assert not re.search(r"20\d\d-\d\d|started|found|adapter|log", text)


def personal(tag: Simulator) -> list[str]:
    """Data that identify the tag, its adapter, the user and this computer."""
    *_, seen = ctl.objects(ctl.run(tag, "scan", "--timeout", "1", "--json").stdout)
    info = ctl.objects(ctl.run(tag, "info", SERIAL, "--json").stdout)[0]
    strings = [value for value in [*seen.values(), *info.values()] if isinstance(value, str)]
    found = [one for one in strings if len(one) > 3 and one not in ("Google", "Jacquard")]
    assert SERIAL in found and any(re.fullmatch("([0-9A-F]{2}:){5}[0-9A-F]{2}", one) for one in found)
    user = pwd.getpwuid(os.getuid())
    return [*found, socket.gethostname(), user.pw_name, user.pw_dir.strip("/"), "Jacquard-", os.getcwd()]


def test_the_questions_are_asked_on_a_terminal_until_they_are_answered(tag: Simulator, tmp_path: Path) -> None:
    file = tmp_path / "tap.jsonl"
    record = recorder(tag, str(file), "--label", typed="Tap it!\ntap\nboth\nleft\nred bag\ny\n")
    record.until("Repeat tap")
    touch(tag, file, samples=1)
    assert record.end(signal.SIGINT) == exits.INTERRUPTED
    assert "'both' is not a hand: expected left or right" in record.shown
    assert "'Tap it!' is not a gesture" in record.shown
    assert [recording.label for recording in dataset.recordings(file)] == [Label("tap", "left", "red bag")]


@pytest.mark.parametrize("no", ["\n", "n\n", "\x04"])
def test_without_consent_nothing_is_written(tag: Simulator, tmp_path: Path, no: str) -> None:
    file = tmp_path / "file"
    record = recorder(tag, str(file), "--label", "tap", "--hand", "left", "--garment", "bag", typed=no)
    assert record.end() == exits.REFUSED
    assert "there is no consent" in record.shown and not file.exists()


def test_without_a_terminal_nothing_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "file"
    ran = told("record", SERIAL, file, "--label", "--garment", "bag")
    assert ran.returncode == exits.USAGE and not file.exists()
    assert "needs --label LABEL, --hand, --consent as well" in ran.stderr


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--hand", "left"], "need --label"),
        (["--consent"], "need --label"),
        (["--label", "Swipe", *OPTIONS[2:]], "not a gesture"),
        (["--label", "swipe_in", "--hand", "both"], "invalid choice"),
        ([*OPTIONS, "--garment", "jacket 0000AAAAA001ZK"], "contains the serial number"),
        ([*OPTIONS, "--garment", "=cmd"], "not a garment"),
        ([*OPTIONS, "--garment", "ann@home"], "not a garment"),
    ],
)
def test_a_wrong_label_is_refused(tmp_path: Path, words: list[str], text: str) -> None:
    ran = told("record", SERIAL, tmp_path / "file", *words)
    assert ran.returncode == exits.USAGE and text in ran.stderr and not (tmp_path / "file").exists()


@pytest.mark.parametrize("name", [SERIAL.lower(), pwd.getpwuid(os.getuid()).pw_name, socket.gethostname()])
def test_a_label_with_a_name_of_tag_owner_or_computer_is_refused(tag: Simulator, tmp_path: Path, name: str) -> None:
    ran = ctl.run(tag, "record", SERIAL, str(tmp_path / "file"), *OPTIONS, "--garment", f"bag of {name}")
    assert ran.returncode == exits.USAGE and "leave it out" in ran.stderr and not (tmp_path / "file").exists()


def test_an_existing_file_is_kept_and_a_sleeve_that_is_not_touched_is_reported(tag: Simulator, tmp_path: Path) -> None:
    file = file_of(tmp_path, "file", *GOOD)
    ran = ctl.run(tag, "record", SERIAL, str(file), *OPTIONS)
    assert ran.returncode == exits.USAGE and "--force" in ran.stderr and file.read_text().splitlines() == GOOD
    ran = ctl.run(tag, "record", SERIAL, str(file), *OPTIONS, "--force", "--for", "0.5")
    assert ran.returncode == exits.FAILED and "was not touched" in ran.stderr
    assert file.read_text().splitlines() == GOOD and list(tmp_path.iterdir()) == [file]


def test_the_board_shows_a_labelled_recording() -> None:
    recording = reader.read(GOOD)
    playback = Playback("key", "file", recording, lambda: None)
    playback.seek(2)
    assert [sample[0] for sample in playback.view.samples] == [0, 0.017, 1.5]


def test_other_readers_refuse_what_they_cannot_use(tmp_path: Path) -> None:
    file, several = file_of(tmp_path, "file", *GOOD), file_of(tmp_path, "several", *GOOD, HEAD, SECOND)
    for words in (["replay", file], ["replay", file, "--scenario"]):
        ran = told(*words)
        assert ran.returncode == exits.USAGE and "a labelled recording contains touches and no packets" in ran.stderr
    ran = told("replay", several)
    assert ran.returncode == exits.USAGE and "line 5 of the recording: another recording begins" in ran.stderr
    ran = told("motion", "show", file)
    assert ran.returncode != exits.OK and "is not a motion file" in ran.stderr


def test_the_document_has_the_consent_and_a_valid_file(tmp_path: Path) -> None:
    document = (places.ROOT / "docs" / "dataset.md").read_text()
    assert label.CONSENT in re.sub("^> ?", "", document, flags=re.MULTILINE)
    (example,) = re.findall('```\n({"jacquard_recording".*?)```', document, re.DOTALL)
    (tmp_path / "file").write_text(example)
    assert [json.loads(line) for line in example.splitlines()]
    assert len(list(dataset.recordings(tmp_path / "file"))) == 1
