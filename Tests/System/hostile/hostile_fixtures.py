"""Shared by the tests with hostile programs and services."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "sharing"), str(HERE.parent.parent / "Interface" / "bindings")]

from simulator import Simulator  # noqa: E402

# Requests that no tag knows, or that lack their payload: the attackers make them up, and the library sends none.
MADE_UP = re.compile(r".*: violation: (?:unknown domain and opcode|payload missing) .*\n|.*: \d+ violations? of the protocol\n")


class World(Simulator):
    def stop(self) -> str:
        return MADE_UP.sub("", super().stop())


@pytest.fixture(scope="module")
def world() -> Iterator[Simulator]:
    with World("--no-service") as running:
        running.tell("disconnect takes 200ms")
        running.tell("gear attach levis-trucker")
        yield running
