"""Programs that share a tag, and what they reported."""

from __future__ import annotations

import os
import re
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

# The identifier of the simulator's first tag, derived from its address.
IDENTIFIER = "ae7dc88c-1437-5d1e-a862-ce1037371c9a"
CONNECTED = 6
T = TypeVar("T")


class Tag(Protocol):
    """A tag of the simulator, or of the guest's radio."""

    @property
    def environment(self) -> dict[str, str]: ...

    def tell(self, line: str) -> str: ...


@dataclass(frozen=True)
class Report:
    time: float
    kind: str
    values: tuple[int, ...]

    @property
    def is_connected(self) -> bool:
        return self.kind == "state" and self.values[0] == CONNECTED


class Member:
    """A process of member.c."""

    def __init__(
        self, program: str | Path, simulator: Tag, number: int, *words: str, identifier: str = IDENTIFIER
    ) -> None:
        self.number = number
        self.reports: list[Report] = []
        # The last state; None before the first.
        self.state: Report | None = None
        self.process = subprocess.Popen(
            [program, identifier, str(number), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **simulator.environment},
        )
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            moment, kind, *values = line.split()
            report = Report(float(moment), kind, tuple(map(int, values)))
            with self._news:
                self.reports.append(report)
                if kind == "state":
                    self.state = report
                self._news.notify_all()

    def wait_for(self, condition: Callable[[list[Report]], T | None], seconds: float = 20) -> T:
        """The result of `condition`, called with all reports, once it is true."""
        with self._news:
            found = self._news.wait_for(lambda: condition(self.reports), seconds)
        assert found, f"member {self.number} waited for {seconds} s: {self.reports[-5:]}"
        return found

    @property
    def is_connected(self) -> bool:
        return self.state is not None and self.state.is_connected

    @property
    def service(self) -> int | None:
        """The process of the service through which it is connected; None if there is none."""
        return self.state.values[1] or None if self.state and self.is_connected else None

    @property
    def states(self) -> list[Report]:
        return [report for report in self.reports if report.kind == "state"]

    def connected(self, since: float = 0.0, seconds: float = 20) -> float:
        """The first time since `since` at which it was connected."""

        def first(reports: list[Report]) -> float:
            return next((report.time for report in reports if report.is_connected and report.time >= since), 0)

        return self.wait_for(first, seconds)

    def download(self, file: Path) -> Callable[[], int]:
        """Downloads the tag's session to this file. Returns a function that waits for the result: 0 or an error."""
        start = len(self.reports)
        self._say(file)

        def result(reports: list[Report]) -> Report | None:
            return next((report for report in reports[start:] if report.kind == "download"), None)

        return lambda: self.wait_for(result).values[0]

    def stream(self) -> Callable[[], int]:
        """Starts a motion stream. Returns a function that waits for its first samples: 0, or an error."""
        start = len(self.reports)
        self._say("stream")

        def begun(reports: list[Report]) -> Report | None:
            return next((report for report in reports[start:] if report.kind in ("streaming", "stream")), None)

        return lambda: next(iter(self.wait_for(begun).values), 0)

    def stop_stream(self) -> None:
        self._say("stop")

    def update(self, minor: int) -> Callable[[], int]:
        """Installs the firmware 1.`minor`.0. Returns a function that waits for the result: 0 or an error."""
        start = len(self.reports)
        self._say(f"update {minor}")

        def result(reports: list[Report]) -> Report | None:
            return next((report for report in reports[start:] if report.kind == "update"), None)

        return lambda: self.wait_for(result, 150).values[0]

    def play_lights(self, on: bool) -> None:
        self._say("lights" if on else "dark")

    def _say(self, line: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def signal(self, number: int) -> float:
        self.process.send_signal(number)
        return time.monotonic()

    def end(self) -> None:
        """Ends in an orderly way."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(20)
        self._reader.join(20)
        self.process.stdout.close()

    def kill(self) -> float:
        assert self.process.stdin and self.process.stdout
        moment = time.monotonic()
        self.process.kill()
        self.process.wait(20)
        self._reader.join(20)
        self.process.stdin.close()
        self.process.stdout.close()
        return moment

    @property
    def lights(self) -> dict[int, int]:
        """Its patterns, with their results."""
        return {report.values[0]: report.values[1] for report in self.reports if report.kind == "light"}

    def check_commands(self, limit: float) -> None:
        """Each of its light patterns that has a result had it in time; the member gives one at a time."""
        reports = list(self.reports)
        begun = {report.values[0]: report.time for report in reports if report.kind == "sent"}
        ended = {report.values[0]: report.time for report in reports if report.kind == "light"}
        longest = max((ended[number] - begun[number], begun[number]) for number in ended) if ended else (0, 0)
        assert longest[0] <= limit, f"member {self.number}: a command that began at {longest[1]:.3f} lasted {longest[0]:.1f} s"
        if self.process.poll() is None:
            open_ones = [time.monotonic() - moment for number, moment in begun.items() if number not in ended]
            assert max(open_ones, default=0) <= limit, f"member {self.number}: a command lasts {open_ones} s"

    def check_gestures(self) -> None:
        """Every gesture came once; none is missing while the connection was CONNECTED, unless counted as dropped."""
        last: int | None = None
        is_gap, dropped = True, 0
        for report in list(self.reports):
            if report.kind == "state" and not report.is_connected:
                is_gap = True
            elif report.kind == "dropped":
                dropped += report.values[0]
            elif report.kind == "gesture":
                (number,) = report.values
                if last is not None:
                    what = f"member {self.number} at {report.time:.3f}: {number} after {last}, {dropped} dropped"
                    assert number > last, what
                    assert number <= last + 1 + dropped or is_gap, f"{what} without a gap"
                last, is_gap, dropped = number, False, 0


def played_lights(simulator: Tag) -> list[tuple[int, int]]:
    """The patterns that the tag has received: the member's number, and the number of its pattern."""
    found = re.findall(r"frames (\d+),(\d+),0:(\d+)", simulator.tell("journal lights"))
    return [(int(red) + 256 * int(green), int(number)) for red, green, number in found]


def check_lights(simulator: Tag, members: list[Member]) -> int:
    """No pattern was played twice, and each that was reported as played was. Returns their number."""
    # First, because the members continue to play.
    done = {(member.number, number) for member in members for number, code in member.lights.items() if code == 0}
    played = played_lights(simulator)
    assert len(played) == len(set(played)), "a pattern was played twice"
    missing = sorted(done - set(played))
    times = [
        (report.time, report.kind, member.number, *report.values)
        for member in members
        for report in member.reports
        if report.kind in ("sent", "light") and (member.number, report.values[0]) in missing
    ]
    assert not missing, f"reported as played, but missing among {len(played)}: {times}"
    return len(done)


class Gestures:
    """Makes the tag send numbered gestures at a rate, until the block ends."""

    def __init__(self, simulator: Tag, rate: float) -> None:
        self.simulator = simulator
        self.rate = rate
        self.sent = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._send, daemon=True)

    def _send(self) -> None:
        start = time.monotonic()
        while not self._is_over.wait(max(0, start + self.sent / self.rate - time.monotonic())):
            self.sent += 1
            self.simulator.tell(f"gesture {self.sent}")

    def __enter__(self) -> Gestures:
        self._thread.start()
        return self

    def __exit__(self, *error: BaseException | None) -> None:
        self._is_over.set()
        self._thread.join(20)


def switches(process: int) -> int:
    """The context switches of all threads of a process so far."""
    total = 0
    for task in Path(f"/proc/{process}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            if "ctxt_switches" in line:
                total += int(line.split()[-1])
    return total
