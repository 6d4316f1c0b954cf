"""The diagrams of docs/touch.md: python3 docs/generator/diagrams.py writes them into docs/pictures.

One shows what a tracker makes of a stroke of jacquard-sim, the other one the figures of a table of that document."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "pictures"
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "bindings" / "python" / "src"))
    os.environ.setdefault("JACQUARD_LIBRARY", str(ROOT / "build" / "lib" / "libjacquard.so.1"))

from jacquard import Touch, TouchPhase, TouchTracker  # noqa: E402

STROKE = ("zigzag", "--person", "46", "--count", "1")
LINES = 12
INK, PAPER, LINE, FINGER = "#1f2430", "#ffffff", "#8b93a3", "#d1495b"
WIDTH = 720
# Of the stroke: the left margin, the first line, the distance of lines, the pixels of a second and of a count.
LEFT, TOP, APART, SECOND, COUNT = 70, 66, 22, 560, 0.3
TABLE = re.compile(r"^\| (a person of .*?) \| ([\d.]+) % \| ([\d.]+) % \|$", re.MULTILINE)


def diagrams() -> dict[str, str]:
    """The expected content of each file, by its name."""
    return {"touch-tracking.svg": tracking(), "trained-gestures.svg": trained()}


def picture(height: int, title: str, *parts: str) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="15" role="img">'
    rest = (f"<title>{title}</title>", f'<rect width="{WIDTH}" height="{height}" fill="{PAPER}"/>', *parts)
    return "\n".join([head, *(f"  {part}" for part in rest), "</svg>"]) + "\n"


def text(x: int, y: int, content: str, anchor: str = "start", color: str = INK) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{color}">{content}</text>'


def path(points: list[tuple[float, float]], color: str, width: float, fill: str = "none") -> str:
    drawn = "L".join(f"{x:.0f} {y:.0f}" for x, y in points)
    return f'<path d="M{drawn}" fill="{fill}" stroke="{color}" stroke-width="{width}" stroke-linejoin="round"/>'


def stroke() -> list[tuple[float, Touch]]:
    command: list[str | pathlib.Path] = [ROOT / "build" / "bin" / "jacquard-sim", "strokes", *STROKE]
    made = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    moments = [json.loads(line) for line in made if '"touch"' in line]
    first = moments[0]["time"]
    return [(one["time"] - first, Touch(**{**one["touch"], "lines": tuple(one["touch"]["lines"])})) for one in moments]


def tracking() -> str:
    samples, tracker = stroke(), TouchTracker()
    found = [point for time, touch in samples for point in tracker.process(touch, time)]
    followed = [
        (LEFT + one.time * SECOND, TOP + one.position * APART) for one in found if one.phase is not TouchPhase.ENDED
    ]
    parts = [text(LEFT, 24, "What the lines read, and where the tracker sees the finger")]
    for number in range(LINES):
        base = TOP + number * APART
        read = [(LEFT + time * SECOND, base - touch.lines[number] * COUNT) for time, touch in samples]
        ends = [(read[0][0], float(base)), *read, (read[-1][0], float(base))]
        parts.append(text(LEFT - 10, base + 5, str(number), "end"))
        parts.append(path(ends, LINE, 1.5, f"{LINE}22"))
    parts.append(path(followed, FINGER, 3))
    bottom = TOP + LINES * APART
    for tenth in range(0, int(samples[-1][0] * 10) + 1, 2):
        parts.append(text(round(LEFT + tenth * SECOND / 10), bottom + 8, f"{tenth / 10:.1f} s", "middle"))
    title = "Twelve lines during a stroke to and fro, each with noise, and the position of the finger over them"
    return picture(bottom + 22, title, *parts)


def trained() -> str:
    rows = TABLE.findall((ROOT / "docs" / "touch.md").read_text(encoding="utf-8"))
    heading = text(20, 24, "Examples of one person, gestures of the same or of others: nearest to the right examples")
    parts = [heading, text(20, 46, "and also within the limit", color=FINGER)]
    for number, (who, *shares) in enumerate(rows):
        top = 80 + 64 * number
        parts.append(text(20, top, who))
        for place, (share, color) in enumerate(zip(shares, (LINE, FINGER))):
            length, y = round(float(share) * 6), top + 8 + 17 * place
            parts.append(f'<rect x="20" y="{y}" width="{length}" height="12" fill="{color}"/>')
            parts.append(text(26 + length, y + 11, f"{share} %", color=INK))
    title = "Shares of recognised gestures, for examples and gestures of the same and of other people"
    return picture(70 + 64 * len(rows), title, *parts)


if __name__ == "__main__":
    for name, content in diagrams().items():
        (FOLDER / name).write_text(content, encoding="utf-8")
