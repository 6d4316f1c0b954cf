"""The blocking layer in C handles any behaviour of the library; `make fuzz-layer` searches for inputs that make it
fail."""

import sys

from conftest import ROOT, run

sys.path.append(str(ROOT / "Tests" / "layer"))

import layer  # noqa: E402


def test_the_corpus_passes():
    inputs = sorted(layer.CORPUS.iterdir())
    assert inputs
    ran = run([layer.build(), *inputs], env=layer.SETTINGS)
    assert ran.returncode == 0, ran.stderr
