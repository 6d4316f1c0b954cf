"""The program that has the link of a shared tag is killed or stopped at random moments: the others continue.

JACQUARD_SHARING_KILLS and JACQUARD_SHARING_STOPS are the numbers of these hosts, JACQUARD_SHARING_SEED is the seed of
the moments. `make check-sharing` kills and stops a hundred.
"""

import os
import random
import signal
import statistics
import tempfile
import time

import pytest
from sharing_fixtures import program, simulator, start  # noqa: F401 (first: it finds the others)

from members import Gestures, check_lights, recorded_host

KILLS = int(os.environ.get("JACQUARD_SHARING_KILLS", "50"))
STOPS = int(os.environ.get("JACQUARD_SHARING_STOPS", "12"))
SEED = int(os.environ.get("JACQUARD_SHARING_SEED", "18"))
# For example "log".
WORDS = os.environ.get("JACQUARD_SHARING_WORDS", "").split()
MEMBERS = 4
SAMPLES = 8000
# Seconds until all others have the tag, after their host was killed.
SUCCESSION = 1
# The same for a host that hangs: up to 3 s until its guests know, and time to continue.
SUCCESSION_OF_HUNG = 4
# Seconds that the set-up of a successor takes, and that of a link.
SET_UP = 0.08
# Until what a program sent before it was stopped has been received.
SETTLING = 0.1
CONNECTING = 0.5
PHASES = ("use", "set-up", "connecting", "download of the host", "download of a guest")


class Succession:
    def __init__(self, simulator, start, folder, words):
        print(f"seed {SEED}")
        self.dice = random.Random(SEED)
        self.simulator, self.start, self.folder, self.words = simulator, start, folder, words
        self.members, self.present = [], []
        self.delays = {phase: [] for phase in PHASES}
        self.files = 0
        simulator.tell(f"session 1627344030 samples {SAMPLES}")

    # Programs

    def add(self):
        self.members.append(self.start(*self.words))
        self.present.append(self.members[-1])

    def fill(self):
        """Replaces those that were killed."""
        while len(self.present) < MEMBERS:
            self.add()
        self.await_link(self.present)

    def await_link(self, members):
        """The times since which these have been connected through one of them."""
        processes = {member.process.pid for member in members}

        def linked(member):
            return member.state.time if member.host in processes else 0

        return [member.wait_for(lambda _, member=member: linked(member)) for member in members]

    def host(self):
        """The program that has the link or establishes it; any other if there is none."""
        process = recorded_host()
        return next((each for each in self.present if each.process.pid == process), self.dice.choice(self.present))

    def others(self, host):
        return [member for member in self.present if member is not host]

    def kill(self, host):
        self.present.remove(host)
        return host.kill()

    # Downloads

    def new_file(self):
        self.files += 1
        return self.folder / f"session-{self.files}"

    def download_all(self):
        """For comparison with later downloads. The library has compared it with the checksum that the tag listed."""
        member, file = self.present[0], self.new_file()
        start = time.monotonic()
        assert member.download(file)() == 0
        self.session = file.read_bytes()
        self.download_time = time.monotonic() - start
        print(f"{len(self.session)} bytes are downloaded in {self.download_time:.2f} s")

    def finish(self, member, file, result):
        """If the program was killed, another one continues its file."""
        if member not in self.present:
            assert self.session.startswith(file.read_bytes()), f"{file} has wrong bytes"
            member = self.dice.choice(self.present)
            result = member.download(file)
        assert result() == 0, f"the download of member {member.number} failed"
        assert file.read_bytes() == self.session, f"{file} is not the session"
        file.unlink()

    def describe(self, download):
        return f", member {download[0].number} downloads {download[1].name}" if download else ""

    # What happens

    def reach(self, phase):
        """A random moment of this phase. Returns the download, if there is one."""
        if phase == "use":
            time.sleep(self.dice.uniform(0.05, 0.5))
        elif phase == "set-up":
            self.kill(self.host())
            time.sleep(self.dice.uniform(0, SET_UP))
        elif phase == "connecting":
            self.simulator.tell("drop link")
            time.sleep(self.dice.uniform(0, CONNECTING))
        else:
            host = self.host()
            member = host if phase == "download of the host" else self.dice.choice(self.others(host))
            file = self.new_file()
            result = member.download(file)
            time.sleep(self.dice.uniform(0, self.download_time))
            return member, file, result
        return None

    def kill_one(self):
        phase = self.dice.choice(PHASES)
        download = self.reach(phase)
        host = self.host()
        moment = self.kill(host)
        print(f"{moment:.3f} member {host.number} is killed: {phase}{self.describe(download)}")
        self.delays[phase] += [max(since - moment, 0) for since in self.await_link(self.present)]
        self.end(download)

    def stop_one(self):
        phase = self.dice.choice(PHASES)
        download = self.reach(phase)
        host = self.host()
        moment = host.signal(signal.SIGSTOP)
        print(f"{moment:.3f} member {host.number} is stopped: {phase}{self.describe(download)}")
        # Before it is noticed, at that time, or later.
        length = self.dice.choice((self.dice.uniform(SETTLING, 2), self.dice.uniform(2, 3.2), None))
        if length is None:
            self.delays[phase] += [max(since - moment, 0) for since in self.await_link(self.others(host))]
            time.sleep(self.dice.uniform(0, 0.5))
        else:
            time.sleep(length)
        print(f"{host.signal(signal.SIGCONT):.3f} member {host.number} continues")
        if length is None:
            # It has to notice first that it is not the host any more.
            others = {member.process.pid for member in self.others(host)}
            host.wait_for(lambda _: host.host in others)
        self.await_link(self.present)
        self.end(download)

    def end(self, download):
        if download:
            self.finish(*download)
        self.fill()

    def run(self, happen, count):
        self.fill()
        self.download_all()
        with Gestures(self.simulator, 60) as gestures:
            for _ in range(count):
                happen()
            self.await_link(self.present)
        done = check_lights(self.simulator, self.members)
        for member in self.members:
            member.check_gestures()
        print(f"{gestures.sent} gestures, {done} patterns")
        assert done > count

    def report(self):
        """The longest delay."""
        for phase, delays in [*self.delays.items(), ("all", sum(self.delays.values(), []))]:
            if delays:
                times = f"median {statistics.median(delays):.3f}, longest {max(delays):.3f}"
                print(f"seconds until all others continued, {phase}, {len(delays)} times: {times}")
        return max(delays)


@pytest.fixture(autouse=True)
def meeting_place(monkeypatch):
    """Of these programs only."""
    with tempfile.TemporaryDirectory(prefix="jacquard-meeting-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield


def test_hosts_are_killed(simulator, start, tmp_path, capsys):
    succession = Succession(simulator, start, tmp_path, ["lights", *WORDS])
    succession.run(succession.kill_one, KILLS)
    assert succession.report() < SUCCESSION


def test_hosts_are_stopped_and_continue(simulator, start, tmp_path, capsys):
    succession = Succession(simulator, start, tmp_path, ["lights=30", *WORDS])
    succession.run(succession.stop_one, STOPS)
    assert succession.report() < SUCCESSION_OF_HUNG
