"""The repository stays small enough to be known as a whole. A change that needs more room makes room elsewhere."""

import re

import pytest
from conftest import ROOT, run

ROOMS = ["Interface", "Search", "Support", "System", "Unit"]


def test_tests_have_few_entries() -> None:
    assert len([path for path in (ROOT / "Tests").iterdir() if path.name != "__pycache__"]) <= 8


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_has_a_page(room: str) -> None:
    assert len((ROOT / "Tests" / room / "README.md").read_text().splitlines()) <= 50


def test_make_has_few_targets() -> None:
    targets = " ".join(re.findall(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE))
    shown = re.findall(r"^  make ([a-z-]+) ", run(["make", "help"], cwd=ROOT).stdout, re.MULTILINE)
    assert len(shown) <= 18
    assert set(shown) == set(targets.split())


def test_the_repository_has_few_files() -> None:
    tracked = run(["git", "ls-files"], cwd=ROOT).stdout.splitlines()
    # Each large feature may add 40 to 1,250: direct reading, automations, the instrument, what makes a release, the
    # limits of programs that share tags, hostile peers; programs that are packages of their own, 10; the Swift package
    # with its tests, 40, and the API of the iOS SDK over it, 42; the experiments with a real tag, a package with its
    # tests, 30; the setup and the status of rules, 30, and rules on the board's page, 15. Tests that lie in files by
    # feature, of at most 300 lines, are 105.
    assert 0 < len(tracked) <= 1760
    assert len([path for path in tracked if re.fullmatch(r"docs/[^/]+\.md", path)]) <= 23


def test_generated_files_are_marked_for_forges() -> None:
    tracked = [ROOT / name for name in run(["git", "ls-files"], cwd=ROOT).stdout.splitlines()]
    heads = {path: path.read_bytes()[:1000].splitlines()[:4] for path in tracked if path.is_file()}
    made = [path.relative_to(ROOT) for path, head in heads.items() if b"do not edit" in b"\n".join(head).lower()]
    asked = run(["git", "check-attr", "linguist-generated", "--", *made], cwd=ROOT).stdout.splitlines()
    assert len(asked) > 10
    assert [line for line in asked if not line.endswith(": set")] == []
