"""The built library and simulator, and boards to test."""

import os
import tempfile

import places

os.environ.setdefault("JACQUARD_LIBRARY", str(places.LIBRARY))
# The tests must not use the known tags of the user who runs them.
_state = tempfile.TemporaryDirectory(prefix="jacquard-state-")
os.environ["XDG_STATE_HOME"] = _state.name

from collections.abc import Iterator  # noqa: E402

import pytest  # noqa: E402
from simulator import Simulator  # noqa: E402


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator() as running:
        yield running
