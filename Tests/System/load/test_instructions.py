"""How many instructions the library takes, beside a program that uses libdbus alone, and its system calls. Limits of instructions
are 3 to 5 % above the counts."""

import statistics
import sys

import pytest
from conftest import LIBRARY, ROOT

sys.path.append(str(ROOT / "Tests" / "System" / "bench"))

import counts  # noqa: E402
import programs  # noqa: E402

LARGEST_RATIOS = {"touch": 0.14, "command": 0.72, "advertisement": 1.26}
# poll and recvmsg; with the service also epoll_wait, and a recv that finds nothing more.
MOST_SYSTEM_CALLS = {"--no-service": 2, "--service": 4}


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    programs.build()


@pytest.mark.parametrize("name", LARGEST_RATIOS)
def test_the_instructions_are_limited(name: str) -> None:
    ours, *_ = counts.measure(str(LIBRARY), name)
    least, *_ = counts.measure(str(LIBRARY), name, program="bare")
    assert ours <= LARGEST_RATIOS[name] * least, f"{ours} instructions, {least} with libdbus alone"


@pytest.mark.parametrize("service, most", MOST_SYSTEM_CALLS.items())
def test_the_system_calls_of_a_notification_are_limited(service: str, most: int) -> None:
    calls = counts.system_calls("library", service)
    assert len(calls) == counts.PROFILES
    assert statistics.mode(map(len, calls)) <= most, calls
