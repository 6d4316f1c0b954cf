"""How long `jacquardctl run` takes from the library's callback with a gesture until it has written the key to its device,
here a pipe in place of uinput.

The goal was 2 ms for 99 of 100 gestures, and 0.6 and 1.8 ms were measured on a busy machine. The limit only finds
hangs: the machine may have other work to do.
"""

import os
import statistics
import sys
from pathlib import Path

import pytest
from conftest import LIBRARY, ROOT, SIMULATOR, run

sys.path.append(str(ROOT / "Tests" / "System" / "bench"))

import counts  # noqa: E402

SOURCES = (ROOT / "bindings" / "python" / "src", *ROOT.glob("apps/*/src"))
GESTURES = 500
LONGEST = 0.5
RULE = '[[on]]\ngesture = "cover"\nrate = 100\ndo = { key = "space" }\n'

PROGRAM = """
import asyncio, os, struct, sys, time
from pathlib import Path

import jacquard
from jacquard import event_sources
from jacquard_automations import file
from jacquard_automations.actions import keys
from jacquard_automations.program import Program

COUNT, EVENT = int(sys.argv[2]), struct.Struct("@llHHi")
KEY_SPACE = 57
end, node = os.pipe()
called, written, read = [], [], []
source = event_sources.SOURCES[jacquard.Gesture]

def converted(address, context):
    called.append(time.monotonic())
    return source.converted(address, context)

class Device:
    def write(self, kind, code, value):
        os.write(node, EVENT.pack(0, 0, kind, code, value))
        if (kind, code, value) == (1, KEY_SPACE, 1):
            written.append(time.monotonic())

    def syn(self):
        self.write(0, 0, 0)
        read.extend(event[2:] for event in EVENT.iter_unpack(os.read(end, 1 << 16)))
        if len(read) == 4 * COUNT:
            ended.set()

    def close(self):
        pass

async def main():
    global ended
    ended = asyncio.Event()
    path = Path(sys.argv[1])
    async with jacquard.Manager() as manager:
        async with manager.bind(code="01ZK") as connection:
            await connection.tag()
        program = Program(path, file.read(path), lambda text: None, lambda text: None, lambda *words: None, lambda tag, state: None)
        running = asyncio.ensure_future(program.run(manager))
        await ended.wait()
        running.cancel()
        await asyncio.wait([running])

event_sources.SOURCES[jacquard.Gesture] = source._replace(converted=converted)
keys.open_device = lambda name, codes: Device()
asyncio.run(main())
assert read == [(1, KEY_SPACE, 1), (0, 0, 0), (1, KEY_SPACE, 0), (0, 0, 0)] * COUNT
for times in zip(called, written):
    print(*times)
"""


def test_a_key_is_pressed_as_soon_as_the_library_delivers_a_gesture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("evdev", reason="python3-evdev is not installed")
    scenario = f"{counts.PROMPT}gear attach levis-trucker\nafter ready every 20ms gesture cover\n"
    (tmp_path / "scenario").write_text(scenario)
    (tmp_path / "rules").write_text(RULE)
    (tmp_path / "program").write_text(PROGRAM)
    environment = {"PYTHONPATH": os.pathsep.join(map(str, SOURCES)), "JACQUARD_LIBRARY": str(LIBRARY)}
    words = [sys.executable, tmp_path / "program", tmp_path / "rules", GESTURES]
    ran = run([SIMULATOR, "run", "--scenario", tmp_path / "scenario", "--", *words], env=environment, timeout=240)
    assert ran.returncode == 0, ran.stderr
    rows = [tuple(map(float, line.split())) for line in ran.stdout.splitlines()]
    took = sorted(written - called for called, written in rows)
    assert len(took) == GESTURES and took[0] > 0
    p99 = took[int(len(took) * 0.99)]
    with capsys.disabled():
        print(f"\n  from the callback to the key: {statistics.median(took) * 1e3:.2f} ms (median), {p99 * 1e3:.2f} ms (p99)")
    assert p99 <= LONGEST
