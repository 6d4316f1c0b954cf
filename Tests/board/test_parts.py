"""Histories of tags and queues of browsers are bounded."""

from __future__ import annotations

import asyncio

from jacquardctl.board.browsers import MOST_WAITING, Outbox
from jacquardctl.view import MOST_EVENTS, MOST_GESTURES, MOST_SAMPLES, WINDOW, View

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
