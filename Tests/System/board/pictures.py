"""The pictures of the documents: python3 Tests/System/board/pictures.py writes them into docs/pictures.

They show a running board with fixed content: the times, latencies and touch data are defined below."""

from __future__ import annotations

import asyncio
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "docs" / "pictures"
if __name__ == "__main__":
    folders = [ROOT / "Tests/Interface/bindings", ROOT / "bindings/python/src", *ROOT.glob("apps/*/src")]
    sys.path[:0] = map(str, folders)

from boards import Board  # noqa: E402
from browser import Page, chromium  # noqa: E402
from jacquard_apps.tags.view import View  # noqa: E402
from jacquard_board.simulation import STROKES  # noqa: E402
from recordings import DEMO, GEAR, LOST, TAG, finger  # noqa: E402

NOW = 96.4
STARTED = 1795244400.0
CONNECTED = "document.querySelector('#link').innerText === 'Connected' && board.store.selected.gear"


def event(time: float, phase: str, attempt: int = 1, lost: bool = False) -> dict[str, Any]:
    reason = (LOST["message"], LOST["advice"]) if lost else (None, None)
    return {"time": time, "phase": phase, "attempt": attempt, "reason": reason[0], "advice": reason[1]}


def gesture(time: float, name: str, milliseconds: int) -> dict[str, Any]:
    return {"time": time, "number": 1, "name": name, "made": time - 0.01, "latency": milliseconds / 1000}


def motion() -> list[list[float | None]]:
    """A swinging arm. A value with three samples is lost twice, and the link is lost once."""
    items: list[list[float | None]] = []
    for n in range(500):
        time = round(NOW - 10 + n / 50, 3)
        if 120 <= n < 123 or 400 <= n < 403 or 240 <= n < 290:
            if n in (120, 400, 289):
                items.append([time, 50 if n == 289 else 3, 0])
            continue
        swing = math.sin(2.4 * time) * math.sin(0.5 * time)
        acceleration = [0.6 * swing, 0.25 * math.cos(4.8 * time), 1 - 0.4 * swing * swing]
        items.append([time, *acceleration, 140 * math.cos(2.4 * time), 60 * swing, 25 * math.sin(4.8 * time)])
    return items


def tracked(samples: list[list[float]]) -> Any:
    """The touches in the last sample."""
    view = View("", "tag", "")
    for time, sequence, proximity, *lines in samples:
        view.touch(time, int(sequence), int(proximity), [int(line) for line in lines])
    return view["touches"] or []


def content(mode: str) -> dict[str, Any]:
    """A message of the board."""
    touched = mode == "touch"
    samples = [[round(NOW - 6.5 + n / 60, 3), n, 128, *finger(4.1 + n / 60)] for n in range(390)] if touched else []
    gestures = [("double-tap", 88.1, 14), ("brush-out", 90.2, 12), ("cover", 92.4, 13), ("brush-in", 94.1, 11), ("brush-out", 96.1, 12)]
    tag = {
        "key": "ae7dc88c-1437-5d1e-a862-ce1037371c9a",
        "source": "tag",
        "title": "Jacquard-01ZK",
        "name": "Jacquard-01ZK",
        "serial": "01ZK",
        "wanted": True,
        "mode": mode,
        "rssi": -58,
        "battery": {"percent": 80, "charging": False},
        "gear": GEAR["gear"]["component"],
        "tag": TAG["tag"],
        "state": {"phase": "connected", "step": 14, "steps": 14, "attempt": 1, "reason": None, "advice": None},
        "light": {"time": NOW - 0.75, "color": "#00ffcc", "pattern": "breathe", "seconds": 3, "gear": False} if touched else None,
        "samples": samples,
        "touches": tracked(samples),
        "motion": [] if touched else motion(),
        "streaming": not touched,
        "gestures": [gesture(time - (12 if touched else 0), name, ms) for name, time, ms in gestures],
        "events": [event(4, "connecting"), event(5.1, "connected"), event(61, "connecting", 1, True), event(63.8, "connected")],
    }
    machine = {"adapter": {"state": "powered_on", "message": None, "advice": None}, "searching": False}
    return {"type": "everything", "now": NOW, "started": STARTED, "simulated": True, "strokes": STROKES, "live": True, "dropped": 0, "machine": machine, "rules": rules() if touched else None, "tags": [tag]}


def rules() -> dict[str, Any]:
    """The rules of docs/automations.md, after the last gesture."""

    def rule(line: int, event: str, actions: list[str], last: tuple[str, str], ran: int) -> dict[str, Any]:
        outcome = {"reason": last[0], "text": last[1], "event": event, "tag": "01ZK", "time": STARTED + 96.1}
        shown = {"line": line, "name": "", "event": event, "tags": [], "conditions": [], "actions": actions, "is_enabled": True}
        state = {"may_run_commands": False, "source": {"event": "", "conditions": "", "actions": actions}, "obstacles": []}
        counts = {"count": 0, "time": None, "tag": None, "ran": ran, "not_run": int(last[0] != "ran")}
        return {**shown, **state, **counts, "last": outcome, "last_ran": None}

    found = [
        rule(3, "brush-out", ['media = "next"', 'led = "teal:0.3"'], ("ran", "mpv"), 3),
        rule(7, "cover", ['volume = "toggle-mute"'], ("locked", "the screen was not locked"), 0),
    ]
    found[1]["conditions"] = ["screen locked"]
    return {"file": "~/.config/jacquard/automations.toml", "may_edit": True, "may_run_commands": True, "problems": [], "obstacles": [], "rules": found}


async def frozen(page: Page, mode: str) -> bytes:
    await page.until(CONNECTED)
    await page.run(f"""
      board.link.socket.onmessage = null;
      board.link.now = () => {NOW};
      board.receive({json.dumps(content(mode))});
      document.activeElement.blur();
      const latest = board.store.selected.gestures.at(-1);
      document.querySelector('#latest').style.transition = 'none';
      document.querySelector('#latest').innerHTML = {json.dumps(mode)} === 'touch' ? '' : 'Brush out<small>12 ms</small>';
      for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame);""")
    return await page.picture()


async def pictures() -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        demo = Path(folder, "morning.jsonl")
        demo.write_text(DEMO)
        with Board("--simulate") as board:
            for name, dark, mode, size in [
                ("board", False, "touch", (1280, 1134)),
                ("board-dark", True, "gesture", (1280, 1132)),
                ("board-narrow", True, "touch", (400, 1090)),
            ]:
                async with chromium(dark) as page:
                    await page.size(*size)
                    await page.open_board(board.link)
                    found[name] = await frozen(page, mode)
        with Board(str(demo)) as board:
            async with chromium() as page:
                await page.size(1280, 880)
                await page.open_board(board.link)
                await page.until("board.store.selected")
                await page.eval("board.link.request({action: 'seek', tag: 'recording-0', value: 11.6})")
                await page.until("board.store.selected.player.position === 11.6")
                await page.run("for (let i = 0; i < 4; i++) await new Promise(requestAnimationFrame)")
                found["recording"] = await page.picture()
    return found


def smaller(picture: bytes) -> bytes:
    """Reduces a picture to 256 colours."""
    return subprocess.run(["pngquant", "--speed", "1", "128", "-"], input=picture, check=True, capture_output=True).stdout


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, picture in asyncio.run(pictures()).items():
        (FOLDER / f"{name}.png").write_bytes(smaller(picture))
        print(f"docs/pictures/{name}.png")
