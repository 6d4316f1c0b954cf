"""Programs share a tag; the one that has the link is killed or stopped, and the others continue.

succession.py kill|stop COUNT SEED ADAPTER IDENTIFIER BUILD FOLDER

Appends the seconds until each of the others was connected again to FOLDER/delays. Checks that each gesture was received
once, that none was lost while a program was connected, and that no light pattern was played twice. BUILD has the programs.
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "sharing"))

from members import Gestures, Member, check_lights  # noqa: E402

MEMBERS = 4
# Gestures per second, and the pause between two light patterns of one program. The machine is emulated.
RATE = 20
PAUSE_MS = 200
LONGEST_WAIT = 30
PREPARING = 1
# Of the hosts that are killed: while it is used, while it sets the link up, and while another program downloads.
PHASES = ("use", "set-up", "use", "download")


class Radio:
    """The tag, through the port of programs/radio, which only one process can open."""

    bus_address = "unix:path=/run/dbus/system_bus_socket"

    def __init__(self):
        (port,) = (
            port for port in Path("/sys/class/virtio-ports").iterdir() if (port / "name").read_text() == "control\n"
        )
        self.port = os.open(f"/dev/{port.name}", os.O_RDWR)
        self.lock = threading.Lock()

    def tell(self, line):
        with self.lock:
            os.write(self.port, f"tag 1 tell {line}\n".encode())
            answer = b""
            while not answer.endswith(b"\n"):
                answer += os.read(self.port, 1 << 16)
        text = answer.decode().strip()
        assert text.startswith("ok"), f"{line}: {text}"
        return text[2:].strip()


class Succession:
    def __init__(self, dice, adapter, identifier, build, folder):
        self.dice, self.adapter, self.identifier, self.folder = dice, adapter, identifier, Path(folder)
        self.program, self.downloader = f"{build}/vm/member", f"{build}/vm/motion"
        self.radio = Radio()
        self.members, self.present = [], []

    # Programs

    def start(self):
        new = Member(
            self.program, self.radio, len(self.members), f"lights={PAUSE_MS}", "log", identifier=self.identifier
        )
        self.members.append(new)
        self.present.append(new)
        return new

    def fill(self):
        """Replaces those that were killed."""
        while len(self.present) < MEMBERS:
            self.start()
        self.await_connections()

    def await_connections(self):
        for member in self.present:
            member.wait_for(lambda _, member=member: member.is_connected, LONGEST_WAIT)

    def host(self):
        """The program that the others name, or one that establishes a link; None if there is neither."""
        states = [(member, member.state.values) for member in self.present if member.state]
        named = {process for _, (_, process, _) in states}
        for member, (phase, process, _) in states:
            if member.process.pid in named or process == 0 and phase > PREPARING:
                return member
        return None

    def await_host(self):
        deadline = time.monotonic() + LONGEST_WAIT
        while not (host := self.host()):
            assert time.monotonic() < deadline, "no program has the link"
            time.sleep(0.01)
        return host

    def end_link_of(self, host, name, phase):
        """Sends this signal to the host; returns when all others are connected through another program."""
        others = [member for member in self.present if member is not host]
        starts = [len(member.reports) for member in others]
        last = host.state.values if host.state else ()
        moment = time.monotonic()
        host.process.send_signal(name)
        times = []
        for member, start in zip(others, starts):

            def continued(reports, start=start):
                later = (report for report in reports[start:] if report.is_connected)
                return next((report.time for report in later if report.values[1] != host.process.pid), 0)

            times.append(member.wait_for(continued, LONGEST_WAIT) - moment)
        with open(self.folder / "delays", "a") as delays:
            print(*times, sep="\n", file=delays)
        print(
            f"{moment:.3f} {name.name} member {host.number} at {last}, {phase}: "
            + ", ".join(f"{each:.2f}" for each in sorted(times))
        )

    def bury(self, host):
        host.process.wait(LONGEST_WAIT)
        self.present.remove(host)

    # Downloads

    def start_download(self, name):
        file = self.folder / name
        return file, subprocess.Popen([self.downloader, self.adapter, "download", file], stdout=sys.stderr)

    def await_bytes(self, file, process, count):
        deadline = time.monotonic() + 2 * LONGEST_WAIT
        while not file.exists() or file.stat().st_size < count:
            assert process.poll() is None, "the download has ended"
            assert time.monotonic() < deadline, f"no {count} bytes were downloaded"
            time.sleep(0.02)

    def finish_download(self, file, process):
        assert process.wait(120) == 0, "the download failed"
        return file.read_bytes()

    # What happens

    def kill(self, number):
        phase = PHASES[number % len(PHASES)]
        download = None
        if phase == "download":
            download = self.start_download(f"download-{number}")
            self.await_bytes(*download, 1 + self.dice.randrange(8000))
        elif phase == "set-up":
            before = self.await_host()
            before.process.kill()
            self.bury(before)
            time.sleep(self.dice.uniform(0, 0.4))
        else:
            time.sleep(self.dice.uniform(0.5, 3))
        host = self.await_host()
        self.end_link_of(host, signal.SIGKILL, phase)
        self.bury(host)
        if download:
            assert self.finish_download(*download) == self.whole, "the downloaded file is wrong"
        self.fill()

    def stop(self, number):
        time.sleep(self.dice.uniform(0.5, 2))
        # Programs that only wait for a link do not notice that the host hangs.
        self.await_connections()
        host = self.await_host()
        self.end_link_of(host, signal.SIGSTOP, "use")
        time.sleep(self.dice.uniform(0, 1.5))
        print(f"{time.monotonic():.3f} SIGCONT member {host.number}")
        host.process.send_signal(signal.SIGCONT)
        # It has to notice first that it is not the host any more.
        host.wait_for(lambda _: host.is_connected and not host.is_host, LONGEST_WAIT)

    def run(self, what, count):
        self.fill()
        if what == "kill":
            self.whole = self.finish_download(*self.start_download("whole"))
        with Gestures(self.radio, RATE) as gestures:
            for number in range(count):
                (self.kill if what == "kill" else self.stop)(number)
            time.sleep(1)
        lights = check_lights(self.radio, self.members)
        for member in self.members:
            member.check_gestures()
        for member in self.present:
            member.end()
        print(f"{gestures.sent} gestures, {lights} light patterns; {self.radio.tell('stats')}")
        assert gestures.sent > count and lights > count


def main(what, count, seed, *arguments):
    succession = Succession(random.Random(int(seed)), *arguments)
    try:
        succession.run(what, int(count))
    finally:
        for member in succession.present:
            member.process.kill()


main(*sys.argv[1:])
