"""Every feature from end to end: C program, library, D-Bus, simulated bluetoothd, software tag.

Each program has the link itself, also with tags that are like others, uses the service, and uses it beside three busy programs.
"""

from __future__ import annotations

import concurrent.futures
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import HEADER, LIBRARY_FOLDER, ROOT, SIMULATOR, compiler, run
from header import whole

HERE = Path(__file__).parent
TESTS = {
    source.stem: re.findall(r'^  test\("([^"]+)",', source.read_text(), re.MULTILINE)
    for source in sorted(HERE.glob("*.c"))
    if source.stem != "feature"
}
PROGRAMS = ROOT / "build" / "features"
# Options of the simulator, and the words before the program.
WAYS: dict[str, list[str | Path]] = {
    "directly": ["--no-service", "--"],
    "through the service": ["--"],
    "beside others": ["--", sys.executable, ROOT / "Tests" / "System" / "sharing" / "beside.py"],
    # The tag behaves like each of those that were examined with jacquardctl certify.
    **{f"like {path.stem}": ["--no-service", "--like", path, "--"] for path in sorted((ROOT / "docs" / "tags").glob("*.json"))},
}
# The result of a program in one of the ways.
Ran = Callable[[str, str], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """The result of a program with a tag, which runs once for all its tests. Programs mostly wait: eight run at a time."""
    functions = [item for item in request.session.items if isinstance(item, pytest.Function)]
    items = [item.callspec.params for item in functions if "ran" in item.fixturenames]
    wanted = dict.fromkeys((str(item["program"]), str(item["way"])) for item in items)

    folders = tmp_path_factory.mktemp("features")

    def run_with_a_tag(program: str, way: str) -> subprocess.CompletedProcess[str]:
        folder = folders / f"{program} {way}"
        folder.mkdir()
        control = folder / "control"
        command = [SIMULATOR, "run", "--control", control, *WAYS[way], PROGRAMS / program]
        return run(command, env={"JACQUARD_CONTROL": str(control)}, timeout=120)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        running = {key: pool.submit(run_with_a_tag, *key) for key in wanted}
        yield lambda program, way: running[program, way].result()


@pytest.mark.parametrize("program, test", [(program, test) for program in TESTS for test in TESTS[program]])
@pytest.mark.parametrize("way", WAYS)
def test_feature(ran: Ran, way: str, program: str, test: str) -> None:
    output = ran(program, way).stdout
    assert f"ok {program}: {test}" in output.splitlines(), output


@pytest.mark.parametrize("program", TESTS)
@pytest.mark.parametrize("way", WAYS)
def test_program(ran: Ran, way: str, program: str) -> None:
    """The tag reports no violation, and every test that ran is listed in TESTS."""
    finished = ran(program, way)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.splitlines()[-1] == f"{len(TESTS[program])} passed, 0 failed"


@pytest.mark.parametrize("program", ["gestures", "modules"])
def test_a_number_without_a_name_is_no_undefined_behaviour_in_cpp(program: str, tmp_path: Path) -> None:
    """The tag sends gestures and statuses that no enumeration of the header names."""
    built, control = tmp_path / program, tmp_path / "control"
    # -fpermissive: the programs are C, in which void pointers need no casts.
    options = ["-x", "c++", "-std=c++20", "-fpermissive", "-w", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
    sources = [f"-I{HEADER.parent}", HERE / f"{program}.c", HERE / "feature.c", "-x", "none"]
    library = [f"-L{LIBRARY_FOLDER}", "-ljacquard", f"-Wl,-rpath,{LIBRARY_FOLDER}"]
    made = run([compiler("g++"), *options, *sources, "-o", built, *library])
    assert made.returncode == 0, made.stderr
    command = [SIMULATOR, "run", "--control", control, *WAYS["directly"], built]
    finished = run(command, env={"JACQUARD_CONTROL": str(control)}, timeout=120)
    assert (finished.returncode, finished.stderr) == (0, ""), finished.stdout


@pytest.mark.parametrize("way", ["directly", "through the service"])
@pytest.mark.parametrize("program", ["gestures", "touch", "motion"])
def test_all_arrivals_are_on_the_clock_that_includes_suspend(way: str, program: str, tmp_path: Path) -> None:
    """The machine was suspended for a day."""
    suspended = ["unshare", "--user", "--map-root-user", "--time", "--boottime", "86400", "--fork"]
    if run([*suspended, "true"]).returncode:
        pytest.skip("the kernel allows no time namespaces")
    finished = run(
        [*suspended, SIMULATOR, "run", "--control", tmp_path / "control", *WAYS[way], PROGRAMS / program],
        env={"JACQUARD_CONTROL": str(tmp_path / "control")},
        timeout=120,
    )
    assert finished.stdout.splitlines()[-1] == f"{len(TESTS[program])} passed, 0 failed", finished.stdout


def test_no_command_and_no_event_is_missing() -> None:
    declared = re.findall(r"^int (jacquard_(?:tag|component|connection)_\w+)\(", whole(), re.MULTILINE)
    used = set(re.findall(r"\bjacquard_\w+", "".join((HERE / f"{name}.c").read_text() for name in TESTS)))
    assert len(declared) > 20
    assert set(declared) - used == set()
