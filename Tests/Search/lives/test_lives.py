"""A fixed set of random lives; `Tests/Support/long lives` runs others."""

import importlib.machinery
import importlib.util
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent


def load() -> Any:
    loader = importlib.machinery.SourceFileLoader("run_lives", str(HERE / "run"))
    spec = importlib.util.spec_from_loader("run_lives", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


lives = load()
# Seeds of lives that once failed, each with the fix.
KEPT = {int(line.split()[0]) for line in (HERE / "kept-seeds").read_text().splitlines() if line[:1].isdigit()}


def failures(outcomes: list[Any]) -> list[str]:
    return [f"seed {outcome.seed}: {outcome.failure}" for outcome in outcomes if outcome.failure]


@pytest.fixture(scope="module")
def outcomes() -> list[Any]:
    return list(lives.live(1, 400))


def test_random_lives_pass(outcomes: list[Any]) -> None:
    assert failures(outcomes) == []
    assert len(outcomes) == 400
    # In most lives programs share tags.
    assert sum(outcome.links_of_service > 0 for outcome in outcomes) > 150


@pytest.mark.parametrize(
    "options",
    [[], ["--earlier"], ["--earlier", "--usual"], ["--earlier", "--usual", "--alone"]],
    ids=["all", "earlier", "usual", "alone"],
)
@pytest.mark.parametrize("seed", sorted(KEPT))
def test_lives_that_once_failed_pass(seed: int, options: list[str]) -> None:
    """Most of them failed before services hung and there were other devices, many of these before tags differed, and the
    first before programs shared tags: with one of these sets of options, each life is the same as then."""
    assert failures(lives.program([seed, 1, *options])) == []


def test_a_life_is_the_same_in_another_process(outcomes: list[Any]) -> None:
    """Swift's hash seeds, addresses and process IDs differ in another process."""
    again = {outcome.seed: outcome.hash for outcome in lives.program([1, 100])}
    assert len(again) == 100
    assert again.items() <= {outcome.seed: outcome.hash for outcome in outcomes}.items()


def test_seeds_differ(outcomes: list[Any]) -> None:
    assert len({outcome.hash for outcome in outcomes}) == 400


def test_actions_that_do_not_matter_are_left_out() -> None:
    outcome = lives.Outcome("seed 7 0 40 actions 0 turns 0 messages 0 links 0 s 0 of the service FAILED: it is so")
    assert lives.shrunk(outcome, again=lambda chosen: {3, 17, 39} <= set(chosen)) == [3, 17, 39]


def test_a_crashed_process_is_a_failure(tmp_path: Path) -> None:
    program = tmp_path / "lives"
    program.write_text("#!/bin/sh\nprintf 'seed 8 '\nkill -SEGV $$\n")
    program.chmod(0o755)
    (outcome,) = lives.program([8, 1], program=program)
    assert outcome.seed == 8 and "status -11" in outcome.failure
