"""Histories of tags and queues of browsers are bounded, and what a page and other devices send does no harm."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path
from typing import Any

import jacquard
from jacquard_apps.recording.reader import Recording
from jacquard_apps.tags.view import MOST_EVENTS, MOST_GESTURES, MOST_SAMPLES, WINDOW, View
from jacquard_apps.terminal import exits
from jacquard_board.board import MOST_TAGS, Board
from jacquard_board.browsers import MOST_WAITING, Outbox, message
from jacquard_board.simulation import Simulation

LINES = (0,) * 12


def state(phase: str, step: int = 0, reason: str | None = None) -> dict[str, object]:
    return {"phase": phase, "step": step, "total_steps": 14, "attempt": 1, "reason": reason and {"message": reason}}


def test_histories_keep_the_newest() -> None:
    view = View("key", "tag", "title")
    for number in range(2 * MOST_SAMPLES):
        view.touch(number / 60, number, 0, LINES)
        view.gesture(number, 1, "double-tap")
        view.apply(number, "state", state("connected" if number % 2 else "connecting"))
    everything = view.snapshot()
    assert len(everything["gestures"]) == MOST_GESTURES and len(everything["events"]) == MOST_EVENTS
    newest = everything["samples"][-1][0]
    assert newest == round((2 * MOST_SAMPLES - 1) / 60, 3)
    assert all(sample[0] > newest - WINDOW for sample in everything["samples"])
    changes = view.collect()
    assert changes is not None and changes["whole"] and view.collect() is None


def test_changes_are_collected_once() -> None:
    view = View("key", "tag", "title")
    view.collect()
    view.set(rssi=-50)
    view.touch(1, 1, 2, LINES)
    assert view.collect() == {"key": "key", "rssi": -50, "samples": [(1, 1, 2, *LINES)]}
    view.set(rssi=-50)
    assert view.collect() is None


def test_touches_are_tracked() -> None:
    view = View("key", "tag", "title")
    for number in range(5):
        view.touch(number / 60, number + 1, 2, (0, 0, 40, 100, 40, *(0,) * 7))
    ((id, position, width, strength, speed),) = view["touches"]
    assert (id, position, speed) == (1, 3, 0) and 0.5 < width < 1 and 95 < strength < 105
    # Its sequence number is smaller: the sleeve was touched again.
    view.touch(0.5, 1, 2, (0, 0, 40, 100, 40, *(0,) * 7))
    assert view["touches"][0][0] == 2
    view.apply(1, "state", state("connecting", 3, "It was lost."))
    assert view["touches"] == []


def test_a_line_that_reads_nothing_of_a_passing_finger_is_dead() -> None:
    view = View("key", "tag", "title")
    for number in range(240):
        passed = (number - 120) / 3
        lines = [round(90 * math.exp(-((line - passed) ** 2) / 2)) + number % 2 for line in range(12)]
        view.touch(number / 60, number + 1, 2, (*lines[:5], 0, *lines[6:]))
        assert number >= 120 or view["line_health"] is None
    assert view["line_health"] == ["good"] * 5 + ["dead"] + ["good"] * 6
    assert "line_health" in view.snapshot()


def test_the_steps_of_an_attempt_are_one_event() -> None:
    view = View("key", "tag", "title")
    for step in range(14):
        view.apply(step, "state", state("connecting" if step < 8 else "configuring", step))
    view.apply(14, "state", state("connected", 14))
    view.apply(20, "state", state("connecting", 3, "It was lost."))
    assert [(event["time"], event["phase"], event["reason"]) for event in view.events] == [
        (0, "connecting", None),
        (14, "connected", None),
        (20, "connecting", "It was lost."),
    ]


def test_a_forgotten_history_is_replaced_as_a_whole() -> None:
    view = View("key", "recording", "title")
    view.set(duration=3.0, rssi=-50)
    view.gesture(1, 1, "cover")
    view.collect()
    view.forget()
    changes = view.collect()
    assert changes == {
        "key": "key",
        "source": "recording",
        "title": "title",
        "duration": 3.0,
        "samples": [],
        "motion": [],
        "gestures": [],
        "events": [],
        "whole": True,
    }


def test_a_slow_browser_receives_a_snapshot_instead() -> None:
    async def body() -> None:
        outbox = Outbox(lambda replaced: f"everything instead of {replaced}")
        for number in range(MOST_WAITING + 10):
            outbox.put(str(number))
        outbox.reply("reply")
        assert await outbox.get() == "reply"
        assert await outbox.get() == f"everything instead of {MOST_WAITING + 10}"
        assert outbox.dropped == MOST_WAITING + 10
        outbox.put("new")
        assert await outbox.get() == "new"

    asyncio.run(body())


def test_text_without_control_characters() -> None:
    name = "a\N{RIGHT-TO-LEFT OVERRIDE}b\N{POP DIRECTIONAL ISOLATE}\x1b\x7f\n"
    sent = json.loads(message("changes", tags=[{"name": name, "gear": {"product": [name]}, "samples": [(1, 2.5)]}], now=1))
    clean = "a\N{REPLACEMENT CHARACTER}b" + 4 * "\N{REPLACEMENT CHARACTER}"
    assert sent == {"type": "changes", "tags": [{"name": clean, "gear": {"product": [clean]}, "samples": [[1, 2.5]]}], "now": 1}


class Idle(Simulation):
    """Executes nothing."""

    async def tell(self, line: str) -> str:
        assert "\n" not in line
        return ""


def manager() -> Any:
    """A manager whose tags are never connected."""
    return object()


REQUESTS: list[dict[str, Any]] = [
    {"action": "play", "tag": "recording-0"},
    {"action": "pause", "tag": "recording-0"},
    {"action": "seek", "tag": "recording-0", "value": 1},
    {"action": "speed", "tag": "recording-0", "value": 1},
    {"action": "stroke", "lines": [0] * 12, "proximity": 0},
    {"action": "lift"},
    {"action": "person", "value": "tap", "person": 1},
    {"action": "gesture", "value": "cover"},
    {"action": "battery", "percent": 1, "charging": True},
    {"action": "simulate", "value": "drop-link"},
    {"action": "disconnect", "tag": "live"},
    {"action": "mode", "tag": "live", "value": "touch"},
    {"action": "motion", "tag": "live", "value": True},
    {"action": "light", "tag": "live", "color": "red", "pattern": "solid", "gear": True},
    {"action": "vibrate", "tag": "live", "value": "alert"},
]
ODD: list[Any] = [None, True, 0, -1, 0.5, 1e308, float("inf"), float("nan"), 10**400, "", "x", "\ud800\n", [], [[]], {}, {"a": []}]


def test_requests_with_odd_types_are_refused(tmp_path: Path) -> None:
    async def body() -> None:
        board = Board(manager(), Idle(None, "", tmp_path))  # type: ignore[arg-type]
        board.add_recording("a", Recording("0.1.0", []))
        board._add_tag("live", "live")
        failures = 0
        for request in REQUESTS:
            for name in request:
                for value in ODD:
                    try:
                        await board.carry_out({**request, name: value})
                    except (ValueError, exits.Failure, jacquard.JacquardError):
                        failures += 1
        assert failures > 100
        await board.close()

    asyncio.run(body())


def test_tags_that_are_not_shown_are_counted() -> None:
    async def body() -> None:
        board = Board(manager(), None)
        outbox = Outbox(lambda replaced: "")
        board._outboxes.add(outbox)
        for number in [*range(MOST_TAGS + 12), *range(MOST_TAGS + 12)]:
            board._add_tag(str(number), "tag")
        # Bound tags are shown in any case.
        assert board._add_tag("bound", "tag", is_bound=True)
        last = ""
        for _ in range(12):
            last = await outbox.get()
        assert json.loads(last) == {"type": "machine", "machine": {"left_out": 12}}

    asyncio.run(body())
