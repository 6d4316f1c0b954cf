"""How many instructions the library takes, beside a program that uses libdbus alone. Limits are 3 to 5 % above the counts."""

import sys

import pytest
from conftest import LIBRARY, ROOT

sys.path.append(str(ROOT / "Tests" / "System" / "bench"))

import counts  # noqa: E402
import programs  # noqa: E402

LARGEST_RATIOS = {"touch": 0.14, "command": 0.72, "advertisement": 1.26}


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    programs.build()


@pytest.mark.parametrize("name", LARGEST_RATIOS)
def test_the_instructions_are_limited(name: str) -> None:
    ours, *_ = counts.measure(str(LIBRARY), name)
    least, *_ = counts.measure(str(LIBRARY), name, program="bare")
    assert ours <= LARGEST_RATIOS[name] * least, f"{ours} instructions, {least} with libdbus alone"
