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
# They meet each other in this directory, and no program of that user.
_runtime = tempfile.TemporaryDirectory(prefix="jacquard-runtime-")
os.environ["XDG_RUNTIME_DIR"] = _runtime.name

from simulator import Simulator  # noqa: E402


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator() as running:
        yield running


@pytest.fixture(scope="module")
def simulator_for_module() -> Iterator[Simulator]:
    """One for many tests, with fast disconnects: dropping a link usually takes 2 s, and the next test needs the tag."""
    with Simulator("--time-scale", "50") as running:
        yield running
