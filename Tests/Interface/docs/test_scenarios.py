"""docs/scenarios.md documents the words that the software tag accepts."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT, SIMULATOR, run

TEXT = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
# Placeholders, with an example of each.
WORDS = {
    "TIME": "1s", "LEVEL": "50", "DBM": "-60", "TEXT": "abc", "VERSION": "1.97.0", "N": "2", "ID": "102", "P": "1",
    "L1 … L12": "1 2 3 4 5 6 7 8 9 10 11 12", "LOWEST": "2", "HIGHEST": "2", "SEQUENCE": "1", "HEX": "c00d08",
    "NUMBER": "100", "PATH": "Tests/Support/data/tag-recording-1.bin", "DAMAGE": "truncated", "REACTION": "drop",
    "hciN": "hci3", "QUESTION": "confirmation", "RELEASE": "5.87",
}  # fmt: skip
NAMES = {
    "gesture": "cover", "gear": "levis-trucker", "on": "battery", "session": "one", "stroke": "tap",
    "discovery": "NotReady",
}  # fmt: skip


def forms(title: str) -> list[str]:
    """The first cells of the tables with this heading."""
    tables = re.findall(rf"^\| {title} \|.*\n\|[ |-]+\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    assert tables
    cells = [re.split(r"(?<!\\)\|", line)[1] for table in tables for line in table.splitlines()]
    return [form.replace("\\|", "|") for cell in cells for form in re.findall(r"`([^`]+)`", cell)]


def listed(word: str) -> list[str]:
    """The words in backticks of a paragraph with this beginning."""
    paragraph = re.findall(rf"^{word}: (.*?)\n\n", TEXT, re.DOTALL | re.MULTILINE)[0]
    return re.findall(r"`([^`]+)`", paragraph)


def examples(form: str) -> Iterator[str]:
    """Lines of this form: with and without optional parts, and with each of the alternatives."""
    kind = form.split()[0]
    optional = re.split(r" (\[[^\]]*\])", form)
    choices = [[part] if not part.startswith("[") else ["", f" {part[1:-1]}"] for part in optional]
    for parts in itertools.product(*choices):
        pieces = [piece.split("|") for piece in re.split(r"([^\s:]+\|[^\s:]+)", alternatives("".join(parts)))]
        for words in itertools.product(*pieces):
            line = "".join(words).replace("\0", " ")
            for word, value in [*WORDS.items(), ("NAME", NAMES.get(kind, "abc"))]:
                line = re.sub(rf"(?<![\w-]){word}(?![\w-])", value, line)
            yield line


def alternatives(text: str) -> str:
    """Some alternatives have one word or two."""
    return text.replace("N times", "N\0times").replace("status N", "status\0N")


LINES = [(form, line) for form in forms("action") for line in examples(form)]


@pytest.mark.parametrize("form", forms("action"))
def test_a_documented_action_is_accepted(tmp_path: Path, form: str) -> None:
    lines = [line if line.startswith("on ") else f"at 10min {line}" for wanted, line in LINES if wanted == form]
    path = tmp_path / "actions.scenario"
    path.write_text("\n".join(lines) + "\n")
    assert run([SIMULATOR, "run", "--scenario", path, "--", "true"], cwd=ROOT).stderr == ""


@pytest.mark.parametrize(
    "words, line",
    [
        (forms("event"), "after {} 1min gesture cover"),
        (listed("Requests"), "on request {} once: drop"),
        ([*listed("Gestures"), *listed("Shapes"), *listed("Other touches")], "at 10min stroke {}"),
        (listed("Damage"), "at 10min corrupt notification {}"),
        ([form.replace("NUMBER", "3").replace("TIME", "1s").replace("DAMAGE", "empty") for form in forms("reaction")],
         "on request battery: {}"),
    ],
    ids=["events", "requests", "strokes", "damage", "reactions"],
)
def test_documented_words_are_accepted(tmp_path: Path, words: list[str], line: str) -> None:
    path = tmp_path / "words.scenario"
    path.write_text("".join(f"{line.format(word)}\n" for word in words))
    assert run([SIMULATOR, "run", "--scenario", path, "--", "true"]).stderr == ""


@pytest.mark.parametrize("line", ["gesture", "at 10min dance", "after dawn gesture cover", "on request tea: drop"])
def test_other_words_are_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "wrong.scenario").write_text(line + "\n")
    assert run([SIMULATOR, "run", "--scenario", tmp_path / "wrong.scenario", "--", "true"]).stderr != ""


def test_built_in_scenarios_exist() -> None:
    named = set(re.findall(r"jacquard-sim (?:scenarios|run --scenario) ([a-z]+)(?= |$)", TEXT, re.MULTILINE))
    assert named and named <= set(run([SIMULATOR, "scenarios"]).stdout.split())
