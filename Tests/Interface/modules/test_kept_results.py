"""Results of tests that are kept for a release."""

import shutil
from pathlib import Path

import pytest
from conftest import ROOT, run
from test_support import STAND_IN, SUPPORT


class Release:
    """A clone with the scripts, and with a stand-in for the long tests."""

    def __init__(self, folder: Path) -> None:
        self.tree, self.state = folder / "tree", folder / "state"
        self.state.mkdir()
        for name in ("Tests/Support/parts", "Tests/Support/repeated", "Makefile", "tools/release/settings"):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.tree / name)
        for name, text in [("Tests/Support/long", STAND_IN), (".gitignore", "build/\n"), ("code", "1"), ("docs/a", ""), ("tools/a.md", "")]:
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(text)
        (self.tree / "Tests/Support/long").chmod(0o755)
        self.report("first", "2 passed, 0 failed")
        self.report("second", "3 passed, 0 failed, 1 skipped")
        run(["git", "init", "--quiet", self.tree])
        self.commit()

    def report(self, test: str, line: str) -> None:
        (self.state / test).write_text(f"begun\n{line}\n")

    def commit(self) -> None:
        git = ["git", "-C", self.tree, "-c", "core.hooksPath=/dev/null", "-c", "user.name=a", "-c", "user.email=a"]
        for words in (["add", "--all"], ["commit", "--quiet", "--message=tests: a version"]):
            done = run([*git, *words])
            assert done.returncode == 0, done.stderr

    def call(self, *command: object, **variables: str) -> str:
        settings = {"JACQUARD_RESULTS": str(self.state / "results"), "JACQUARD_REPEATED": str(self.state / "repeated")}
        ran = run(command, cwd=self.tree, env={"STATE": str(self.state), **settings, **variables})
        assert "Traceback" not in ran.stderr, ran.stderr
        return ran.stdout

    def check(self, *words: str, **variables: str) -> tuple[list[str], str]:
        """The tests that `make check-release` runs, and its last line."""
        (self.state / "runs").unlink(missing_ok=True)
        shown = self.call("make", "--no-print-directory", "check-release", *words, **variables)
        runs = self.state / "runs"
        return runs.read_text().split() if runs.exists() else [], shown.splitlines()[-1]

    def results(self) -> list[str]:
        return self.call("Tests/Support/parts", "--results").splitlines()[2:]


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return Release(tmp_path)


def test_a_test_that_has_passed_is_not_run_again_for_the_same_code(release: Release) -> None:
    assert release.check() == (["first", "second"], "5 passed, 0 failed, 1 skipped")
    assert release.check() == ([], "5 passed, 0 failed, 1 skipped")
    assert release.check("TESTS=first") == (["first"], "2 passed, 0 failed")  # those that are named are always run


def test_a_test_that_has_failed_is_run_again_and_the_table_says_so(release: Release) -> None:
    for line in ("1 passed, 2 failed", "no summary"):
        release.report("second", line)
        runs, last = release.check()
        assert "second" in runs and not last.endswith(" 0 failed")
    release.report("second", "3 passed, 0 failed")
    assert release.check() == (["second"], "5 passed, 0 failed")
    commit = run(["git", "-C", release.tree, "rev-parse", "--short=12", "HEAD"]).stdout.strip()
    assert release.results() == [
        f"| first | 2 passed, 0 failed | 1 | {commit} |",
        f"| second | 3 passed, 0 failed; 2 of 2 earlier runs failed | 1 | {commit} |",
    ]


def test_changes_of_documents_keep_the_results_and_changes_of_code_do_not(release: Release) -> None:
    release.check()
    for name in ("docs/a", "tools/a.md"):
        (release.tree / name).write_text("changed")
        assert release.check()[0] == []
        release.commit()
        assert release.check()[0] == []
    (release.tree / "code").write_text("2")
    release.commit()
    assert release.results() == ["| first | not run | | |", "| second | not run | | |"]
    assert release.check()[0] == ["first", "second"]


@pytest.mark.parametrize("name", ["code", "unknown"])
def test_results_of_a_changed_tree_are_neither_used_nor_kept(release: Release, name: str) -> None:
    release.check("TESTS=first")
    (release.tree / name).write_text("2")
    assert release.check()[0] == ["first", "second"]
    shown = release.call("Tests/Support/parts", "second")
    assert f"second: the result is not kept: {name} is not as in the commit" in shown
    assert [line.split(" | ")[1] for line in release.results()] == ["2 passed, 0 failed", "not run"]


def test_a_commit_during_a_test_and_smaller_tests_are_not_kept(release: Release) -> None:
    stand_in = release.tree / "Tests/Support/long"
    commit = "git -c user.name=a -c user.email=a -c core.hooksPath=/dev/null commit --quiet --allow-empty --message='tests: a version'"
    stand_in.write_text(STAND_IN.replace("*) ", f"*) [ -z \"${{COMMIT:-}}\" ] || {commit};"))
    release.commit()
    assert release.check(COMMIT="1")[0] == ["first", "second"]
    assert release.check(FAILURES="5")[0] == ["first", "second"]
    assert release.check()[0] == ["first", "second"]
    assert release.check()[0] == []


def test_a_file_that_cannot_be_written_does_not_end_the_tests(release: Release) -> None:
    shown = release.call("Tests/Support/parts", "first", JACQUARD_RESULTS="/proc/none/file")
    assert "first: the result is not kept: " in shown and shown.endswith("2 passed, 0 failed\n")


def test_a_line_that_was_cut_off_is_ignored(release: Release) -> None:
    release.check("TESTS=first")
    with (release.state / "results").open("a") as file:
        file.write('{"code": "12\n')
    assert release.check()[0] == ["second"]


def test_the_table_has_every_test_of_a_release(tmp_path: Path) -> None:
    long = SUPPORT / "long"
    printed = run([long, "--results"], env={"JACQUARD_RESULTS": str(tmp_path / "none")})
    assert printed.stdout.count("\n| ") == 1 + printed.stdout.count(" | not run | | |")
    tests = run([long, "--of-release"]).stdout.split()
    assert [line.split()[1] for line in printed.stdout.splitlines()[2:]] == tests
