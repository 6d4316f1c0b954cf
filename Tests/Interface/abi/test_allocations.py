"""Touch samples, sixty per second, need no heap allocation, apart from one timer a second that notices their end. They
become touches and gestures in a limited number of instructions."""

import re
from pathlib import Path

import pytest
from conftest import ROOT, SIMULATOR, build, run

# Domain, opcode, component; touch data with a sequence number, proximity and twelve lines.
TOUCH = "c0 1c 08 08 10 07 18 65 aa 39 13 12 11 20 05 3a 0d 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d"
# Touch data with an unknown field: the general decoder reads it, with heap allocations.
UNUSUAL = "c0 1f 08 08 10 07 18 65 aa 39 13 12 11 20 05 3a 0d 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d c0 3e 01"
TOUCHES = 60


def allocations(folder: Path, touch: str) -> list[int]:
    """The allocations of each of the last touches, after tables have grown."""
    program = build(ROOT / "Tests" / "Interface" / "abi" / "allocations.c", folder / "allocations")
    (folder / "touches").write_text(f"after ready 100ms every 20ms send notification {touch}\n")
    ran = run([SIMULATOR, "run", "--scenario", folder / "touches", "--", program, TOUCHES])
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout + ran.stderr
    return [int(line) for line in ran.stdout.split()][TOUCHES // 2 :]


def test_a_touch_needs_no_heap_allocation(tmp_path: Path) -> None:
    # The touches take less than a second.
    counted = [count for count in allocations(tmp_path, TOUCH) if count]
    assert len(counted) <= 1 and sum(counted) <= 2


def test_heap_allocations_are_counted(tmp_path: Path) -> None:
    assert 0 not in allocations(tmp_path, UNUSUAL)


@pytest.mark.parametrize("fingers", [[], ["one"]], ids=["three", "one"])
def test_a_tracker_needs_no_heap_allocation(tmp_path: Path, fingers: list[str]) -> None:
    program = build(ROOT / "Tests" / "Interface" / "abi" / "allocations.c", tmp_path / "allocations")
    ran = run([program, "tracker", 10_000, *fingers])
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout + ran.stderr
    allocated, points, gestures = map(int, ran.stdout.split())
    # Three fingers make no gestures.
    assert allocated == 0 and (9_990 if fingers else 15_000) < points < 40_000 and (gestures > 100) == bool(fingers)


@pytest.mark.parametrize("fingers, most", [([], 20_000), (["one"], 11_000)], ids=["three", "one"])
def test_a_tracker_takes_few_instructions(tmp_path: Path, fingers: list[str], most: int) -> None:
    """A sample takes about 2 µs for two or three fingers, and 1.1 µs for one, with its gestures. The counts are 5 %
    below the limit."""
    program = build(ROOT / "Tests" / "Interface" / "abi" / "allocations.c", tmp_path / "allocations")
    counted = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={tmp_path}/profile"]
    functions = [f"--toggle-collect=jacquard_touch_tracker_{name}" for name in ("process", "gestures")]
    ran = run([*counted, *functions, program, "tracker", 1000, *fingers])
    collected = re.search(r"Collected : (\d+)", ran.stderr)
    assert ran.returncode == 0 and collected, ran.stderr
    assert 1_000 < int(collected[1]) / 1000 < most
