"""The blocking layer in C handles any behaviour of the library; `TARGETS=layer Tests/Support/long fuzz` searches for inputs that make it
fail."""

import sys
from pathlib import Path

from conftest import ROOT, run

sys.path.append(str(ROOT / "Tests" / "Search" / "fuzz"))

import inputs  # noqa: E402
import layer  # noqa: E402


def test_the_stored_inputs_pass(tmp_path: Path) -> None:
    layer.build()
    paths = inputs.unpack(layer.TARGET, tmp_path)
    assert paths
    ran = run([layer.PROGRAM, *paths], env=layer.SETTINGS)
    assert ran.returncode == 0, ran.stderr
