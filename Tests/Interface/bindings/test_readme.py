"""The examples of the package's README work."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import places
import pytest
from simulator import Simulator

PROGRAMS = re.findall(r"```python\n(.*?)```", (places.PYTHON_SOURCE.parent / "README.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("program", PROGRAMS, ids=["asyncio", "blocking", "at a prompt"])
def test_a_readme_program_works(simulator: Simulator, program: str) -> None:
    simulator.tell("battery 71 discharging")
    environment = {**os.environ, "PYTHONPATH": str(places.PYTHON_SOURCE)}
    environment["DBUS_SYSTEM_BUS_ADDRESS"] = simulator.bus_address
    running = subprocess.Popen([sys.executable, "-uc", program], env=environment, stdout=subprocess.PIPE, text=True)
    assert running.stdout
    try:
        assert running.stdout.readline().endswith("71%\n")
    finally:
        running.terminate()
        running.communicate()
