"""The scripts that run the tests."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, run

SUPPORT = ROOT / "Tests" / "Support"


@pytest.fixture
def repeated(tmp_path: Path) -> Callable[..., str]:
    def call(*words: object) -> str:
        ran = run([SUPPORT / "repeated", *words], env={"JACQUARD_REPEATED": str(tmp_path / "folder" / "file")})
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return call


def test_a_run_repeats_two_tests(repeated: Callable[..., str]) -> None:
    assert repeated("left") == "2\n"
    repeated("begin")
    repeated("add", "a")
    assert repeated("left") == "1\n"
    repeated("add", "b", "c")
    assert repeated("left") == "0\n"
    repeated("begin")
    assert repeated("left") == "2\n"


def test_repeated_tests_of_the_last_ten_runs_are_counted(repeated: Callable[..., str]) -> None:
    assert repeated("show") == ""
    for number in range(12):
        repeated("begin")
        repeated("add", "often", *(["early"] if number < 3 else []))
    assert repeated("show") == "repeated in 10 of the last 10 runs: often\nrepeated in 1 of the last 10 runs: early\n"


def test_a_file_that_cannot_be_written_is_reported_and_no_error() -> None:
    for word, shown in [("begin", ""), ("left", "2\n"), ("show", "")]:
        ran = run([SUPPORT / "repeated", word], env={"JACQUARD_REPEATED": "/proc/none/file"})
        assert (ran.returncode, ran.stdout, "not counted" in ran.stderr) == (0, shown, word == "begin")


def processes(folder: Path) -> list[Any]:
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                found += [entry] if os.readlink(f"/proc/{entry}/cwd") == str(folder) else []
            except OSError:
                pass
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_tests_without_a_traceback(tmp_path: Path, number: int) -> None:
    """In a copy, whose only test waits."""
    for folder in ("Tests/Support", "Tests/Interface/docs", "Tests/Interface/modules"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("check", "repeated"):
        (tmp_path / "Tests/Support" / name).write_bytes((SUPPORT / name).read_bytes())
        (tmp_path / "Tests/Support" / name).chmod(0o755)
    for folder in ("docs", "modules"):
        text = f"import pathlib, time\ndef test():\n    pathlib.Path('begun-{folder}').touch()\n    time.sleep(100)\n"
        (tmp_path / "Tests/Interface" / folder / f"test_{folder}.py").write_text(text)
    checking = subprocess.Popen(
        [tmp_path / "Tests/Support/check", "documents", "modules"],
        env={**os.environ, "JACQUARD_REPEATED": str(tmp_path / "repeated")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 60
    while len(list(tmp_path.glob("begun-*"))) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    checking.send_signal(number)
    shown, _ = checking.communicate(timeout=60)
    assert (checking.returncode, "Traceback" in shown) == (130, False), shown
    assert shown.endswith("ended by a signal, with all its tests\n")
    assert processes(tmp_path) == []
