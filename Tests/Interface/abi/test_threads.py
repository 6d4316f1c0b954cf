"""Concurrent use of one manager by two threads or processes has one of the results that the header allows."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SIMULATOR, build, run

WITHOUT_A_BUS = {"DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"}


@pytest.fixture
def outcome(tmp_path: Path) -> Callable[..., str]:
    def outcome(name: str, *arguments: str, on: Iterable[str] = (), **settings: Any) -> str:
        program = build(ROOT / "Tests" / "Interface" / "abi" / f"{name}.c", tmp_path / name, "-D_GNU_SOURCE", "-pthread")
        ran = run([*on, program, *arguments], timeout=300, **settings)
        return ran.stdout + ran.stderr + (f"exit status {ran.returncode}" if ran.returncode else "")

    return outcome


def test_every_successful_connection_ends_once(outcome: Callable[..., str]) -> None:
    assert outcome("same_tag", 100, env=WITHOUT_A_BUS) == ""


def test_a_function_that_fails_while_the_manager_ends_has_no_effect(outcome: Callable[..., str]) -> None:
    # As many rounds as there are combinations of a function and a head start.
    assert outcome("closing", 6300, env=WITHOUT_A_BUS) == ""


def test_ending_waits_for_destroy_but_not_for_an_ended_thread(outcome: Callable[..., str]) -> None:
    assert outcome("enders", env=WITHOUT_A_BUS) == ""


@pytest.mark.parametrize("threads", [[], ["threaded"]])
def test_a_parent_continues_whatever_its_children_do(outcome: Callable[..., str], threads: list[str]) -> None:
    assert outcome("forked", *threads, on=[SIMULATOR, "run", "--"]) == ""
