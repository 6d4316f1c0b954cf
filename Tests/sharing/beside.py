"""Runs a program of Tests/features beside others that share its tag: `beside.py idle|busy PROGRAM`.

idle: the program is the guest of an idle host. busy: the program is the host of three busy guests. Standard error gets
what the others reported if they failed, or if they had another role.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LONGEST_WAIT = 20
BUSY = 3


def start(companion, kind):
    return subprocess.Popen([companion, kind], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def wait_for_host(meeting_place):
    """A host has a socket. Programs that connect after it was created are its guests."""
    deadline = time.monotonic() + LONGEST_WAIT
    while not list(meeting_place.glob("*.sock")) and time.monotonic() < deadline:
        time.sleep(0.01)


def end(companion):
    """Its output. The first signal may come just before it waits."""
    while companion.poll() is None:
        companion.send_signal(signal.SIGTERM)
        try:
            return companion.communicate(timeout=1)[0]
        except subprocess.TimeoutExpired:
            pass
    return companion.communicate()[0]


def main(kind, program):
    companion = Path(program).parent.parent / "sharing" / "companion"
    companions = []
    with tempfile.TemporaryDirectory(prefix="jacquard-meeting-") as meeting_place:
        os.environ["XDG_RUNTIME_DIR"] = meeting_place
        if kind == "idle":
            companions.append(start(companion, "idle"))
            first = companions[0].stdout.readline()
            if first != "host\n":
                print(f"the companion is not the host: {first}{end(companions[0])}", file=sys.stderr)
        running = subprocess.Popen([program])
        if kind == "busy":
            wait_for_host(Path(meeting_place, "jacquard"))
            companions += [start(companion, "busy") for _ in range(BUSY)]
        status = running.wait()
        outputs = [end(each) for each in companions]
    # One of them is the host while the program has no connection.
    if kind == "busy" and not any("guest\n" in output for output in outputs):
        print("no companion was a guest", file=sys.stderr)
        status = status or 1
    for each, output in zip(companions, outputs):
        if os.environ.get("BESIDE_VERBOSE") or each.returncode != 0:
            print(f"the companion ended with status {each.returncode}: {output}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
