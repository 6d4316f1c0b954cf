"""The file: one JSON object. docs/certify.md describes it."""

from __future__ import annotations

import dataclasses
import json
import platform
import re
from pathlib import Path
from typing import Any

import jacquard
from jacquard.input_file import open_input

from .answer import Answer, Answers
from .questions import BY_NAME, QUESTIONS, Question
from .world import World

VERSION = 1
LARGEST = 1 << 24
# Words, times and versions; nothing that a shell, a path or HTML gives a meaning.
VALUE = re.compile("[a-z0-9.]{1,12}( once)?")
HEX = re.compile("([0-9a-f]{2})*")
LINE = re.compile(r"-?\d{1,6}\.\d{3} (response|notification|raw|command) ([0-9a-f]{2}){1,1100}|and \d+ more packets")


class BadFile(ValueError):
    """The file is not one that this version reads."""


@dataclasses.dataclass
class Evidence:
    """The findings of a guided session."""

    world: World
    facts: dict[str, Any]
    recording: str

    def report(self) -> dict[str, Any]:
        return {
            "jacquard_certify": VERSION,
            "versions": versions(self.world),
            "tag": self.facts,
            "answers": {name: described(answer) for name, answer in ordered(self.world.answers).items()},
            "recording": [json.loads(line) for line in self.recording.splitlines()],
        }


def ordered(answers: Answers) -> Answers:
    return {question.name: answers[question.name] for question in QUESTIONS if question.name in answers}


def described(answer: Answer) -> dict[str, Any]:
    rounded = {name: round(number, 4) for name, number in answer.measured.items()}
    return {**dataclasses.asdict(answer), "measured": rounded}


def versions(world: World) -> dict[str, str]:
    return {
        "library": jacquard.loaded_library().version,
        "python": platform.python_version(),
        "kernel": platform.release().split("-")[0],
        "machine": platform.machine(),
        "bluez": bluez_version(),
    }


def bluez_version() -> str:
    """The version of the installed bluetoothd; "" if its program cannot be asked."""
    import shutil
    import subprocess

    program = shutil.which("bluetoothctl")
    if program is None:
        return ""
    try:
        text = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=5).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    found = re.search(r"\d+\.\d+", text)
    return found.group() if found else ""


def text_of(report: dict[str, Any]) -> str:
    return json.dumps(report, indent=1, ensure_ascii=True) + "\n"


def read(path: Path) -> dict[str, Any]:
    """A file that anyone may have written: everything that is used of it is checked."""
    with open_input(path) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise BadFile(f"the file is larger than {LARGEST >> 20} MB")
    return checked(data)


def checked(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise BadFile("the file is not complete JSON") from None
    version = found.get("jacquard_certify") if isinstance(found, dict) else None
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise BadFile("the file was not written by jacquardctl certify")
    if version > VERSION:
        raise BadFile(f"the file has a newer version of this format; this program reads version {VERSION}")
    answers = found.get("answers")
    if not isinstance(answers, dict):
        raise BadFile("the file has no answers")
    for name, answer in answers.items():
        if name not in BY_NAME:
            raise BadFile("the file answers a question that this program does not know")
        check_answer(name, answer)
    return dict(found)


def check_answer(name: str, answer: Any) -> None:
    problem = BadFile(f"the answer to {name} is not one that this program knows")
    if not isinstance(answer, dict) or "value" not in answer or not isinstance(answer.get("doubt"), str):
        raise problem
    value, candidates, lines = answer.get("value"), answer.get("candidates", []), answer.get("evidence", [])
    if not isinstance(candidates, list) or not isinstance(lines, list):
        raise problem
    if not all(is_value(name, one) for one in ([] if value is None else [value]) + candidates):
        raise problem
    if not all(isinstance(line, str) and LINE.fullmatch(line) for line in lines):
        raise BadFile(f"the evidence for {name} is not a list of packets")


def is_value(name: str, value: Any) -> bool:
    if not isinstance(value, str) or VALUE.fullmatch(value) is None:
        return False
    question = BY_NAME[name]
    return value in question.values or question.is_time and re.fullmatch(r"\d{1,6}ms", value) is not None


def is_as_assumed(question: Question, value: str) -> bool:
    """Whether it is one of the values in the table, or a time near one."""
    if not question.is_time:
        return value in question.values
    times = [seconds(one) for one in question.values]
    return seconds(value) in times or any(near(one, seconds(value)) for one in times)


def near(one: float | None, other: float | None) -> bool:
    return one is not None and other is not None and abs(one - other) <= max(0.05, one / 5)


def seconds(value: str) -> float | None:
    """The duration that scenarios write like this; None: not a duration."""
    found = re.fullmatch(r"(\d+)(ms|s)", value)
    return None if found is None else int(found[1]) / (1000 if found[2] == "ms" else 1)


def summary(report: dict[str, Any]) -> list[str]:
    """For people: what is as assumed, what is not, and what could not be told."""
    lines: dict[str, list[str]] = {"As assumed": [], "Different": [], "Not known": []}
    for name, answer in report["answers"].items():
        question, value = BY_NAME[name], answer["value"]
        if value is None:
            lines["Not known"].append(f"{question.text} {answer['doubt']}")
        else:
            is_usual = is_as_assumed(question, value)
            lines["As assumed" if is_usual else "Different"].append(f"{question.text} {value}")
    return [line for title, found in lines.items() if found for line in (f"{title}:", *(f"  {one}" for one in found))]
