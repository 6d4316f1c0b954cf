"""What it costs a program to share tags: instructions and time through the service, and system calls without it."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import LIBRARY, ROOT, SIMULATOR

sys.path.append(str(ROOT / "Tests" / "System" / "bench"))

import counts  # noqa: E402
import programs  # noqa: E402

# Ratios to the instructions of a program that uses libdbus alone.
LARGEST_RATIOS = {"touch": 0.12, "command": 0.55}
# The ratio to the shortest time of a command with libdbus alone: 1.4 to 1.5 is usual. Another process on the way would
# add 0.5.
COMMAND_TIME = 1.8
MOST_ROUNDS = 20
# System calls for the loop, the bus and time limits.
USUAL_CALLS = {"clock_gettime", "poll", "epoll_wait", "read", "recvmsg", "sendmsg", "timerfd_settime"}


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    programs.build()


@pytest.mark.parametrize("name", LARGEST_RATIOS)
def test_the_instructions_of_a_program_that_uses_the_service_are_limited(name: str) -> None:
    ours, *_ = counts.measure(str(LIBRARY), name, "--service")
    least, *_ = counts.measure(str(LIBRARY), name, program="bare")
    assert ours <= LARGEST_RATIOS[name] * least, f"{ours} instructions, {least} with libdbus alone"


def shortest(program: str, service: str) -> float:
    """The time of the command among thousands that other programs of the machine have disturbed least, in seconds."""
    words = [SIMULATOR, "run", service, "--", programs.PROGRAMS / program, "1"]
    ran = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=60, check=True)
    return float(ran.stdout.split()[-1])


def test_a_command_through_the_service_takes_little_longer_than_with_libdbus_alone() -> None:
    times = []
    for _ in range(MOST_ROUNDS):
        times.append((shortest("command", "--service"), shortest("bare-command", "--no-service")))
        shared, least = map(min, zip(*times))
        if shared <= COMMAND_TIME * least:
            return
    pytest.fail(f"through the service and with libdbus alone: {times}")


@pytest.mark.parametrize("program, scenario", [
    (["command", 3], ""),
    (["library", 4, "touch"], f"after subscribed 1s every 20ms send notification {counts.TOUCH}\n"),
])
def test_a_program_that_has_the_link_makes_no_system_call_to_share_it(
    tmp_path: Path, program: list[Any], scenario: str
) -> None:
    """The last of its calls belong to commands or notifications, and the very last ones print the result."""
    (tmp_path / "scenario").write_text(scenario)
    trace = ["valgrind", "--tool=none", "--trace-syscalls=yes", f"--log-file={tmp_path / 'trace'}"]
    command = [*trace, programs.PROGRAMS / program[0], *program[1:]]
    words = [SIMULATOR, "run", "--no-service", "--scenario", tmp_path / "scenario", "--", *command]
    subprocess.run([*map(str, words)], capture_output=True, timeout=60, check=True)
    text = (tmp_path / "trace").read_text()
    # A dispatch that takes longer than its limit, because the machine has other work, asks for another one.
    to_loop = {("write", str(int(number, 16))) for number in re.findall(r"sys_eventfd2 .*Success\(0x(\w+)\)", text)}
    calls = re.findall(r"^SYSCALL\[\d+,1\]\(\d+\) (?:sys_)?(\w+) ?\( (\w+)", text, re.MULTILINE)
    # Only the last calls: before them, even on a slow machine, the program was connected.
    calls = [call for call in calls if call not in to_loop][-50:-10]
    assert (len(calls), {name for name, _ in calls} - USUAL_CALLS) == (40, set())
    assert len({descriptor for name, descriptor in calls if name in ("recvmsg", "sendmsg")}) == 1, "another socket than the bus's"
