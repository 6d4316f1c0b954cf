"""docs/features.md only names existing functions and tests, and lists all functions of the header."""

import re

import pytest
from conftest import HEADER, ROOT

TESTS = ROOT / "Tests"


def rows():
    lines = (ROOT / "docs" / "features.md").read_text().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    return [row for row in cells if row[0] not in ("feature", "---")]


ROWS = rows()


def names(title):
    """The name of a test in its source: a string in C and Swift, a function in Python."""
    return f'"{title}"', f"def {title}("


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_row_is_true(row):
    feature, function, test, case = row
    if function == "not yet":
        assert (test, case) == ("", "")
        return
    header = HEADER.read_text()
    assert function.startswith("all ") or re.search(rf"\b{function.strip('`')}\b", header)
    file, title = test.split(": ", 1)
    sources = [path for suffix in (".c", ".swift", ".py") for path in TESTS.rglob(file + suffix)]
    assert any(name in source.read_text() for source in sources for name in names(title))
    assert case == "" or (TESTS / "System" / "vm" / "cases" / f"{case}.sh").exists()


def test_no_command_and_no_event_is_missing():
    declared = re.findall(r"^int (jacquard_(?:tag|component|connection)_\w+)\(", HEADER.read_text(), re.MULTILINE)
    assert len(declared) > 20
    assert set(declared) - {row[1].strip("`") for row in ROWS} == set()
