"""The scripts that run the tests."""

import os
import shutil
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


def copied(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


def signalled(command: list[str], folder: Path, begun: int, number: int) -> tuple[int, str]:
    """The status and the output of a command that gets a signal when files show that its tests have begun."""
    running = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "JACQUARD_REPEATED": str(folder / "repeated")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 60
    while len(list(folder.glob("begun*"))) < begun:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    running.send_signal(number)
    shown, _ = running.communicate(timeout=60)
    return running.returncode, shown


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_tests_without_a_traceback(tmp_path: Path, number: int) -> None:
    """In a copy, whose only test waits."""
    copied(tmp_path, "Tests/Support/check", "Tests/Support/repeated")
    for folder in ("docs", "modules"):
        text = f"import pathlib, time\ndef test():\n    pathlib.Path('begun-{folder}').touch()\n    time.sleep(100)\n"
        (tmp_path / "Tests/Interface" / folder).mkdir(parents=True)
        (tmp_path / "Tests/Interface" / folder / f"test_{folder}.py").write_text(text)
    status, shown = signalled(["Tests/Support/check", "documents", "modules"], tmp_path, 2, number)
    assert (status, "Traceback" in shown) == (130, False), shown
    assert shown.endswith("ended by a signal, with all its tests\n")
    assert processes(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", [".ci/run", "Tests/Support/parts deb", "Tests/Support/parts check=1", "Tests/Support/long deb"])
def test_a_signal_to_a_script_ends_what_it_runs(tmp_path: Path, command: str, number: int) -> None:
    """In a copy, whose builds and checks wait in a process of a process."""
    copied(tmp_path, ".ci/run", *(f"Tests/Support/{name}" for name in ("parts", "repeated", "long")))
    (tmp_path / "Makefile").write_text("check deb tests:\n\t@touch begun; sh -c 'sleep 100; touch went-on'; touch went-on\n")
    status, shown = signalled(command.split(), tmp_path, 1, number)
    assert status in (128 + number, -number), shown
    assert processes(tmp_path) == []
    assert not (tmp_path / "went-on").exists()
