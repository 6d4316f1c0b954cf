"""A broker, software tags, and a bridge between them."""

import os
import tempfile
from collections.abc import Iterator

import places
import pytest

os.environ.setdefault("JACQUARD_LIBRARY", str(places.LIBRARY))
# The tests must not use the bound tags of the user who runs them.
_state = tempfile.TemporaryDirectory(prefix="jacquard-state-")
os.environ["XDG_STATE_HOME"] = _state.name
# The directory in which programs lock tags.
_runtime = tempfile.TemporaryDirectory(prefix="jacquard-runtime-")
os.environ["XDG_RUNTIME_DIR"] = _runtime.name

from broker import Broker  # noqa: E402
from simulator import Simulator  # noqa: E402


@pytest.fixture
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with Broker(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    """Fast disconnects: dropping a link usually takes 2 s, and the next bridge needs the tag."""
    with Simulator("--time-scale", "20") as running:
        running.tell("sleep-after 10000min")  # of the simulator's time
        yield running
