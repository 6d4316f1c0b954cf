"""Programs that share a tag, one or all of which end, or stand still, while they do something."""

from __future__ import annotations

import os
import random
import re
import signal
import statistics
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import ROOT
from members import Gestures, Member, Report, check_lights, played_lights
from sharing_fixtures import Start
from simulator import Simulator
from supervisor import ByHand, Supervisor
from waiting import stays, until

JACQUARDD = ROOT / "build" / "bin" / "jacquardd"
ENDS = int(os.environ.get("JACQUARD_SHARING_ENDS", "0"))
STOPS = int(os.environ.get("JACQUARD_SHARING_STOPS", "10"))
SEED = int(os.environ.get("JACQUARD_SHARING_SEED", "18"))
# Further arguments of the members, for example "log".
WORDS = os.environ.get("JACQUARD_SHARING_WORDS", "").split()
MEMBERS = 4
SAMPLES = 8000
# Seconds until all programs have the tag after the service was killed, beyond the delays of the tag and BlueZ.
RETURN = 1
# The seconds if the watchdog has to kill a service that is stopped: its time limit is 5 s.
WATCHDOG = 6
# Seconds that BlueZ needs to end a link; with a real bluetoothd 2 s.
LINK_END = 0.2
# Seconds in which a program joins, and in which a link is set up.
JOINING = 0.1
CONNECTING = 0.5
LONGEST_WAIT = 20
BUSY = -3
PHASES = ("use", "joining", "connecting", "download", "stream")
# The phases in which a service without a supervisor stands still, and the seconds for which it does.
STOPPED = (*PHASES, "idle", "update", "binding")
PAUSES = (0.05, 0.5, 2, 6, 15)
# Seconds: the limit of each command; the grace, with a margin for a busy machine; and the time until all have the tag
# again: the longest pause of a program that asks again, a welcome that did not come, and the time to connect.
LIMIT, GRACE, COMING_BACK = 2, 10.5, 15 + 5 + 5


class StrictSimulator(Simulator):
    """While a service stands still, packets of a tag may stay unacknowledged for longer than the tag waits."""

    may_miss_acknowledgements = False

    def stop(self) -> str:
        complaints = super().stop().splitlines()
        if self.may_miss_acknowledgements:
            complaints = [line for line in complaints if not re.search("data not acknowledged|violations? of the protocol", line)]
        return "\n".join(complaints)


class Programs:
    """Programs on one tag, and what happens to them."""

    def __init__(
        self, simulator: StrictSimulator, supervisor: Supervisor | ByHand, start: Start, folder: Path, *words: str
    ) -> None:
        print(f"seed {SEED}")
        self.dice = random.Random(SEED)
        self.simulator, self.supervisor, self.start, self.folder = simulator, supervisor, start, folder
        self.words, self.minor = [*WORDS, *words], 96
        self.members: list[Member] = []
        self.present: list[Member] = []
        self.delays: list[float] = []
        self.files = 0
        self.gestures = Gestures(simulator, 60)
        simulator.tell(f"session 1627344030 samples {SAMPLES}")

    def add(self, *words: str) -> Member:
        self.members.append(self.start("lights", *self.words, *words))
        self.present.append(self.members[-1])
        return self.members[-1]

    def fill(self) -> None:
        """Replaces those that were killed, and ends those that were added."""
        while len(self.present) < MEMBERS:
            self.add()
        while len(self.present) > MEMBERS:
            self.present.pop(0).end()
        self.await_link()

    def await_link(self) -> None:
        for member in self.present:
            member.wait_for(lambda _: member.is_connected)

    # Downloads and streams

    def download(self, member: Member) -> tuple[Member, Path, Callable[[], int]]:
        self.files += 1
        file = self.folder / f"session-{self.files}"
        first = member.download(file)
        return member, file, lambda: self.unless_busy(first, lambda: member.download(file)())

    @staticmethod
    def unless_busy(first: Callable[[], int], again: Callable[[], int]) -> int:
        """The result, but not BUSY: another program has just cancelled its stream, and may still be stopping it."""
        codes = [first()]
        until(lambda: codes[-1] != BUSY, LONGEST_WAIT, meanwhile=lambda: codes.append(again()))
        return codes[-1]

    def download_first(self) -> None:
        """A download to compare later ones with. The library has compared it with the checksum that the tag listed."""
        start = time.monotonic()
        _, file, result = self.download(self.present[0])
        assert result() == 0
        self.session = file.read_bytes()
        self.download_time = time.monotonic() - start

    def finish_download(self, member: Member, file: Path, result: Callable[[], int]) -> None:
        """If the program was killed, another one continues its file."""
        if member not in self.present:
            assert self.session.startswith(file.read_bytes()), f"{file} has wrong bytes"
            member = self.dice.choice(self.present)
            result = member.download(file)
        assert result() == 0, f"the download of member {member.number} failed"
        assert file.read_bytes() == self.session, f"{file} is not the session"
        file.unlink()

    def finish_stream(self, member: Member) -> None:
        """If the program was killed, another one can stream, because its stream was ended."""
        if member not in self.present:
            member = self.dice.choice(self.present)
            self.start_stream(member)
        member.stop_stream()

    def start_stream(self, member: Member) -> None:
        assert self.unless_busy(member.stream(), lambda: member.stream()()) == 0, f"member {member.number} cannot stream"

    # What happens

    def reach(self, phase: str) -> tuple[Member, Callable[[], None]]:
        """A random moment of this phase. Returns the program that the phase is about, and a function to finish with."""
        member, finish, length = self.dice.choice(self.present), lambda: None, CONNECTING
        if phase == "joining":
            member, length = self.add(), JOINING
        elif phase == "connecting":
            self.simulator.tell("drop link")
        elif phase == "download":
            download, length = self.download(member), self.download_time
            finish = lambda: self.finish_download(*download)  # noqa: E731
        elif phase == "stream":
            self.start_stream(member)
            finish = lambda: self.finish_stream(member)  # noqa: E731
        elif phase == "idle":
            self.play_lights(False)
            finish = lambda: self.play_lights(True)  # noqa: E731
        elif phase == "update":
            self.minor += 1
            updated = member.update(self.minor)
            finish = lambda: self.finish_update(updated)  # noqa: E731
        elif phase == "binding":
            member, length = self.add("bind=01ZK"), JOINING
        self.pause(length)
        return member, finish

    def pause(self, longest: float) -> None:
        """A random moment within this time."""
        self.keep_running(self.dice.uniform(0, longest))

    def keep_running(self, seconds: float) -> None:
        """Demands that no program ends for this time."""
        stays(lambda: all(member.process.poll() is None for member in self.present), seconds)

    def end_program(self, number: int) -> None:
        """The others report no state, and lose no value and no command."""
        phase = self.dice.choice(PHASES)
        member, finish = self.reach(phase)
        # In half of the cases another program than the one that downloads or streams.
        if phase != "joining" and self.dice.random() < 0.5:
            member = self.dice.choice(self.present)
        others = [other for other in self.present if other is not member]
        before = [self.harm(other, phase) for other in others]
        print(f"{time.monotonic():.3f} member {member.number} ends: {phase}")
        if number == signal.SIGKILL:
            self.present.remove(member)
            member.kill()
        else:
            member.signal(number)
        self.pause(1)
        if phase != "connecting":
            assert [self.harm(other, phase) for other in others] == before, f"harm to others: {phase}"
        if number == signal.SIGSTOP:
            self.resume(member)
        finish()
        self.fill()

    def resume(self, member: Member) -> None:
        """Waits until it has reported the events since its stop, before it is one of the others."""
        sent = self.gestures.sent
        member.signal(signal.SIGCONT)
        member.wait_for(lambda reports: any(report.kind == "gesture" and report.values[0] > sent for report in reports))

    @staticmethod
    def harm(member: Member, phase: str) -> tuple[Counter[str], int]:
        """The reports of the member that another one must not cause. It loses packets of another program's download,
        which takes the simulator no time, if it does not run for some tenths of a second."""
        reports = list(member.reports)
        harmful = {"state", "missing", "stream"} | ({"dropped"} if phase != "download" else set())
        kinds = Counter(report.kind for report in reports if report.kind in harmful)
        return kinds, sum(report.kind == "light" and report.values[1] != 0 for report in reports)

    def end_service(self, number: int) -> None:
        phase = self.dice.choice(PHASES)
        _, finish = self.reach(phase)
        moment = time.monotonic()
        print(f"{moment:.3f} the service ends: {phase}")
        self.supervisor.running.send_signal(number)
        self.delays.append(max(self.returned(member, moment) for member in self.present) - moment)
        finish()
        self.fill()

    def stop_service(self, number: int) -> None:
        """The service stands still, and continues, or is killed and started again. It has no supervisor."""
        assert isinstance(self.supervisor, ByHand)
        phase = self.dice.choice(STOPPED)
        _, finish = self.reach(phase)
        pause, is_killed = self.dice.choice(PAUSES), self.dice.random() < 0.3
        moment = time.monotonic()
        print(f"{moment:.3f} the service stands still for {pause} s{', and is killed' if is_killed else ''}: {phase}")
        self.supervisor.running.send_signal(number)
        self.keep_running(pause)
        # Commands that were reported as failed no longer reach the tag.
        failed = {(each.number, light) for each in self.members for light, code in each.lights.items() if code}
        failed -= set(played_lights(self.simulator))
        moment = time.monotonic()
        if is_killed:
            self.supervisor.end(signal.SIGKILL)
            self.supervisor.start()
        else:
            self.supervisor.running.send_signal(signal.SIGCONT)
        for member in self.present:
            member.wait_for(lambda _: member.is_connected, COMING_BACK)
        self.delays.append(time.monotonic() - moment)
        finish()
        self.fill()
        for member in self.members:
            member.check_commands(LIMIT + GRACE)
        late = failed & set(played_lights(self.simulator))
        assert not late, f"sent late, after a failure was reported: {sorted(late)}"

    def play_lights(self, on: bool) -> None:
        for member in self.present:
            member.play_lights(on)

    def finish_update(self, result: Callable[[], int]) -> None:
        assert result() == 0, f"the update to 1.{self.minor}.0 failed"

    @staticmethod
    def returned(member: Member, moment: float) -> float:
        """When the member was connected again after it had reported that it was not."""

        def lost(reports: list[Report]) -> float:
            later = (report.time for report in reports if report.kind == "state" and report.time > moment)
            return next(later, 0)

        return member.connected(since=member.wait_for(lost))

    def own_delay(self) -> float:
        """The delay of the tag and BlueZ: the longest of some links that are lost and established again."""
        delays = []
        for _ in range(5):
            moment = time.monotonic()
            self.simulator.tell("drop link")
            delays.append(max(self.returned(member, moment) for member in self.present) - moment)
        return max(delays) + LINK_END

    def run(self, happen: Callable[[int], Any], number: int, count: int) -> float:
        """Returns the time limit for a return of the service."""
        self.fill()
        self.download_first()
        limit = RETURN + self.own_delay()
        with self.gestures:
            for _ in range(count):
                happen(number)
        for member in self.present:
            member.end()
        done = check_lights(self.simulator, self.members)
        for member in self.members:
            member.check_gestures()
        print(f"{self.gestures.sent} gestures, {done} patterns")
        assert done > count
        if self.delays:
            print(
                f"seconds: median {statistics.median(self.delays):.3f}, longest {max(self.delays):.3f}, limit {limit:.3f}"
            )
        return limit
