"""The built library, and a place for bound tags."""

import os
import tempfile

import places

os.environ.setdefault("JACQUARD_LIBRARY", str(places.LIBRARY))
_state = tempfile.TemporaryDirectory(prefix="jacquard-state-")
os.environ["XDG_STATE_HOME"] = _state.name
