"""The format of labelled recordings, and files that are made of several."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import ctl
import places
import pytest
from jacquard_apps.terminal import exits
from jacquardctl.recording import dataset
from jacquardctl.recording.dataset import BadDataset
from test_dataset import AGAIN, FIRST, GARMENT, GOOD, HEAD, LINES, SECOND, file_of, told


def test_check_lists_recordings(tmp_path: Path) -> None:
    file = file_of(tmp_path, "file", *GOOD, HEAD.replace("swipe_in", "tap"), SECOND)
    ran = told("dataset", "check", file, "--json")
    assert (ran.returncode, ran.stderr) == (exits.OK, "")
    first = {"file": str(file), "line": 1, "gesture": "swipe_in", "hand": "right", "garment": GARMENT}
    second = {"file": str(file), "line": 5, "gesture": "tap", "hand": "right", "garment": GARMENT}
    assert ctl.objects(ran.stdout) == [
        {**first, "samples": 3, "touches": 2, "seconds": 1.5},
        {**second, "samples": 1, "touches": 1, "seconds": 0.016731},
    ]
    assert f"{file}:5  tap" in told("dataset", "check", file).stdout


def test_check_reports_each_file_with_its_line_and_continues(tmp_path: Path) -> None:
    bad = file_of(tmp_path, "bad", HEAD, FIRST, HEAD, "{}")
    good = file_of(tmp_path, "good", *GOOD)
    ran = told("dataset", "check", bad, tmp_path / "missing", tmp_path, good)
    assert ran.returncode == exits.USAGE
    first, second, third = ran.stderr.splitlines()
    assert first == f"jacquardctl: {bad}:4: time, touch is missing"
    assert "missing: No such file or directory" in second and "Is a directory" in third
    # Nothing is listed of a file that cannot be published.
    assert f"{good}:1" in ran.stdout and str(bad) not in ran.stdout


def changed(line: str, old: str, new: str) -> str:
    assert old in line
    return line.replace(old, new)


@pytest.mark.parametrize(
    ("number", "line", "text"),
    [
        (1, "", "not valid JSON"),
        (1, "[]", "not a JSON object"),
        (1, FIRST, "not the header"),
        (1, changed(HEAD, ": 1,", ": 2,"), "format 1"),
        (1, changed(HEAD, '_recording": 1', '_recording": true'), "format 1"),
        (1, '{"jacquard_recording": 1, "library": "0.1.0", "started": "2026"}', "not a labelled recording"),
        (1, changed(HEAD, '"consent": 1, ', ""), "no consent"),
        (1, changed(HEAD, '"consent": 1', '"consent": 2'), "consent is not 1"),
        (1, changed(HEAD, '"consent": 1', '"consent": true'), "consent is not 1"),
        (1, changed(HEAD, "CC0-1.0", "CC-BY-4.0"), "license is not CC0-1.0"),
        (1, changed(HEAD, '"license"', '"started": "2026-11-26", "license"'), "started is not part of the format"),
        (1, changed(HEAD, '"license"', '"serial": "01ZK", "license"'), "serial is not part of the format"),
        (1, changed(HEAD, '"license"', '"consent": 1, "license"'), "not valid JSON"),
        (1, changed(HEAD, '"0.1.0"', "1"), "library"),
        (1, changed(HEAD, '"hand": "right", ', ""), "hand is missing"),
        (1, changed(HEAD, '"hand"', '"owner": "Ann", "hand"'), "owner is not part of the format"),
        (1, changed(HEAD, '"right"', '"both"'), "not a hand"),
        (1, changed(HEAD, '"right"', '["right"]'), "expected strings"),
        (1, changed(HEAD, "swipe_in", "Swipe"), "not a gesture"),
        (1, changed(HEAD, "Jacket", "Jacket 0000AAAAA001ZK"), "serial number"),
        (1, changed(HEAD, "Jacket", "Jacquard-01ZK"), "serial number, name or address"),
        (1, changed(HEAD, "Jacket", "00:1A:7D:DA:71:13"), "not a garment"),
        (1, changed(HEAD, "Jacket", "00-1A-7D-DA-71-13"), "address"),
        (1, changed(HEAD, "Jacket", "ae7dc88c-1437-5d1e-a862-ce1037371c9a"), "address"),
        (1, changed(HEAD, "Jacket", "\\u001b[2J"), "not a garment"),
        (1, changed(HEAD, "Jacket", "\\ud800"), "not a garment"),
        (1, changed(HEAD, "Jacket", "x" * 60), "not a garment"),
        (2, changed(FIRST, "0.0", "-1"), "time"),
        (2, changed(FIRST, "0.0", "NaN"), "not valid JSON"),
        (2, changed(FIRST, "0.0", "1e999"), "time"),
        (2, changed(FIRST, "0.0", "1" + "0" * 400), "time"),
        (2, changed(FIRST, "0.0", '"0"'), "time"),
        (2, changed(FIRST, "0.0", "true"), "time"),
        (2, changed(FIRST, "128", "129"), "lines: expected whole numbers from 0 to 128"),
        (2, changed(FIRST, "128", "1.5"), "lines"),
        (2, changed(FIRST, "128, ", ""), "lines is not a list of 12"),
        (2, changed(FIRST, '"proximity": 90', '"proximity": 256'), "proximity is not a whole number from 0 to 255"),
        (2, changed(FIRST, '"sequence": 1', '"sequence": -1'), "sequence"),
        (2, changed(FIRST, '"sequence": 1', '"sequence": 4294967296'), "sequence"),
        (2, changed(FIRST, '"sequence": 1, ', ""), "sequence is missing"),
        (2, changed(FIRST, '"touch": {', '"touch": {"tag": "01ZK", '), "tag is not part of the format"),
        (2, '{"time": 0, "found": {"serial": "01ZK"}}', "touch is missing"),
        (2, '{"time": 0, "touch": []}', "expected an object"),
        (2, "[" * 4000, "not valid JSON"),
        (2, FIRST + " " * 5000, "longer than 4096 bytes"),
        (4, changed(FIRST, "0.0", "0.01"), "time is not a number from 0.016731"),
        (4, HEAD, "contains no touch"),
    ],
)
def test_what_is_not_of_the_format_is_refused_with_its_line(tmp_path: Path, number: int, line: str, text: str) -> None:
    lines = [*GOOD[: number - 1], line, *GOOD[number:]]
    if line == HEAD:
        lines = lines[:number]
    file = file_of(tmp_path, "file", *lines)
    with pytest.raises(BadDataset, match=f"^{re.escape(str(file))}:{number}: .*{re.escape(text)}"):
        list(dataset.recordings(file))


def test_a_damaged_file_is_refused_or_valid(tmp_path: Path) -> None:
    """Any one of its words may be replaced, and its end may be missing."""
    others = ["null", "true", "-1", "1e400", "1" * 400, "[]", "{}", '""', '"\\ud800"', '"label"', '{"a": {}}', ""]
    word = re.compile(r'"(?:[^"\\]|\\.)*"|-?[\d.]+|[{}\[\],:]')
    lines = [HEAD, FIRST]
    whole = "\n".join(lines)
    texts = [whole[:length].encode() for length in range(len(whole))]
    texts += [whole.encode().replace(b"Jacket", junk) for junk in (b"\xff", b"\0", b"\xed\xa0\x80", b"\r", b"\n")]
    for number, line in enumerate(lines):
        for found in word.finditer(line):
            damaged = [line[: found.start()] + other + line[found.end() :] for other in others]
            texts += ["\n".join([*lines[:number], one, *lines[number + 1 :]]).encode() for one in damaged]
    file = tmp_path / "file"
    refused = 0
    for text in texts:
        file.write_bytes(text)
        try:
            list(dataset.recordings(file))
        except BadDataset as error:
            refused += 1
            assert str(error).startswith(f"{file}:")
    assert 0.9 * len(texts) < refused < len(texts)


@pytest.mark.parametrize("action", ["check", "merge", "export"])
@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 9000, bytes(range(256)) * 99, b"[" * 10**6, b"\xff\xfe{\0}\0\n"],
    ids=["empty", "zeros", "binary", "nested", "UTF-16"],
)
def test_no_content_of_a_file_causes_a_traceback(tmp_path: Path, action: str, content: bytes) -> None:
    file, target = tmp_path / "file", tmp_path / "target.csv"
    file.write_bytes(content)
    ran = told("dataset", action, file, *([] if action == "check" else [target]))
    assert ran.returncode == exits.USAGE and f"{file}:1: " in ran.stderr and not target.exists()


def test_a_device_without_an_end_is_refused(tmp_path: Path) -> None:
    assert "/dev/zero: not a file" in told("dataset", "check", "/dev/zero").stderr


def test_merge_changes_no_line_and_its_order_depends_on_the_recordings_only(tmp_path: Path) -> None:
    one = file_of(tmp_path, "one", *GOOD)
    spaced = [HEAD.replace("swipe_in", "tap").replace(": ", ":"), SECOND.replace(", ", " ,  ")]
    two = file_of(tmp_path, "two", *spaced)
    two.write_text(two.read_text().rstrip("\n"))
    three = file_of(tmp_path, "three", HEAD.replace("right", "left"), AGAIN, AGAIN)
    whole, again = tmp_path / "whole", tmp_path / "again"
    assert told("dataset", "merge", one, two, three, whole).returncode == exits.OK
    assert whole.read_text().splitlines() == [HEAD.replace("right", "left"), AGAIN, AGAIN, *GOOD, *spaced]
    assert told("dataset", "merge", three, two, one, again).returncode == exits.OK
    assert again.read_bytes() == whole.read_bytes()
    assert told("dataset", "check", whole).returncode == exits.OK
    more = tmp_path / "more"
    assert told("dataset", "merge", whole, more).returncode == exits.OK
    assert more.read_bytes() == whole.read_bytes()


def test_merge_refuses_duplicates_whatever_their_label_and_writes_nothing(tmp_path: Path) -> None:
    one = file_of(tmp_path, "one", *GOOD)
    other = file_of(tmp_path, "other", HEAD, SECOND, HEAD.replace("swipe_in", "tap"), FIRST, SECOND, AGAIN)
    ran = told("dataset", "merge", one, other, tmp_path / "target")
    assert (ran.returncode, ran.stdout) == (exits.USAGE, "")
    assert ran.stderr == f"jacquardctl: {other}:3: the same samples as in {one}:1\n"
    assert not (tmp_path / "target").exists()
    assert told("dataset", "check", one, one).returncode == exits.USAGE


def test_merge_and_export_refuse_files_without_consent_and_keep_existing_ones(tmp_path: Path) -> None:
    without = file_of(tmp_path, "without", HEAD.replace('"consent": 1, ', ""), FIRST)
    good = file_of(tmp_path, "good", *GOOD)
    for action in ("merge", "export"):
        target = tmp_path / f"{action}.csv"
        ran = told("dataset", action, good, without, target)
        assert ran.returncode == exits.USAGE and f"{without}:1: there is no consent" in ran.stderr
        assert not target.exists()
        target.write_text("mine")
        ran = told("dataset", action, good, target)
        assert ran.returncode == exits.USAGE and "File exists" in ran.stderr and target.read_text() == "mine"


def test_export_writes_a_row_for_each_sample(tmp_path: Path) -> None:
    file = file_of(tmp_path, "file", *GOOD, HEAD.replace("swipe_in", "tap"), SECOND)
    target = tmp_path / "table.csv"
    assert told("dataset", "export", file, target).returncode == exits.OK
    names, *rows = csv.reader(target.read_text().splitlines())
    label_names = ["recording", "gesture", "hand", "garment"]
    assert names == [*label_names, "time", "sequence", "proximity", *(f"line{number}" for number in range(1, 13))]
    lines = LINES.split(", ")
    assert rows == [
        ["1", "swipe_in", "right", GARMENT, "0.0", "1", "90", *lines],
        ["1", "swipe_in", "right", GARMENT, "0.016731", "2", "90", *lines],
        ["1", "swipe_in", "right", GARMENT, "1.5", "1", "90", *lines],
        ["2", "tap", "right", GARMENT, "0.016731", "2", "90", *lines],
    ]
    assert told("dataset", "export", file, "-").stdout == target.read_text()
    assert told("dataset", "export", file, "-", "--json").returncode == exits.USAGE
    assert "does not end with .csv or .parquet" in told("dataset", "export", file, tmp_path / "table.xls").stderr


def test_export_without_pyarrow_names_the_package(tmp_path: Path) -> None:
    (tmp_path / "pyarrow.py").write_text("raise ImportError('not here')\n")
    file, target = file_of(tmp_path, "file", *GOOD), tmp_path / "table.parquet"
    ran = told("dataset", "export", file, target, PYTHONPATH=f"{tmp_path}:{places.PYTHONPATH}")
    assert (ran.returncode, ran.stdout) == (exits.USAGE, "") and not target.exists()
    assert "pyarrow cannot be imported" in ran.stderr and "[arrow]" in ran.stderr
