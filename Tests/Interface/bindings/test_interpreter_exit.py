"""A program that exits without closing anything exits normally: no crash, no hang, no output of the library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import places
import pytest
from simulator import SERIAL, Simulator

PROCESSES = 24
BLOCKING = f"""
import sys
import jacquard
from jacquard.blocking import Manager
manager = Manager()
manager.open()
connection = manager.connect(serial="{SERIAL}")
"""
ASYNCIO = f"""
import asyncio, sys
import jacquard

async def main():
    manager = jacquard.Manager()
    manager.open()
    connection = manager.connect(serial="{SERIAL}")
    await connection.open()
    tag = await connection.tag()
"""

PROGRAMS = {
    "a manager that has done nothing": BLOCKING,
    "a connection on its way": BLOCKING + "connection.open()\nnext(connection.states())\n",
    "a connected tag": BLOCKING + "connection.open()\ntag = connection.tag()\nprint(tag.battery())\n",
    "streams that are read from": BLOCKING
    + """
connection.open()
tag = connection.tag()
streams = [connection.states(), connection.events(), manager.scan(), manager.adapter_states(), manager.connections()]
for stream in streams:
    try:
        stream.next(timeout=0.05)
    except TimeoutError:
        pass
""",
    "in a ring of references": BLOCKING
    + """
connection.open()
tag = connection.tag()
class Ring: pass
ring = Ring()
ring.itself, ring.kept = ring, [manager, connection, tag, connection.events()]
""",
    "by sys.exit in a loop over events": BLOCKING
    + "connection.open()\nfor event in connection.events():\n    sys.exit(0)\n",
    "kept by a module": BLOCKING
    + "connection.open()\ntag = connection.tag()\njacquard.kept = [tag, connection, manager]\n",
    "kept by an exit handler": BLOCKING
    + "import atexit\nconnection.open()\ntag = connection.tag()\natexit.register(lambda: print(tag.battery()))\n",
    "in another thread's wait": BLOCKING
    + """
import threading
from waiting import until, waiting_calls
threading.Thread(target=lambda: manager.find(serial="ZZZZ"), daemon=True).start()
until(lambda: waiting_calls(manager))
""",
    "asyncio, connected": ASYNCIO + "asyncio.run(main())\n",
    "asyncio, in a task that still waits": ASYNCIO
    + """
    import waiting
    asyncio.kept = [manager, connection, tag]
    asyncio.ensure_future(connection.events(jacquard.Gesture).next())
    asyncio.ensure_future(tag.battery())
    await waiting.turn()  # both begin
asyncio.run(main())
""",
    "asyncio, by an exception": ASYNCIO + "    sys.exit(0)\nasyncio.run(main())\n",
    "asyncio, without closing its loop": ASYNCIO
    + "loop = asyncio.new_event_loop()\nasyncio.set_event_loop(loop)\nloop.run_until_complete(main())\n",
    "a log handler that is called late": """
import logging, sys
logging.basicConfig(level=logging.DEBUG, stream=sys.stdout)
"""
    + BLOCKING
    + "connection.open()\nconnection.tag()\n",
}

# CPython before 3.14 ends a foreign thread that takes its lock while it exits; later it stops that thread forever.
PLAIN = """
import ctypes, os, sys
library = ctypes.CDLL(sys.argv[1])
begun, ending = os.pipe(), os.pipe()

@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
def callback(adapter, data):
    os.write(begun[1], b"x")
    os.read(ending[0], 1)

class Manager:
    def __init__(self):
        self.handle = ctypes.c_void_p()
        assert library.jacquard_manager_new(None, ctypes.byref(self.handle)) == 0
        assert library.jacquard_manager_on_adapter(self.handle, callback, None, None, None) == 0
        assert library.jacquard_manager_start(self.handle) == 0

    def __del__(self, unref=library.jacquard_manager_unref, callback=callback, write=os.write, ending=ending[1]):
        write(ending, b"x")
        unref(self.handle)

manager = Manager()
os.read(begun[0], 1)
"""


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="its threads stop forever instead of ending")
def test_releasing_a_manager_whose_thread_was_ended() -> None:
    environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"}
    command = [sys.executable, "-c", PLAIN, str(places.LIBRARY)]
    programs = [subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) for _ in range(PROCESSES)]
    try:
        assert [(program.communicate(timeout=60)[1], program.returncode) for program in programs] == [(b"", 0)] * PROCESSES
    finally:
        for program in programs:
            program.kill()


@pytest.fixture(scope="module")
def simulator() -> object:
    with Simulator("--time-scale", "50") as running:
        running.tell("sleep-after 10000min")  # of the simulator's time
        yield running


@pytest.mark.parametrize("name", PROGRAMS)
def test_ending(simulator: Simulator, name: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "ignore::ResourceWarning", "-c", PROGRAMS[name]],
        env={
            **os.environ,
            "PYTHONPATH": f"{places.PYTHON_SOURCE}:{Path(__file__).parent}",
            "DBUS_SYSTEM_BUS_ADDRESS": simulator.bus_address,
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
