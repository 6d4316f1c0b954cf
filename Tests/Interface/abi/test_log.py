"""$JACQUARD_LOG turns the log on in a program without a callback for it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import ROOT, SIMULATOR, build, run

LINE = re.compile(r"jacquard: (warning|info|debug): (bus|bluez|scan|link|wire|state): .+")


@pytest.fixture(scope="module")
def battery(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT / "bindings/c/examples/battery.c", tmp_path_factory.mktemp("log") / "battery")


def levels(battery: Path, value: str | None) -> set[str]:
    """The levels of the messages on standard error."""
    ran = run([SIMULATOR, "run", "--", battery], env={} if value is None else {"JACQUARD_LOG": value})
    assert ran.returncode == 0 and ran.stdout.splitlines()[-1].endswith("battery 80%")
    lines = [LINE.fullmatch(line) for line in ran.stderr.splitlines()]
    assert all(lines), ran.stderr
    return {line[1] for line in lines if line}


@pytest.mark.parametrize("value, expected", [("debug", {"info", "debug"}), ("info", {"info"}), ("warning", set())])
def test_messages_up_to_the_level_are_written_to_standard_error(battery: Path, value: str, expected: set[str]) -> None:
    assert levels(battery, value) == expected


@pytest.mark.parametrize("value", [None, "", "loud", "\n"])
def test_nothing_is_written_without_a_level(battery: Path, value: str | None) -> None:
    assert levels(battery, value) == set()


def test_the_end_of_a_manager_is_not_a_lost_adapter(battery: Path) -> None:
    ran = run([SIMULATOR, "run", "--", battery], env={"JACQUARD_LOG": "debug"})
    assert [line for line in ran.stderr.splitlines() if "resetting" in line or "adapter  " in line] == []
