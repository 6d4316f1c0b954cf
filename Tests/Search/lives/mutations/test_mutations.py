"""Random lives, or the test that a patch names, find earlier defects of the library, each reintroduced separately.

`Tests/Support/long mutations` runs this in a copy of the sources, whose build takes some minutes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(HERE.parent))
from test_lives import lives  # noqa: E402

LIVES = 1000
# The text and the patch of each defect, by its name.
DEFECTS = dict(re.findall(r"^== (\S+)\n(.*?)(?=^== |\Z)", (HERE / "defects.patch").read_text(), re.MULTILINE | re.DOTALL))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unchanged sources, with everything built."""
    folder = tmp_path_factory.mktemp("sources")
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in files.stdout.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    build(folder)
    return folder


def build(folder: Path, target: str = ".build/release/lives") -> None:
    subprocess.run(["make", "--no-print-directory", target], cwd=folder, check=True)


def first_failure(folder: Path) -> tuple[int, str] | None:
    """The number of lives until the first failure, and the failure."""
    for outcome in lives.program([1, LIVES], program=folder / ".build" / "release" / "lives"):
        if outcome.failure:
            return outcome.seed, outcome.failure
    return None


def named_test(defect: str) -> str | None:
    """The test that finds the defect, if random lives do not."""
    named = re.search(r"^Test: (.*)$", DEFECTS[defect], re.MULTILINE)
    return named[1] if named else None


def apply(defect: str, folder: Path, *options: str) -> None:
    subprocess.run(["git", "apply", *options], cwd=folder, check=True, input=DEFECTS[defect], text=True)


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_applies(defect: str) -> None:
    apply(defect, ROOT, "--check")


def test_the_unchanged_sources_pass(copy: Path) -> None:
    assert first_failure(copy) is None


@contextmanager
def mutated(folder: Path, defect: str) -> Iterator[None]:
    apply(defect, folder)
    try:
        yield
    finally:
        apply(defect, folder, "--reverse")


@pytest.mark.parametrize("defect", [defect for defect in DEFECTS if not named_test(defect)])
def test_a_defect_is_found(copy: Path, defect: str) -> None:
    with mutated(copy, defect):
        build(copy)
        found = first_failure(copy)
    assert found is not None, f"{LIVES} lives have not found it: {DEFECTS[defect].split('---')[0]}"
    seed, failure = found
    print(f"{defect}: seed {seed}, {failure}")
    assert not re.search(r"process ended", failure)


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests start a program of another user")
@pytest.mark.parametrize("defect", [defect for defect in DEFECTS if named_test(defect)])
def test_a_named_test_finds_a_defect(copy: Path, defect: str) -> None:
    with mutated(copy, defect):
        build(copy, "all")
        command = [sys.executable, "-B", "-m", "pytest", "-q", named_test(defect) or ""]
        result = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    summary = result.stdout.splitlines()[-1]
    print(f"{defect}: {summary}")
    assert re.fullmatch(r"[1-9]\d* failed.*", summary) and "error" not in summary, result.stdout
