"""Programs that share a tag of the simulator."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import build

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "Interface" / "bindings")]

import fixtures  # noqa: E402, F401 (sets the library)
from members import Member  # noqa: E402
from simulator import Simulator  # noqa: E402

# Starts a member, with further arguments.
Start = Callable[..., Member]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(HERE / "member.c", tmp_path_factory.mktemp("sharing") / "member")


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """A link that must be dropped is down sooner than with a real bluetoothd, where that takes 2 s."""
    with Simulator() as running:
        running.tell("disconnect takes 200ms")
        running.tell("gear attach levis-trucker")
        yield running


@pytest.fixture
def start(program: Path, simulator: Simulator) -> Iterator[Start]:
    """Starts members, each with the next number; they are killed at the end."""
    members: list[Member] = []

    def start_one(*words: str) -> Member:
        members.append(Member(program, simulator, len(members), *words))
        return members[-1]

    yield start_one
    for member in members:
        if member.process.poll() is None:
            member.kill()
