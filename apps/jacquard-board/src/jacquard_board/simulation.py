"""The software tag of `board --simulate`: runs jacquard-sim, and executes the page's actions."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import signal
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from jacquard_apps.system.simulator import SIMULATOR, program
from jacquard_apps.system.together import within
from jacquard_apps.terminal import exits

# Time limit for the simulator's first line, and for a reply.
TIMEOUT = 20
LONGEST_REPLY = 1 << 20
LINES = 12
STRONGEST = 128
PR_SET_PDEATHSIG = 1

GESTURES = ("double-tap", "brush-in", "brush-out", "brush-up", "brush-down", "cover")
# The touches of a simulated person (docs/scenarios.md), in groups for the page's menu.
STROKES = {
    "Gestures": (
        "tap",
        "double-tap",
        "hold",
        "press",
        "swipe-in",
        "swipe-out",
        "scrub",
        "two-finger-tap",
        "spread",
        "pinch",
        "cover",
    ),
    "Shapes": ("zigzag", "tap-tap-swipe", "long-short", "there-and-back"),
    "Other touches": ("brushing", "leaning", "folding", "rubbing", "gripping", "bumping"),
}
MOST_PEOPLE = 99
# The scenario lines (docs/scenarios.md) for the page's buttons.
ACTIONS = {
    "drop-link": "drop link",
    "out-of-range": "out-of-range for 5s",
    "kill-bluetoothd": "bluetoothd restart after 3s",
    "adapter-off": "adapter off for 4s",
    "attach-gear": "gear attach levis-trucker",
    "detach-gear": "gear detach",
}


class Simulation:
    def __init__(self, process: asyncio.subprocess.Process, bus_address: str, folder: Path) -> None:
        self._process = process
        self.bus_address = bus_address
        self.state_directory = folder / "state"
        self._lock = asyncio.Lock()
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._control = folder / "control"

    async def connect(self) -> None:
        self._reader, self._writer = await asyncio.open_unix_connection(str(self._control), limit=LONGEST_REPLY)

    async def tell(self, line: str) -> str:
        """Executes a scenario line, and returns the reply."""
        assert self._reader and self._writer
        async with self._lock:
            self._writer.write(f"{line}\n".encode())
            reply = (await self._reader.readline()).decode(errors="replace").strip()
        if not reply.startswith("ok"):
            raise exits.Failure(f"{SIMULATOR}: {reply.partition(' ')[2] or 'it has ended'}")
        return reply[3:]

    async def act(self, name: str) -> None:
        if name not in ACTIONS:
            raise ValueError(f"{name!r} is not one of {', '.join(ACTIONS)}")
        await self.tell(ACTIONS[name])

    async def gesture(self, name: str) -> None:
        if name not in GESTURES:
            raise ValueError(f"{name!r} is not one of {', '.join(GESTURES)}")
        await self.tell(f"gesture {name}")

    async def stroke(self, name: str, person: Any) -> None:
        """A person strokes the sleeve."""
        names = [name for group in STROKES.values() for name in group]
        if name not in names:
            raise ValueError(f"{name!r} is not one of {', '.join(names)}")
        if type(person) is not int or not 1 <= person <= MOST_PEOPLE:
            raise ValueError(f"person is {person!r}; expected 1 to {MOST_PEOPLE}")
        await self.tell(f"stroke {name} person {person}")

    async def touch(self, lines: Sequence[Any], proximity: Any) -> None:
        strengths = [proximity, *lines]
        if len(lines) != LINES or not all(type(one) is int and 0 <= one <= STRONGEST for one in strengths):
            raise ValueError(f"a touch has a proximity and {LINES} lines of 0 to {STRONGEST}")
        await self.tell(f"touch {' '.join(map(str, strengths))}")

    async def lift(self) -> None:
        await self.tell("touch lift")

    async def battery(self, percent: Any, charging: Any) -> None:
        if type(percent) is not int or not 0 <= percent <= 100:
            raise ValueError(f"percent is {percent}; expected 0 to 100")
        await self.tell(f"battery {percent} {'charging' if charging else 'discharging'}")

    async def ended(self) -> None:
        """Waits until it ends by itself, which is a failure."""
        status = await self._process.wait()
        raise exits.Failure(f"{SIMULATOR} has ended with status {status}.")

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


@contextlib.asynccontextmanager
async def simulation() -> AsyncIterator[Simulation]:
    """A software tag with gear, until the block ends."""
    with tempfile.TemporaryDirectory(prefix="jacquard-board-") as name:
        folder = Path(name)
        process = await asyncio.create_subprocess_exec(
            program(),
            "serve",
            "--no-service",
            "--control",
            str(folder / "control"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            # Ctrl-C must reach only this program, which drops the link first.
            start_new_session=True,
            preexec_fn=end_with_parent,
        )
        try:
            assert process.stdout
            try:
                first = await within(TIMEOUT, process.stdout.readline())
            except asyncio.TimeoutError:
                first = b""
            variable, _, address = first.decode(errors="replace").strip().partition("=")
            if variable != "DBUS_SYSTEM_BUS_ADDRESS":
                raise exits.Failure(f"{SIMULATOR} did not start.")
            simulated = Simulation(process, address, folder)
            try:
                await simulated.connect()
                await simulated.tell("gear attach levis-trucker")
                yield simulated
            finally:
                simulated.close()
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


def end_with_parent() -> None:
    """Runs in the new process: makes it end if this program is killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
