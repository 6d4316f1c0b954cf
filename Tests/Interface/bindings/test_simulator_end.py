"""`jacquard-sim run` ends with its program, but not before the program's messages have reached the tag."""

from __future__ import annotations

import os
import subprocess
import sys

import places

# Its last write waits in the socket of a stopped bus when the program ends.
PROGRAM = """
import asyncio, os, signal, subprocess, jacquard

async def main():
    async with jacquard.Manager() as manager, manager.connect(serial="01ZK") as connection:
        tag = await connection.tag()
        bus = int(subprocess.check_output(["pgrep", "-P", str(os.getppid()), "dbus-daemon"]))
        os.kill(bus, signal.SIGSTOP)
        asyncio.ensure_future(tag.write_value("words", "the last"))
        # The service sends the request to the bus, which nothing reports.
        await asyncio.sleep(0.1)
        subprocess.Popen(["sh", "-c", f"sleep 0.3; kill -CONT {bus}"])
        os._exit(5)

asyncio.run(main())
"""


def test_the_last_write_of_a_program_reaches_the_tag() -> None:
    command = [str(places.SIMULATOR), "run", "--verbose", "--", sys.executable, "-c", PROGRAM]
    environment = {**os.environ, "PYTHONPATH": str(places.PYTHON_SOURCE)}
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment)
    assert ran.returncode == 5, ran.stderr
    name = " ".join(f"{byte:02x}" for byte in b"the last")
    assert any("<- command" in line and name in line for line in ran.stderr.splitlines()), ran.stderr
