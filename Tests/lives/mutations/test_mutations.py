"""Random lives find earlier defects of the library, each reintroduced separately.

In a copy of the sources, which takes some minutes to build: `make check-mutations`.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent.parent
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


def build(folder):
    subprocess.run(["make", "--no-print-directory", ".build/release/lives"], cwd=folder, check=True)


def first_failure(folder):
    """The number of lives until the first failure, and the failure."""
    for outcome in lives.program([1, LIVES], program=folder / ".build" / "release" / "lives"):
        if outcome.failure:
            return outcome.seed, outcome.failure
    return None


def test_the_unchanged_sources_pass(copy):
    assert first_failure(copy) is None


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_defect_is_found(copy, patch):
    def apply(*options):
        subprocess.run(["patch", "--quiet", "--no-backup-if-mismatch", "-p1", *options, "-i", patch], cwd=copy, check=True)

    apply()
    try:
        build(copy)
        found = first_failure(copy)
    finally:
        apply("--reverse")
    assert found is not None, f"{LIVES} lives have not found it: {patch.read_text().split('---')[0]}"
    seed, failure = found
    print(f"{patch.stem}: seed {seed}, {failure}")
    assert not re.search(r"process ended", failure)
