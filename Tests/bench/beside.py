"""Runs a program of the benchmarks beside others that use the same tag: `beside.py ROLE OTHERS PROGRAM...`.

guest: the program uses the tag through another one. host: others use the tag through it, after it has printed
"connected". Runs inside the simulated world.
"""

import os
import subprocess
import sys
import tempfile

from programs import PROGRAMS

# Longer than any measurement.
SECONDS = "1000"


def connected(count):
    """Other programs that are connected to the tag and receive its touch data."""
    command = [PROGRAMS / "library", SECONDS, "touch"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    for process in started:
        if not process.stdout.readline().startswith("connected"):
            sys.exit("another program is not connected")
    return started


def main(role, others, *command):
    beside = []
    with tempfile.TemporaryDirectory(prefix="jacquard-bench-") as meeting_place:
        os.environ["XDG_RUNTIME_DIR"] = meeting_place
        if role == "guest":
            beside += connected(int(others))
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for line in process.stdout:
            print(line, end="", flush=True)
            if role == "host" and line.startswith("connected"):
                beside += connected(int(others))
        status = process.wait()
        for other in beside:
            other.kill()
            other.wait()
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
