"""How long a command of the shell takes when the service still has the link that the previous one used.

The goal was 60 ms more than `jacquardctl --version`, which loads nothing. The limit is a ratio to the help of the same command,
which loads the same modules, because that does not depend on the machine.
"""

import os
import statistics
import sys
from pathlib import Path

import pytest
from conftest import LIBRARY, ROOT, SIMULATOR, run

sys.path.append(str(ROOT / "Tests" / "System" / "bench"))

import counts  # noqa: E402

SOURCES = (ROOT / "bindings" / "python" / "src", *ROOT.glob("apps/*/src"))
WARM = 1.5
ROUNDS = 15

# Both commands take turns, so that other work on the machine slows down both.
PROGRAM = f"""
import subprocess, sys, time

def seconds(*words):
    begin = time.monotonic()
    subprocess.run([sys.executable, "-m", "jacquardctl", *words], stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin

seconds("bind", "--code", "01ZK")
for _ in range({ROUNDS}):
    print(seconds("battery", "--help"), seconds("battery", "01ZK"))
"""


@pytest.mark.alone
def test_a_command_over_a_warm_link_takes_little_longer_than_loading(tmp_path: Path) -> None:
    (tmp_path / "scenario").write_text(counts.PROMPT)
    environment = {"PYTHONPATH": os.pathsep.join(map(str, SOURCES)), "JACQUARD_LIBRARY": str(LIBRARY)}
    ran = run([SIMULATOR, "run", "--scenario", tmp_path / "scenario", "--", sys.executable, "-c", PROGRAM], env=environment)
    assert ran.returncode == 0, ran.stderr
    rows = [tuple(map(float, line.split())) for line in ran.stdout.splitlines()]
    loading, battery = (statistics.median(column) for column in zip(*rows))
    print(f"loading {loading * 1000:.0f} ms, battery {battery * 1000:.0f} ms")
    assert battery <= WARM * loading, rows
