"""Every feature from end to end: C program, library, D-Bus, simulated bluetoothd, software tag."""

import concurrent.futures
import re
from pathlib import Path

import pytest
from conftest import ROOT, SIMULATOR, run

HERE = Path(__file__).parent
TESTS = {
    source.stem: re.findall(r'^  test\("([^"]+)",', source.read_text(), re.MULTILINE)
    for source in sorted(HERE.glob("*.c"))
    if source.stem != "feature"
}


@pytest.fixture(scope="session")
def ran(request, tmp_path_factory):
    """The result of a program with a tag, which runs once for all tests. Programs mostly wait, so four run at a time."""
    wanted = [item.callspec.params["program"] for item in request.session.items if "ran" in item.fixturenames]
    folders = {program: tmp_path_factory.mktemp(program) for program in dict.fromkeys(wanted)}

    def run_with_a_tag(program):
        control = folders[program] / "control"
        command = [SIMULATOR, "run", "--control", control, "--", ROOT / "build" / "features" / program]
        return run(command, env={"JACQUARD_CONTROL": str(control)}, timeout=120)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        running = {program: pool.submit(run_with_a_tag, program) for program in folders}
        yield lambda program: running[program].result()


@pytest.mark.parametrize("program, test", [(program, test) for program in TESTS for test in TESTS[program]])
def test_feature(ran, program, test):
    output = ran(program).stdout
    assert f"ok {program}: {test}" in output.splitlines(), output


@pytest.mark.parametrize("program", TESTS)
def test_program(ran, program):
    """The tag reports no violation, and every test that ran is listed in TESTS."""
    finished = ran(program)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.splitlines()[-1] == f"{len(TESTS[program])} passed, 0 failed"
