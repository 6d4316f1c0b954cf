"""Shared by the tests with hostile programs and services."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "sharing"), str(HERE.parent.parent / "Interface" / "bindings")]

from simulator import Simulator  # noqa: E402


@pytest.fixture(scope="module")
def world() -> Iterator[Simulator]:
    with Simulator("--no-service") as running:
        running.tell("disconnect takes 200ms")
        running.tell("gear attach levis-trucker")
        yield running
