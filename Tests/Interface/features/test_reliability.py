"""docs/reliability.md and docs/threat-model.md only name existing tests, and the first lists all scenarios and guest cases."""

import re

import pytest
from conftest import ROOT

TESTS = ROOT / "Tests"
DOCUMENT = (ROOT / "docs" / "reliability.md").read_text()
THREATS = (ROOT / "docs" / "threat-model.md").read_text()
SOURCES = {path: path.read_text() for suffix in ("*.c", "*.swift", "*.py") for path in TESTS.rglob(suffix)}
# The comment above each guest case.
CASES = {
    name: head
    for path in (TESTS / "System" / "vm" / "cases").glob("*.sh")
    for head, name in re.findall(r"^((?:#.*\n)*)function (\S+) \{$", path.read_text(), re.MULTILINE)
}
# Cases in which the tag does not use BlueZ's radio.
INDEPENDENT = {name for name, head in CASES.items() if re.search("^# Peer: bumble$", head, re.MULTILINE)}
SCENARIOS = {path.stem for path in (TESTS / "Support" / "scenarios").glob("*.scenario")}
# Scenarios without a fault.
PLAIN = {"old-firmware", "recording"}


def table(heading: str, document: str = DOCUMENT) -> list[dict[str, str]]:
    """The rows of the table below a heading, by the names of its columns."""
    section = document.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"]
    names, _, *rows = cells
    assert all(len(row) == len(names) for row in rows)
    return [dict(zip(names, row)) for row in rows]


def exists(test: str) -> bool:
    """FILE: TEST, where the test is a string in Swift and C and a function in Python. A suite continues in FILE+PART."""
    file, title = test.split(": ", 1)
    places = [text for path, text in SOURCES.items() if path.stem.partition("+")[0] == file or f"struct {file} " in text]
    return any(f'"{title}"' in text or f"def {title}(" in text for text in places)


FAULTS = table("Faults")
PROBLEMS = table("Other known problems")
MEASURED = table("Measurements")


@pytest.mark.parametrize("row", FAULTS, ids=[row["fault"] for row in FAULTS])
def test_a_fault_is_shown(row: dict[str, str]) -> None:
    assert exists(row["on the fake bus"])
    assert row["scenario"] == "" or row["scenario"] in SCENARIOS
    case = row["guest case"].removesuffix(" (Bumble)")
    assert case == "" or case in CASES
    assert row["guest case"].endswith(" (Bumble)") == (case in INDEPENDENT)


def test_cases_with_an_independent_peer_are_found() -> None:
    assert len(INDEPENDENT) > 5


@pytest.mark.parametrize("row", PROBLEMS, ids=[row["problem"] for row in PROBLEMS])
def test_a_known_problem_is_solved(row: dict[str, str]) -> None:
    assert row["here"] and exists(row["test"])


@pytest.mark.parametrize("row", MEASURED, ids=[row["measurement"] for row in MEASURED])
def test_a_number_has_a_test(row: dict[str, str]) -> None:
    assert row["test"] in CASES or exists(row["test"])


@pytest.mark.parametrize("row", table("Who may do what", THREATS))
def test_a_limit_of_others_has_a_place_and_a_test(row: dict[str, str]) -> None:
    tests = [test for test in row["shown by"].split("; ") if test != "(test: to be filled in)"]
    assert [test for test in tests if not exists(test)] == []
    places = re.findall(r"`([\w./+-]+)`", row["enforced by"])
    assert [place for place in places if not any((root / place).exists() for root in (ROOT / "Sources", ROOT))] == ["secure_getenv"] * places.count("secure_getenv")


def test_no_scenario_is_missing() -> None:
    assert SCENARIOS - {row["scenario"] for row in FAULTS} - PLAIN == set()


def test_no_guest_case_of_a_fault_is_missing() -> None:
    faulty = re.compile("killed|restarted|hangs|adapter-|sleeps|reconnect|services-change|denied|one-program")
    assert {case for case in CASES if faulty.search(case)} - {row["guest case"].removesuffix(" (Bumble)") for row in FAULTS} == set()


def test_every_time_limit_has_its_reason() -> None:
    """A comment has the reason. Deadlines.swift, BlueZDeadlines.swift and files of lower modules list the limits."""
    programs = {"TagSimulator", "PrivateBus", "jacquard-sim"}
    limit = re.compile(r"(.*)\n +(?:\w+ )*(?:let|var) (\w+): \[?Duration\]? = (?:\.(?:milli)?seconds\(\d|\[)")
    found: dict[tuple[str, str], str] = {}
    for folder in (ROOT / "Sources").iterdir():
        for path in folder.rglob("*.swift") if folder.name not in programs else []:
            found |= {(path.name, name): comment for comment, name in limit.findall(path.read_text())}
    assert len(found) > 50
    assert [name for name, comment in found.items() if not comment.lstrip().startswith("///")] == []
