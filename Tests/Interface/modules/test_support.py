"""The scripts that run the tests."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, run

sys.path.append(str(ROOT / "Tests" / "Interface" / "bindings"))

from waiting import until  # noqa: E402

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
        repeated("add", f"a.py::often: {number} s", *(["early"] if number < 3 else []))
    often, early = repeated("show").splitlines()
    assert often == "repeated in 10 of the last 10 runs: a.py::often: 11 s"
    assert early == "repeated in 1 of the last 10 runs: early"


def test_a_file_that_cannot_be_written_is_reported_and_no_error() -> None:
    for word, shown in [("begin", ""), ("left", "2\n"), ("show", "")]:
        ran = run([SUPPORT / "repeated", word], env={"JACQUARD_REPEATED": "/proc/none/file"})
        assert (ran.returncode, ran.stdout, "not counted" in ran.stderr) == (0, shown, word == "begin")


def processes(folder: Path) -> list[str]:
    """The names of the processes that run in the folder."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                name = Path(f"/proc/{entry}/comm").read_text(errors="replace").strip()
                found += [name] if os.readlink(f"/proc/{entry}/cwd") == str(folder) else []
            except OSError:
                pass
    return found


def copied(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)


def signalled(command: list[str], folder: Path, begun: Callable[[], bool], number: int) -> tuple[int, str]:
    """The status and the output of a command that gets a signal when its tests have begun."""
    running = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "JACQUARD_REPEATED": str(folder / "repeated")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    until(begun, 60)
    running.send_signal(number)
    shown, _ = running.communicate(timeout=60)
    return running.returncode, shown


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_tests_without_a_traceback(tmp_path: Path, number: int) -> None:
    """Runs in a copy whose only tests wait."""
    copied(tmp_path, "Tests/Support/check", "Tests/Support/repeated")
    for folder in ("docs", "modules"):
        text = f"import pathlib, signal\ndef test():\n    pathlib.Path('begun-{folder}').touch()\n    signal.pause()\n"
        (tmp_path / "Tests/Interface" / folder).mkdir(parents=True)
        (tmp_path / "Tests/Interface" / folder / f"test_{folder}.py").write_text(text)
    command = ["Tests/Support/check", "documents", "modules"]
    status, shown = signalled(command, tmp_path, lambda: len(list(tmp_path.glob("begun*"))) == 2, number)
    assert (status, "Traceback" in shown) == (130, False), shown
    assert shown.endswith("ended by a signal, with all its tests\n")
    assert processes(tmp_path) == []


def make(folder: Path, script: str, targets: str) -> None:
    """A copy of the scripts, with a Makefile of these targets, which all run one script."""
    copied(folder, ".ci/run", *(f"Tests/Support/{name}" for name in ("parts", "repeated", "long")))
    (folder / "Makefile").write_text(f"{targets}:\n\t@{script}\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("command", [".ci/run", "Tests/Support/parts deb", "Tests/Support/parts check=1", "Tests/Support/long deb"])
def test_a_signal_to_a_script_ends_what_it_runs(tmp_path: Path, command: str, number: int) -> None:
    """Runs in a copy whose builds and checks wait in a process of a process.

    Before `sleep` runs, a copy of the shell can lose SIGINT between its fork and its exec.
    """
    make(tmp_path, "sh -c 'sleep 100; touch went-on'; touch went-on", "check deb tests")
    status, shown = signalled(command.split(), tmp_path, lambda: "sleep" in processes(tmp_path), number)
    assert status in (128 + number, -number), shown
    assert processes(tmp_path) == []
    assert not (tmp_path / "went-on").exists()


def shown(folder: Path, *command: str) -> tuple[int, str]:
    ran = run(command, cwd=folder, env={"JACQUARD_REPEATED": str(folder / "repeated")})
    return ran.returncode, ran.stdout


def test_a_part_that_hangs_is_named_with_its_limit_and_its_last_output(tmp_path: Path) -> None:
    """Runs in a copy with two parts. One of them hangs, and has a limit of three seconds."""
    copied(tmp_path, "Tests/Support/check", "Tests/Support/repeated")
    check = tmp_path / "Tests/Support/check"
    text, changed = re.subn(r'(Part\("formatting",.*, None)\)', r"\1, 0.05)", check.read_text())
    assert changed == 1
    check.write_text(text)
    (tmp_path / "Makefile").write_text("lint:\n\t@echo == ruff; echo == mypy; echo; sleep 100\n")
    folder = tmp_path / "Tests/Interface/modules"
    folder.mkdir(parents=True)
    (folder / "test_modules.py").write_text("def test(): pass\n")
    status, output = shown(tmp_path, "Tests/Support/check", "formatting", "modules")
    sentence = "formatting: ended after its limit of 0.05 minutes; the last output was: == mypy\n"
    assert status == 1 and output.endswith(f"{sentence}1 passed, 1 failed\n"), output
    assert output.count(sentence) == 2  # when it ends, and in the summary
    assert processes(tmp_path) == []


def test_a_test_that_hangs_is_named_with_its_limit_and_its_last_output(tmp_path: Path) -> None:
    make(tmp_path, "trap 'echo ended by a signal' TERM; echo 1 of 2; sleep 100", "check")
    status, output = shown(tmp_path, "Tests/Support/parts", "check=0.05")
    assert "\ncheck: ended after its limit of 0.05 minutes; the last output was: 1 of 2\n" in output
    assert (status, output.splitlines()[-1]) == (1, "0 passed, 1 failed")


def test_all_tests_together_have_a_limit(tmp_path: Path) -> None:
    make(tmp_path, "sleep 100", "check deb")
    status, output = shown(tmp_path, "Tests/Support/parts", "--within=0.03", "check=1", "deb=1")
    assert "check: ended after 0 minutes, at the limit for all tests; it printed nothing\n" in output
    assert "deb: not run, because the time for all tests is over\n" in output
    assert (status, output.splitlines()[-1]) == (1, "0 passed, 2 failed")


WARNING = "/a/Tests/Unit/A.swift:145:7: warning: variable 'a' was never used"
EXPANSION = "macro expansion #expect:1:59: warning: no 'async' operations occur within 'await' expression"


@pytest.mark.parametrize(
    ("script", "lines", "last"),
    [
        ("true", ["build: 0 passed, 0 failed, exit status 0"], "2 passed, 0 failed"),
        ("echo 'warning: there is no cache'", ["build: 0 passed, 0 failed, exit status 0"], "2 passed, 0 failed"),
        (f'echo "{WARNING}"', [f"build: {WARNING} (printed 1 times)"], "0 passed, 1 failed"),
        (f'for _ in 1 2 3; do echo "{EXPANSION}"; done', [f"build: {EXPANSION} (printed 3 times)"], "0 passed, 1 failed"),
        ("false", ["build: 0 passed, 1 failed, exit status 2"], "0 passed, 1 failed"),
    ],
)
def test_a_build_that_fails_or_prints_a_warning_ends_a_run(tmp_path: Path, script: str, lines: list[str], last: str) -> None:
    make(tmp_path, f"if [ $@ = check ]; then echo 2 passed, 0 failed; else {script}; fi", "tests check")
    status, output = shown(tmp_path, "Tests/Support/parts", "build", "check")
    assert all(line in output for line in lines), output
    assert (status, output.splitlines()[-1]) == (int(last.startswith("0")), last)


def minutes_of_last_release() -> dict[str, int]:
    """The minutes of each test, from the changelog."""
    rows = re.findall(r"^\| ([a-z0-9-]+) \| \d+ passed.*? \| (\d+) \| [0-9a-f]+ \|$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    return {test: int(minutes) for test, minutes in reversed(rows)}


def test_a_limit_is_four_times_what_a_test_takes() -> None:
    taken = minutes_of_last_release()
    assert len(taken) >= 22
    for test, minutes in taken.items():
        assert int(run([SUPPORT / "long", "--limit", test]).stdout) >= max(30, 4 * minutes), test


STAND_IN = """#!/bin/sh
# Two tests, whose results are in files outside of the tree.
case $1 in
  --limit) echo 1 ;;
  --of-release) echo first second ;;
  *) echo "$1" >>"$STATE/runs" && cat "$STATE/$1" && ! grep -q '[1-9] failed' "$STATE/$1" ;;
esac
"""
