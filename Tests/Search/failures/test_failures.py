"""Calls of the library to the machine that fail, one at a time: see README.md."""

from __future__ import annotations

import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, SIMULATOR, STRICT, build, compiler, run

sys.path.append(str(ROOT / "Tests" / "Interface" / "bindings"))

from simulator import Simulator  # noqa: E402
from waiting import until  # noqa: E402

HERE = ROOT / "Tests" / "Search" / "failures"
FEATURES = ROOT / "build" / "features"
PROGRAMS = sorted(path.stem for path in (ROOT / "Tests" / "Interface" / "features").glob("*.c") if path.stem != "feature")
# 0: a part of all failures, for every change; otherwise all of them, and this number in each program of Tests/Interface/features.
COUNT = int(os.environ.get("JACQUARD_FAILURES", "0"))
SEED = int(os.environ.get("JACQUARD_FAILURES_SEED", "1"))
# With COUNT 0, one of this number of calls fails, beginning with the first. Only a service accepts connections.
KINDS = {"memory": 9, "socket": 1, "open": 5, "write": 7, "receive": 7, "epoll": 1, "timer": 1, "create": 1}
SERVICE = ROOT / "build" / "bin" / "jacquardd"
SERVICE_KINDS = {
    "memory": 60, "socket": 1, "open": 3, "write": 9, "receive": 20, "epoll": 2, "timer": 1, "accept": 1, "create": 1,
}
# The most allocations that initialise libdbus, which it does once in a process.
FIRST = 6
# BlueZ and the tag respond immediately, so that only the library takes time.
PROMPT = ["connect takes 0ms", "resolve takes 0ms", "latency 0ms", "disconnect takes 0ms", "advertise every 20ms"]
# Memory in these caches of glibc counts as in use, and would look like a leak.
TUNABLES = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0"}
# libdbus keeps up to five messages, each with buffers of 7.5 kB here, and tables grow once. All cycles together.
MOST_GROWTH = 40_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("failures")
    library = folder / "failures.so"
    made = run([compiler("gcc"), "-std=c11", *STRICT, "-O1", "-shared", "-fPIC", HERE / "failures.c", "-o", library])
    assert made.returncode == 0, made.stderr
    build(HERE / "reading.c", folder / "reading", "-Wno-unused-function", "-O1", library)
    (folder / "prompt").write_text("\n".join(PROMPT) + "\n")
    return folder


def simulate(
    folder: Path, options: Iterable[object], command: Iterable[object], environment: dict[str, Any], **settings: Any
) -> subprocess.CompletedProcess[str]:
    """Only the program has the library of failures, neither the simulator nor the bus."""
    words = [f"{name}={value}" for name, value in {"LD_PRELOAD": folder / "failures.so", **environment}.items()]
    return run([SIMULATOR, "run", *options, "--", "env", *words, *command], stdout=subprocess.PIPE,
               stderr=subprocess.STDOUT, capture_output=False, errors="replace", **settings)


# How a program has the tag: an option of the simulator, and whether the program wants it for itself. Then it asks the service
# to release the tag.
WAYS = {"service": ("--service", 0), "direct": ("--no-service", 0), "exclusive": ("--service", 1)}
# How many cycles had which outcome, and what is wrong.
Outcomes = tuple["collections.Counter[str]", list[str]]
# A program, and how many calls of each kind it made.
FeatureRun = tuple[subprocess.CompletedProcess[str], dict[str, int]]


@pytest.fixture
def read(folder: Path, tmp_path: Path) -> Callable[..., Outcomes]:
    """The outcomes of cycles in which the n-th call fails, and what is wrong."""

    def read(kind: str, first: int, last: int, step: int, way: str = "service", milliseconds: int = 0) -> Outcomes:
        service, exclusive = WAYS[way]
        (tmp_path / "runtime").mkdir(mode=0o700, exist_ok=True)
        outcomes: collections.Counter[str] = collections.Counter()
        wrong = []
        while first <= last:
            ran = simulate(
                folder, [service, "--scenario", folder / "prompt"],
                [folder / "reading", kind, first, last, step, exclusive, milliseconds],
                {"XDG_RUNTIME_DIR": tmp_path / "runtime", **TUNABLES}, timeout=1200)
            outcomes.update(re.findall(rf"^end {kind} \d+ (\w+)", ran.stdout, re.MULTILINE))
            growth = re.search(r"^(\d+) cycles, (-?\d+) bytes each$", ran.stdout, re.MULTILINE)
            if ran.returncode != 0 or not growth:
                # The other calls are tried nevertheless.
                wrong.append(f"status {ran.returncode}: " + "\n".join(ran.stdout.splitlines()[-4:])[:2000])
                begun = re.findall(rf"^begin {kind} (\d+)$", ran.stdout, re.MULTILINE)
                first = int(begun[-1]) + step if begun else last + 1
                outcomes["wrong"] += 1
                continue
            if outcomes.total() > 20 and int(growth[1]) * int(growth[2]) > MOST_GROWTH:
                wrong.append(f"{growth[0]} are left")
            break
        return outcomes, wrong

    return read


def test_everything_fails_that_can(folder: Path) -> None:
    """The first two calls of each kind are counted, so that this test notices a call that it does not recognise."""
    ran = simulate(folder, ["--scenario", folder / "prompt"], [folder / "reading", "memory", 1000000, 1000001, 1, 0, 0],
                   {"FAIL_COUNTS": folder / "counts"})
    assert ran.returncode == 0, ran.stdout
    counts = dict(line.split() for line in (folder / "counts").read_text().splitlines())
    assert {kind for kind in KINDS if int(counts[kind]) > 0} == set(KINDS)


# Each kind in each way; all of them in check-failures.
CASES = [
    (kind, way)
    for index, kind in enumerate(KINDS)
    for number, way in enumerate(WAYS)
    if COUNT or number == index % len(WAYS)
]


@pytest.mark.parametrize(("kind", "way"), CASES)
def test_a_call_that_fails_is_an_error_or_has_no_effect(read: Callable[..., Outcomes], kind: str, way: str) -> None:
    outcomes, wrong = read(kind, 1, 1000000, 1 if COUNT else KINDS[kind], way)
    print(f"{kind}: {outcomes['success']} without effect, {outcomes['error']} errors, {outcomes['wrong']} wrong")
    assert wrong == []
    assert outcomes["success"] + outcomes["error"] > 0 and outcomes["beyond"] == 1


@pytest.mark.parametrize("number", range(1, 100 if COUNT else FIRST))
def test_an_allocation_that_fails_first_in_a_process_is_an_error(read: Callable[..., Outcomes], number: int) -> None:
    outcomes, wrong = read("memory", number, number, 1)
    assert (outcomes.total(), wrong) == (1, [])


def test_the_bus_is_reached_again_after_ten_seconds_without_memory(read: Callable[..., Outcomes]) -> None:
    """All attempts after a change of the bus socket have failed, and the socket does not change again."""
    outcomes, wrong = read("memory", 20, 20, 1, "direct", 10000)
    assert (outcomes, wrong) == ({"error": 1}, [])


def read_through(folder: Path, environment: dict[str, str], runtime: Path, failing: dict[str, str]) -> None:
    """One cycle of a program while a call of its service fails. A supervisor starts the service again if it has ended."""
    socket = runtime / "service"
    service = subprocess.Popen([SERVICE, "--socket", socket], env=environment | failing, stderr=subprocess.DEVNULL)
    command: list[str | Path] = [folder / "reading", "receive", "1000000", "1000000", "1", "0", "0"]
    program = subprocess.Popen(
        command, env=environment | {"JACQUARD_SERVICE": str(socket)}, stdout=subprocess.PIPE, text=True)

    def supervise() -> None:
        nonlocal service
        if service.poll() is not None:
            assert service.returncode >= 0, f"{failing} ended the service with a signal: {service.returncode}"
            service = subprocess.Popen([SERVICE, "--socket", socket], env=environment, stderr=subprocess.DEVNULL)

    until(lambda: program.poll() is not None, 120, meanwhile=supervise, problem=lambda: f"{failing}: no end")
    service.terminate()
    assert service.wait(60) >= 0
    assert program.stdout
    assert program.returncode == 0, f"{failing}: {program.stdout.read()[-2000:]}"


@pytest.mark.parametrize("kind", SERVICE_KINDS)
def test_a_program_has_the_tag_through_a_service_whose_call_fails(folder: Path, tmp_path: Path, kind: str) -> None:
    counts = tmp_path / "counts"
    with Simulator("--no-service", "--scenario", str(folder / "prompt")) as simulator:
        environment = os.environ | simulator.environment | {"XDG_RUNTIME_DIR": str(tmp_path)}
        for number in range(1, 1000000, 1 if COUNT else SERVICE_KINDS[kind]):
            failing = {"LD_PRELOAD": str(folder / "failures.so"), "FAIL_COUNTS": str(counts), "FAIL_KIND": kind}
            read_through(folder, environment, tmp_path, failing | {"FAIL_NUMBER": str(number)})
            if counts.read_text().endswith("failed 0\n"):
                break
    print(f"service, {kind}: {number - 1} calls tried")
    assert number > 1, "no call failed"


@pytest.fixture(scope="module")
def run_feature(folder: Path) -> Callable[..., FeatureRun]:
    def run_feature(program: str, name: str, kind: str | None = None, number: int = 0) -> FeatureRun:
        place = folder / f"{program} {name}"
        (place / "runtime").mkdir(mode=0o700, parents=True)
        environment: dict[str, object] = {"FAIL_COUNTS": place / "counts", "XDG_RUNTIME_DIR": place / "runtime"}
        if kind:
            environment |= {"FAIL_KIND": kind, "FAIL_NUMBER": number}
        ran = simulate(folder, ["--control", place / "control"], [FEATURES / program], environment,
                       env={"JACQUARD_CONTROL": str(place / "control")}, timeout=600)
        # A program that crashes leaves no counts.
        counts = place / "counts"
        lines = counts.read_text().splitlines() if counts.exists() else []
        return ran, {name: int(value) for name, value in map(str.split, lines)}

    return run_feature


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_feature_survives_a_call_that_fails(run_feature: Callable[..., FeatureRun], program: str) -> None:
    """Tests of the program may fail, if the failed call is reported to them; it must end by itself."""
    _, calls = run_feature(program, "alone")
    numbers = [(kind, number) for kind in calls if kind in KINDS for number in range(1, calls[kind] + 1)]
    chosen = random.Random(f"{SEED} {program}").sample(numbers, min(COUNT, len(numbers)))
    outcomes: collections.Counter[tuple[str, str]] = collections.Counter()
    wrong = []

    def survive(choice: tuple[str, int]) -> tuple[str, int, subprocess.CompletedProcess[str]]:
        ran, _ = run_feature(program, "{} {}".format(*choice), *choice)
        return *choice, ran

    # The processes mostly wait for each other.
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        for kind, number, ran in pool.map(survive, chosen):
            # A program that could not create a second manager continues, and waits for its events.
            hung = "waited for" in ran.stdout and "jacquard_manager_new(" not in ran.stdout
            outcome = "success" if ran.returncode == 0 else "error" if ran.returncode == 1 and not hung else "wrong"
            outcomes[kind, outcome] += 1
            if outcome == "wrong":
                wrong.append(f"{kind} {number}: status {ran.returncode}: {ran.stdout[-1000:]}")
    for kind in KINDS:
        found = [outcomes[kind, outcome] for outcome in ("success", "error", "wrong")]
        print("{} {}: {} without effect, {} errors, {} wrong".format(program, kind, *found))
    assert wrong == []


# These take minutes.
if not COUNT:
    del test_the_bus_is_reached_again_after_ten_seconds_without_memory, test_a_feature_survives_a_call_that_fails
