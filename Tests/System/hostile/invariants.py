"""Invariants, whatever the other side does: of every command, repetition and resource, and of all other devices."""

from __future__ import annotations

import contextlib
import os
import re
import statistics
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from members import Member
from waiting import PERIOD, paced

# Seconds that a command may last beyond its own limit. It may wait for other programs' turns, and for the notice that
# the service does not respond. This includes a margin for a busy machine.
GRACE = 10.0 + 0.5
# Seconds until a program with a waiting command notices that the service does not respond, with a margin for a busy
# machine.
NOTICE = 5.0 + 1.0
# Connections to a service within 5 s: the usual pauses are 0.25, 0.5, 1, 2, 4, 8 and 15 s.
MOST_CONNECTIONS = 12
# The latency of an honest program's commands, at the 99th percentile, in seconds. The goal is 0.02, on a machine that
# does nothing else.
LATENCY = float(os.environ.get("JACQUARD_HOSTILE_LATENCY", "0.1"))
# Seconds until everything is as before, after the other side has ended.
RETURN = 15.0
# Additional bytes that a process may have then: freed memory stays with it to some extent.
MEMORY = 16 << 20


def is_busy() -> bool:
    """Whether the machine has more to do than it can. The service then waits for a processor, and its programs with it."""
    running = []
    for _ in paced(20, 0.025):
        running.append(int(Path("/proc/loadavg").read_text().split()[3].partition("/")[0]) - 1)
    return statistics.mean(running) > (os.cpu_count() or 1)


def within(seconds: float, condition: Callable[[], object]) -> bool:
    return any(condition() for _ in paced(round(seconds / PERIOD) + 1, PERIOD))


# Commands


def durations(member: Member, since: float, until: float) -> list[float]:
    """The durations of the commands that it gave in this time, including one that has not ended by then."""
    begun: dict[int, float] = {}
    found = []
    for report in list(member.reports):
        if report.kind == "sent" and since <= report.time < until:
            begun[report.values[0]] = report.time
        elif report.kind == "light" and report.values[0] in begun:
            found.append(report.time - begun.pop(report.values[0]))
    return found + [max(until - moment, 0) for moment in begun.values()]


def check_commands(member: Member, limit: float, since: float, until: float) -> None:
    longest = max(durations(member, since, until), default=0)
    assert longest <= limit + GRACE, f"a command with a limit of {limit} s has lasted {longest:.1f} s"


def percentile(member: Member, since: float, until: float) -> float:
    """How long 99 % of the commands of this time have lasted at most. Slow ones are few, because each waits for the last one."""
    found = sorted(durations(member, since, until))
    return found[int(len(found) * 0.99)] if found else until - since


# Repetitions


def check_pauses(times: Iterable[float], most: int = MOST_CONNECTIONS) -> None:
    seconds = 5.0
    moments = sorted(times)
    for first, moment in enumerate(moments):
        count = sum(moment <= other < moment + seconds for other in moments[first:])
        assert count <= most, f"{count} connections within {seconds:.0f} s"


# Resources


@dataclass(frozen=True)
class Usage:
    """The resources that a process uses."""

    descriptors: list[str]
    threads: int
    memory: int  # bytes that cannot be read from files again

    @staticmethod
    def of(process: int) -> Usage:
        place = Path(f"/proc/{process}")
        pages = re.findall(r"^Private_Dirty: +(\d+) kB", (place / "smaps_rollup").read_text(), re.M)
        files = []
        for each in (place / "fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                files.append(re.sub(r"\d+", "N", os.readlink(each)))
        return Usage(sorted(files), len(os.listdir(place / "task")), 1024 * sum(map(int, pages)))

    def excess(self, before: Usage) -> str:
        """The resources that it has in addition to those before; "" if there are none."""
        found = []
        if len(self.descriptors) > len(before.descriptors):
            more = Counter(self.descriptors) - Counter(before.descriptors)
            found.append(f"{len(self.descriptors)} descriptors instead of {len(before.descriptors)} ({dict(more)})")
        if self.threads > before.threads:
            found.append(f"{self.threads} threads instead of {before.threads}")
        if self.memory > before.memory + MEMORY:
            found.append(f"{self.memory >> 20} MB instead of {before.memory >> 20}")
        return ", ".join(found)


def check_returned(process: int, before: Usage) -> None:
    within(RETURN, lambda: not Usage.of(process).excess(before))
    excess = Usage.of(process).excess(before)
    assert not excess, f"the process still has {excess}"


def lock_files() -> set[str]:
    folder = Path(os.environ["XDG_RUNTIME_DIR"]) / "jacquard"
    return {path.name for path in folder.glob("*.lock")}


# Other devices


def check_neighbours(text: str, before: str) -> None:
    """All are as they were, and no call to bluetoothd has named one."""
    pairs = zip(text.split("; "), before.split("; "))
    touched = [now for now, then in pairs if now != then]
    assert not touched, f"{len(touched)} devices other than tags were touched: {touched[:5]}"
