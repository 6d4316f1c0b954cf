"""Random calls of every function, with faults and under sanitizers, violate no condition; `Tests/Support/long monkey` makes more
calls."""

import functools
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, run
from header import whole

sys.path.append(str(ROOT / "Tests" / "Search" / "monkey"))
sys.path.append(str(ROOT / "Tests" / "Interface" / "abi"))

import monkey  # noqa: E402
from surface import scripted  # noqa: E402

EXPORTED = scripted((ROOT / "Sources" / "JacquardABI" / "exports").read_text())
# `jacquard_service_run` is the main loop of a separate program.
FUNCTIONS = sorted(name for names in EXPORTED.values() for name in names if name != "jacquard_service_run")
# All in one process, because they build the same programs.
pytestmark = pytest.mark.xdist_group("monkey")


@pytest.fixture(scope="module")
def program() -> Callable[[str, str], Path]:
    built: dict[tuple[str, str], Path] = {}

    def program(sanitizer: str, name: str) -> Path:
        if (sanitizer, name) not in built:
            built[sanitizer, name] = monkey.build(sanitizer, "debug", name)
        return built[sanitizer, name]

    return program


def played(program: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    status, ran = monkey.play(functools.partial(run, timeout=300), program, *arguments)
    assert status == 0, ran.stderr
    return ran


def called(ran: subprocess.CompletedProcess[str]) -> dict[str, int]:
    """How often each function was called."""
    lines = [line.split() for line in ran.stdout.splitlines() if line.startswith(("jacquard_", "jb_"))]
    return {name: int(calls) for name, calls, *_ in lines}


def sequence(ran: subprocess.CompletedProcess[str]) -> str:
    return str(re.findall(r"sequence ([0-9a-f]{16})$", ran.stdout.strip())[0])


@pytest.mark.parametrize("sanitizer, threads", [("address", 1), ("thread", 4)])
def test_every_function_is_called(program: Callable[[str, str], Path], sanitizer: str, threads: int) -> None:
    counts = dict.fromkeys(FUNCTIONS, 0)
    # Some functions are called about once in 10,000 calls: see `rare` in monkey.c.
    for seed in range(1, 11):
        ran = called(played(program(sanitizer, "monkey"), 10000, seed, 0, threads))
        counts = {name: counts[name] + calls for name, calls in ran.items()}
        if all(counts.values()):
            break
    assert sorted(counts) == FUNCTIONS
    assert all(counts.values()), counts


@pytest.mark.parametrize("sanitizer", monkey.LIBRARIES)
def test_every_blocking_function_is_called(program: Callable[[str, str], Path], sanitizer: str) -> None:
    counts = called(played(program(sanitizer, "waits"), 2000, 1))
    assert set(counts) == set(re.findall(r"^\w[\w *]*\b(jb_\w+)\(", monkey.LAYER.read_text(), re.MULTILINE))
    assert sum(counts.values()) > 1000, counts


def test_a_seed_determines_the_calls(program: Callable[[str, str], Path]) -> None:
    first, again = (sequence(played(program("address", "monkey"), 1, 7, 0, 1)) for _ in range(2))
    assert first == again


def test_a_protocol_violation_hides_no_failure() -> None:
    def with_violation(words: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        run(words[words.index("sh") :], env=env)
        return subprocess.CompletedProcess(words, 70)

    assert [monkey.play(with_violation, program)[0] for program in ("true", "false")] == [0, 1]


def test_a_new_function_is_called(tmp_path: Path) -> None:
    """The calls are generated from the header; an unknown type is an error, and is not skipped."""
    text = whole()
    last = "#ifdef __cplusplus\n}"
    for name, parameter, is_known in [("new", "jacquard_tag *tag", True), ("odd", "jacquard_tag ***tag", False)]:
        header = tmp_path / f"{name}.h"
        header.write_text(text.replace(last, f"int jacquard_{name}({parameter});\n{last}"))
        ran = run([sys.executable, ROOT / "Tests" / "Search" / "monkey" / "generate.py", header])
        assert (ran.returncode == 0) == is_known, ran.stderr
        assert ("jacquard_new(tag)" in ran.stdout) == is_known
