"""Runs a program of Tests/Interface/features beside three busy programs that share its tag: `beside.py PROGRAM`.

Standard error gets the reports of the others if they failed, or did not use the service.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

BUSY = 3


def start(companion: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([companion], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def end(companion: subprocess.Popen[str]) -> str:
    """Its output. The first signal may come just before it waits."""
    while companion.poll() is None:
        companion.send_signal(signal.SIGTERM)
        try:
            return companion.communicate(timeout=1)[0]
        except subprocess.TimeoutExpired:
            pass
    return companion.communicate()[0]


def main(program: str) -> int:
    companion = Path(program).parent.parent / "sharing" / "companion"
    companions = [start(companion) for _ in range(BUSY)]
    firsts = [each.stdout.readline() for each in companions if each.stdout]
    status = subprocess.call([program], env={**os.environ, "JACQUARD_BESIDE_OTHERS": "1"})
    for each, first in zip(companions, firsts):
        output = first + end(each)
        is_wrong = each.returncode != 0 or first != "through the service\n"
        status = status or int(is_wrong)
        if is_wrong or os.environ.get("BESIDE_VERBOSE"):
            print(f"the companion ended with status {each.returncode}: {output}", file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
