"""The built library, and software tags to use with it."""

import os
import tempfile
from collections.abc import Iterator

import places
import pytest

os.environ.setdefault("JACQUARD_LIBRARY", str(places.LIBRARY))
# The tests must not use the known tags of the user who runs them.
_state = tempfile.TemporaryDirectory(prefix="jacquard-state-")
os.environ["XDG_STATE_HOME"] = _state.name
# They meet each other in this directory, and not the programs of that user.
_runtime = tempfile.TemporaryDirectory(prefix="jacquard-runtime-")
os.environ["XDG_RUNTIME_DIR"] = _runtime.name

import companions  # noqa: E402
from simulator import Simulator  # noqa: E402

# Tests that use the tag in another way pass it as the parameter of the fixture: see conftest.py.
WITH_COMPANIONS = ("simulator", "simulator_for_module")


@pytest.fixture
def simulator(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    with companions.simulator(getattr(request, "param", None)) as running:
        yield running


def scope(fixture_name: str, config: pytest.Config) -> str:
    """With --beside, other programs are started for each test."""
    return "function" if config.getoption("beside", False) else "module"


@pytest.fixture(scope=scope)  # type: ignore[arg-type]
def simulator_for_module(request: pytest.FixtureRequest) -> Iterator[Simulator]:
    """One for many tests, with fast disconnects: dropping a link usually takes 2 s, and the next test needs the tag."""
    with companions.simulator(getattr(request, "param", None), "--time-scale", "50") as running:
        running.tell("sleep-after 10000min")  # of the simulator's time; the service keeps the link between two tests
        yield running
