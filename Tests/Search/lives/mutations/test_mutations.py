"""Random lives, or the test that a patch names, find earlier defects of the library, each reintroduced separately.

In a copy of the sources, which takes some minutes to build: `Tests/Support/long mutations`.
"""

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(HERE.parent))
from test_lives import lives  # noqa: E402

PATCHES = sorted(HERE.glob("*.patch"))
LIVES = 1000


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The unchanged sources, with everything built."""
    folder = tmp_path_factory.mktemp("sources")
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in files.stdout.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    build(folder)
    return folder


def build(folder, target=".build/release/lives"):
    subprocess.run(["make", "--no-print-directory", target], cwd=folder, check=True)


def first_failure(folder):
    """The number of lives until the first failure, and the failure."""
    for outcome in lives.program([1, LIVES], program=folder / ".build" / "release" / "lives"):
        if outcome.failure:
            return outcome.seed, outcome.failure
    return None


def named_test(patch):
    """The test that finds this defect, if random lives do not."""
    named = re.search(r"^Test: (.*)$", patch.read_text(), re.MULTILINE)
    return named and named[1]


def test_the_unchanged_sources_pass(copy):
    assert first_failure(copy) is None


@contextmanager
def mutated(folder, patch):
    def apply(*options):
        subprocess.run(["patch", "--quiet", "--no-backup-if-mismatch", "-p1", *options, "-i", patch], cwd=folder, check=True)

    apply()
    try:
        yield
    finally:
        apply("--reverse")


@pytest.mark.parametrize("patch", [patch for patch in PATCHES if not named_test(patch)], ids=lambda patch: patch.stem)
def test_a_defect_is_found(copy, patch):
    with mutated(copy, patch):
        build(copy)
        found = first_failure(copy)
    assert found is not None, f"{LIVES} lives have not found it: {patch.read_text().split('---')[0]}"
    seed, failure = found
    print(f"{patch.stem}: seed {seed}, {failure}")
    assert not re.search(r"process ended", failure)


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests start a program of another user")
@pytest.mark.parametrize("patch", filter(named_test, PATCHES), ids=lambda patch: patch.stem)
def test_a_named_test_finds_a_defect(copy, patch):
    with mutated(copy, patch):
        build(copy, "all")
        command = [sys.executable, "-B", "-m", "pytest", "-q", named_test(patch)]
        result = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    summary = result.stdout.splitlines()[-1]
    print(f"{patch.stem}: {summary}")
    assert re.fullmatch(r"[1-9]\d* failed.*", summary) and "error" not in summary, result.stdout
