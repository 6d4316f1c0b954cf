"""A child of fork() does not affect its parent, however the child ends and whatever it does with the parent's
objects."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import places
import pytest
from simulator import SERIAL, Simulator

BLOCKING = f"""
import gc, multiprocessing, os, sys
import jacquard
from jacquard.blocking import Manager

def refused(call):
    try:
        call()
    except jacquard.ForkedError:
        return
    raise AssertionError("a child may not use its parent's objects")

def use_everything():
    refused(tag.battery)
    refused(connection.states)
    refused(lambda: states.next(timeout=1))
    refused(manager.scan)
    refused(lambda: manager.find(serial="{SERIAL}"))

def find_the_tag_again():
    with Manager() as own:
        assert own.find(serial="{SERIAL}", timeout=10).serial == "{SERIAL}"

def open_what_the_parent_made():
    with unopened:
        assert unopened.find(serial="{SERIAL}", timeout=10).serial == "{SERIAL}"

unopened = Manager()
manager = Manager()
manager.open()
connection = manager.connect(serial="{SERIAL}")
connection.open()
tag = connection.tag()
states = connection.states()
states.next(timeout=10)
"""

ASYNCIO = f"""
import asyncio, gc, multiprocessing, os, sys
import jacquard

async def main():
    async with jacquard.Manager() as manager, manager.connect(serial="{SERIAL}") as connection:
        tag = await connection.tag()
        states = connection.states()
        await states.next()
"""

FORK = """
child = os.fork()
if child == 0:
    {child}
assert os.waitpid(child, 0)[1] == 0
"""
PROCESS = """
process = multiprocessing.get_context("fork").Process(target={target})
process.start()
process.join()
assert process.exitcode == 0
"""
# Newer versions of Python warn about a fork in a process with several threads.
WAITS = """
import threading, warnings
from waiting import until, waiting_calls
warnings.simplefilter("ignore")
waited = connection.events()
thread = threading.Thread(target=lambda: list(waited))
thread.start()
until(lambda: waiting_calls(manager))
"""
WAITED = "waited.close(); thread.join()\n"
RING = "ring = [manager, connection, tag, states]; ring.append(ring); del manager, connection, tag, states, ring"

CHILDREN = {
    "ends normally": FORK.format(child="sys.exit(0)"),
    "ends at once": FORK.format(child="os._exit(0)"),
    "closes everything": FORK.format(child="states.close(); connection.close(); manager.close(); sys.exit(0)"),
    "collects its garbage": FORK.format(child=f"{RING}; gc.collect(); os._exit(0)"),
    "is of multiprocessing": PROCESS.format(target="gc.collect"),
}
BLOCKING_CHILDREN = CHILDREN | {
    "uses everything": FORK.format(child="use_everything(); sys.exit(0)"),
    "uses everything, of multiprocessing": PROCESS.format(target="use_everything"),
    "has its own manager": PROCESS.format(target="find_the_tag_again"),
    "opens a manager that was made before": PROCESS.format(target="open_what_the_parent_made"),
    "was forked while another thread waits": WAITS + FORK.format(child="use_everything(); manager.close(); sys.exit(0)") + WAITED,
}
ASYNCIO_CHILDREN = CHILDREN | {
    "closes everything": FORK.format(child="states.close(); manager.close(); sys.exit(0)"),
}


@pytest.fixture(scope="module")
def simulator() -> object:
    with Simulator("--time-scale", "50") as running:
        running.tell("sleep-after 10000min")  # of the simulator's time
        yield running


def answers(simulator: Simulator, program: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={
            **os.environ,
            "PYTHONPATH": f"{places.PYTHON_SOURCE}:{Path(__file__).parent}",
            "DBUS_SYSTEM_BUS_ADDRESS": simulator.bus_address,
        },
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (ran.returncode, ran.stderr, ran.stdout) == (0, "", "80\n80\n")


@pytest.mark.parametrize("child", BLOCKING_CHILDREN)
def test_a_blocking_parent_continues_when_its_child(simulator: Simulator, child: str) -> None:
    use = "print(tag.battery().percent, flush=True)\n"
    end = "states.close()\nconnection.close()\nmanager.close()\n"
    answers(simulator, BLOCKING + use + BLOCKING_CHILDREN[child] + use + end)


@pytest.mark.parametrize("child", ASYNCIO_CHILDREN)
def test_an_asyncio_parent_continues_when_its_child(simulator: Simulator, child: str) -> None:
    use = "print((await asyncio.wait_for(tag.battery(), 10)).percent, flush=True)\n"
    body = use + ASYNCIO_CHILDREN[child] + use + "states.close()\n"
    indented = "".join(" " * 8 + line + "\n" for line in body.splitlines())
    answers(simulator, ASYNCIO + indented + "asyncio.run(main())\n")
