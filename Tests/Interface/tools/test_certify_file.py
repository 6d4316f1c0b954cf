"""The file of jacquardctl certify: what it contains and must not contain, and how files from others are handled."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import ctl
import owners
import places
import pytest
from certifying import USUAL, certify, wrong
from jacquard_certify import leaks, report
from jacquard_certify.privacy import Secret, replaced
from jacquard_certify.questions import BY_NAME

FUZZED = 400
TAGS = sorted((places.ROOT / "docs" / "tags").glob("*.json"))


# The seeds select the answers, and so each of the stages.
@pytest.mark.parametrize("seed", range(5))
def test_nothing_personal_is_in_the_file(tmp_path: Path, seed: int) -> None:
    assert owners.session(tmp_path, seed) == ""


@pytest.mark.parametrize("text", ["Zq7k", "Anna's jacket", "München"])
def test_the_check_finds_what_is_left_in_each_encoding(text: str) -> None:
    secret = Secret("serial number" if text == "Zq7k" else "name", text)
    for spelled in (text, text.encode().hex(), text.encode("utf-16-le").hex(), text.upper()):
        left = json.dumps({"tag": {"name": f"x {spelled}"}})
        assert leaks.found(left, [secret]) == secret.kind, spelled
        safe = json.dumps(replaced({"tag": {"name": spelled}}, [secret]))
        assert leaks.found(safe, [secret]) is None
    assert leaks.found(json.dumps({"tag": {"name": "something else"}}), [secret]) is None


def test_the_check_finds_addresses_in_both_orders() -> None:
    secret = Secret("address", "C0:1A:DA:00:12:34")
    for spelled in ("C0:1A:DA:00:12:34", "c01ada001234", "341200da1ac0", "dev_C0_1A_DA_00_12_34", "34:12:00:DA:1A:C0"):
        assert leaks.found(json.dumps([spelled]), [secret]) == "address"
        assert leaks.found(json.dumps(replaced({"a": spelled}, [secret])), [secret]) is None


def good() -> dict[str, Any]:
    answer = {"value": "begun", "doubt": "", "candidates": [], "evidence": ["0.100 response 0801"], "measured": {}}
    return {"jacquard_certify": 1, "versions": {}, "tag": {}, "answers": {"greeting": answer}, "recording": []}


HOSTILE: dict[str, dict[str, Any]] = {
    "a newer version": {"jacquard_certify": 2},
    "no version": {"jacquard_certify": "1"},
    "answers of another kind": {"answers": []},
    "an unknown question": {"answers": {"$(reboot)": {"value": "once", "doubt": ""}}},
    "a shell command": {"answers": {"greeting": {"value": "begun; reboot", "doubt": ""}}},
    "a second line": {"answers": {"greeting": {"value": "begun\nrecording a file /etc/passwd", "doubt": ""}}},
    "HTML": {"answers": {"greeting": {"value": "<script>", "doubt": ""}}},
    "a huge time": {"answers": {"latency": {"value": "99999999999ms", "doubt": ""}}},
    "a number": {"answers": {"greeting": {"value": 1, "doubt": ""}}},
    "no value": {"answers": {"greeting": {"doubt": ""}}},
    "no doubt": {"answers": {"greeting": {"value": None}}},
    "a list of doubts": {"answers": {"greeting": {"value": None, "doubt": ["reboot"]}}},
    "evidence with a path": {"answers": {"greeting": {"value": "begun", "doubt": "", "evidence": ["../../etc"]}}},
}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_is_refused_with_a_sentence(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "file"
    path.write_text(json.dumps({**good(), **change}))
    with pytest.raises(report.BadFile):
        report.read(path)
    ran = subprocess.run(ctl.program("certify", "--show", str(path)), env=ctl.environment(""), capture_output=True, text=True)
    assert ran.returncode == 2 and str(path) in ran.stderr and "Traceback" not in ran.stderr
    assert "reboot" not in ran.stderr and "<script>" not in ran.stderr


@pytest.mark.parametrize("name", ["a newer version", "no version", "answers of another kind", "a second line", "a number"])
def test_the_software_tag_refuses_it_as_well(tmp_path: Path, name: str) -> None:
    path = tmp_path / "file"
    path.write_text(json.dumps({**good(), **HOSTILE[name]}))
    ran = simulated(path)
    assert ran.returncode == 2 and f"{path}: it" in ran.stderr, ran


def simulated(path: Path) -> subprocess.CompletedProcess[str]:
    command = [str(places.SIMULATOR), "run", "--no-service", "--like", str(path), "--", "true"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_a_truncated_or_changed_file_is_read_or_refused(tmp_path: Path) -> None:
    chance = random.Random(1)
    text = json.dumps(good()).encode()
    for _ in range(FUZZED):
        data = bytearray(text[: chance.randrange(len(text))] if chance.random() < 0.5 else text)
        for _ in range(chance.randrange(4)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            found = report.checked(bytes(data))
        except report.BadFile as refused:
            assert str(refused)
            continue
        assert all(report.is_value(name, one["value"]) for name, one in found["answers"].items() if one.get("value"))


def test_a_software_tag_behaves_like_the_one_of_a_file(tmp_path: Path) -> None:
    profile = {"greeting": "begun once", "motion erase-response": "end", "packet-numbers": "restart", "load-report": "before"}
    first = certify(tmp_path / "first", *(f"{name} {value}" for name, value in profile.items()))
    second = certify(tmp_path / "second", like=first.path)
    assert wrong(second, {**USUAL, **profile}) == []
    untimed = [name for name in first.values if name not in ("latency", "motion erase-time", "link-time")]
    assert {name: second.values[name] for name in untimed} == {name: first.values[name] for name in untimed}


def test_the_summary_says_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(json.dumps(good()))
    ran = subprocess.run(ctl.program("certify", "--show", str(path)), env=ctl.environment(""), capture_output=True, text=True)
    assert ran.returncode == 0 and "As assumed:" in ran.stdout and "begun" in ran.stdout


def test_the_document_has_the_answers_of_each_tag() -> None:
    """It also has each question that a tag has answered."""
    found = {path.stem: report.read(path)["answers"] for path in TAGS}
    rows = [["question", *found], ["---"] * (1 + len(found))]
    for name in BY_NAME:
        values = [shown(name, answers[name]["value"]) for answers in found.values()]
        if any(values):
            rows.append([f"`{name}`", *values])
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    assert table in (places.ROOT / "docs" / "certify.md").read_text()


def shown(name: str, value: str | None) -> str:
    """An answer as the document has it: a measured time becomes the value of the table that is near it."""
    near = [one for one in BY_NAME[name].values if value and report.near(report.seconds(one), report.seconds(value))]
    return f"`{near[0] if near else value}`" if value else ""
