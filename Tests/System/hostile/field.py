"""A service that is attacked, beside an honest program that uses it."""

from __future__ import annotations

import contextlib
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from attacker import NEIGHBOURS
from conftest import ROOT
from invariants import (
    LATENCY,
    RETURN,
    Usage,
    check_commands,
    check_neighbours,
    check_returned,
    lock_files,
    percentile,
    within,
)
from members import IDENTIFIER, Member
from raw_program import RawProgram, bus_id
from simulator import Simulator
from supervisor import Supervisor
from waiting import settled, stays

ATTACKERS = 4
ADAPTER = "00:1A:7D:DA:71:13"
# The time limit of the honest program's commands, in seconds.
LIMIT = 2.0
# The length of a period of an attack, in seconds.
PERIOD = 2.0
# A member may bind the tag. If it does not finish, its bond is removed, and BlueZ ends the link with it.
BINDING = {"bind"}


class Field:
    def __init__(self, program: Path, simulator: Simulator) -> None:
        self.simulator, self.program = simulator, program
        simulator.tell(f"neighbours {NEIGHBOURS}")
        self.neighbours = simulator.tell("journal neighbours")
        # Other users may connect.
        self.folder = tempfile.TemporaryDirectory(prefix="jacquard-hostile-")
        Path(self.folder.name).chmod(0o755)
        command = [ROOT / "build" / "bin" / "jacquardd", "--bus", simulator.bus_address, "--linger", "0.2"]
        self.service = Supervisor(Path(self.folder.name), command, watchdog=0)
        self.service.path.chmod(0o666)
        simulator.service = str(self.service.path)
        self.bus = bus_id(simulator.bus_address)
        self.since = time.monotonic()
        self.honest = Member(program, simulator, 0, "lights", f"limit={round(LIMIT * 1000)}")
        self.honest.connected()
        settled(lambda: len(self.honest.states), 1)
        self.locks = lock_files()

    @contextlib.contextmanager
    def attackers(self, attack: str, user: int = 0, count: int = 0) -> Iterator[list[subprocess.Popen[str]]]:
        """Processes that attack the service until the block ends. `user`: the number of their user."""
        self.exits, self.usage = len(self.service.exits), Usage.of(self.service.running.pid)
        words: list[str | Path] = [sys.executable, "-B", Path(__file__).parent / "attacker.py", attack, self.service.path, self.bus]
        started = [
            subprocess.Popen([*words, str(seed), str(user), str(count)], stdout=subprocess.PIPE, text=True)
            for seed in range(ATTACKERS)
        ]
        try:
            for each in started:
                assert each.stdout and each.stdout.readline() == "begun\n"
            yield started
            failed = [each.args for each in started if each.poll() not in (None, 0)]
            assert not failed, f"attackers ended: {failed}"
        finally:
            for each in started:
                each.kill()
                each.wait(20)
                assert each.stdout
                each.stdout.close()

    def attacked(self, attack: str) -> float:
        """The honest program notices nothing meanwhile, and all is as before. Returns the latency of its commands at the 99th
        percentile, in the best of three periods: other work on the machine passes, and a fault stays."""
        before, latency, begin = len(self.honest.states), math.inf, time.monotonic()
        with self.attackers(attack):
            for _ in range(3):
                since = time.monotonic()
                stays(lambda: self.honest.process.poll() is None, PERIOD, 0.1)
                latency = min(latency, percentile(self.honest, since, time.monotonic()))
                if latency < LATENCY:
                    break
            end = time.monotonic()
        check_commands(self.honest, LIMIT, begin, end)
        if attack in BINDING:
            within(RETURN, lambda: self.honest.is_connected)
            latency = 0
        else:
            assert len(self.honest.states) == before, f"the honest program reported {self.honest.states[before:]}"
        self.check()
        return latency

    def check(self) -> None:
        """Nothing is left of an attack."""
        assert len(self.service.exits) == self.exits, f"the service has ended: {self.service.exits[self.exits :]}"
        before, self.neighbours = self.neighbours, self.simulator.tell("journal neighbours")
        check_neighbours(self.neighbours, before)
        check_returned(self.service.running.pid, self.usage)
        before_locks, self.locks = self.locks, lock_files()
        left = self.locks - before_locks
        assert not left, f"{len(left)} lock files are left"
        for adapter in ("", ADAPTER):
            with RawProgram(self.service.path).hello(self.bus, IDENTIFIER, adapter) as late:
                assert late.refusal() is None
                late.wait_connected()
        assert self.honest.is_connected and self.honest.process.poll() is None

    def close(self) -> None:
        self.honest.kill()
        self.service.__exit__()
        self.folder.cleanup()
