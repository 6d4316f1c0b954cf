"""The blocking layer in C survives a library that does anything; `make fuzz-layer` looks for inputs that it does not."""

import sys

from conftest import ROOT, run

sys.path.append(str(ROOT / "Tests" / "layer"))

import layer  # noqa: E402


def test_inputs_that_reach_all_that_is_reached():
    inputs = sorted(layer.CORPUS.iterdir())
    assert inputs
    ran = run([layer.build(), *inputs], env=layer.SETTINGS)
    assert ran.returncode == 0, ran.stderr
