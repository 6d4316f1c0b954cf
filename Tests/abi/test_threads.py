"""What two threads or two processes do at once to one manager has one of the outcomes that the header allows."""

import pytest
from conftest import ROOT, SIMULATOR, build, run


@pytest.fixture
def outcome(tmp_path):
    def outcome(name, *arguments, on=(), **settings):
        program = build(ROOT / "Tests" / "abi" / f"{name}.c", tmp_path / name, "-D_GNU_SOURCE", "-pthread")
        ran = run([*on, program, *arguments], timeout=120, **settings)
        return ran.stdout + ran.stderr + (f"exit status {ran.returncode}" if ran.returncode else "")

    return outcome


@pytest.mark.parametrize("threads", [[], ["threaded"]])
def test_a_parent_goes_on_whatever_its_children_do(outcome, threads):
    assert outcome("forked", *threads, on=[SIMULATOR, "run", "--"]) == ""
