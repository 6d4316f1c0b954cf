"""A recording of a link with gestures, touch, and a loss of the link."""

from __future__ import annotations

import json
import math
from typing import Any

STEPS = 14


def _state(phase: str, step: int, attempt: int, reason: dict[str, str] | None = None) -> dict[str, Any]:
    return {"state": {"phase": phase, "step": step, "total_steps": STEPS, "attempt": attempt, "reason": reason}}


LOST = {"code": "connection_lost", "message": "The tag did not respond any more and the link was lost.", "advice": "None needed; the library reconnects."}
GEAR = {"gear": {"component": {"vendor": "Levi's", "product": "Trucker Jacket", "capabilities": ["gesture", "touch", "haptic"]}}}
TAG = {"tag": {"name": "Jacquard-01ZK", "serial": "01ZK", "firmware": [1, 96, 0]}}


def finger(time: float) -> list[int]:
    """A finger that moves back and forth."""
    at = 5.5 - 5.5 * math.cos(time * 2.1) * math.cos(time * 0.35)
    return [max(0, min(128, round(150 * math.exp(-((line - at) ** 2) / 1.9) - 6))) for line in range(12)]


def lines() -> list[tuple[float, dict[str, Any]]]:
    found: list[tuple[float, dict[str, Any]]] = [
        (0.1, {"found": {"identifier": "ae7dc88c-1437-5d1e-a862-ce1037371c9a", "serial": "01ZK"}}),
        (0.2, _state("connecting", 3, 1)),
        (1.3, _state("connected", STEPS, 1)),
        (1.3, TAG),
        (1.4, {"battery": {"percent": 71, "charging": False}}),
        (1.4, GEAR),
        (3.0, {"gesture": {"number": 1, "name": "double-tap"}}),
        (4.2, {"gesture": {"number": 3, "name": "brush-out"}}),
        (13.5, {"gesture": {"number": 2, "name": "brush-in"}}),
        (15.0, _state("connecting", 3, 1, LOST)),
        (17.0, _state("connecting", 3, 2, LOST)),
        (18.2, _state("connected", STEPS, 2)),
        (18.4, GEAR),
        (20.0, {"gesture": {"number": 7, "name": "cover"}}),
        (24.0, {"end": "interrupted"}),
    ]
    for number in range(int(7 * 60)):
        time = 5 + number / 60
        if not 8.2 < time < 8.8:
            found.append((round(time, 4), {"touch": {"sequence": number + 1, "proximity": 128, "lines": finger(time)}}))
    return sorted(found, key=lambda line: line[0])


HEAD = {"jacquard_recording": 1, "library": "0.1.0", "started": "2026-11-21T05:51:19.239+00:00"}
DEMO = "".join(json.dumps(line) + "\n" for line in [HEAD, *({"time": time, **member} for time, member in lines())])
