"""The view of one tag that the board and watch show: its current state, and a bounded history.

Live tags and recordings use the same view: both supply moments, each with a time, a kind and a value as in a recording
(docs/jacquardctl.md). The kinds `rssi`, `mode`, `light` and `vibration` exist only for live tags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Callable

from jacquard import Touch, TouchPhase, TouchPoint, TouchTracker

from .history import History

# The limits of touch and motion data: in seconds, and in samples at twice the usual rate.
WINDOW = 10.0
MOST_SAMPLES = 1200
MOST_MOTION = 1200
MOST_GESTURES = 60
MOST_EVENTS = 300

PERMANENT = ("source", "title", "started", "duration", "player")
LASTING = ("battery", "name", "rssi", "mode")

EVENT_PARTS: tuple[Callable[[Mapping[str, Any]], Any], ...] = (
    lambda state: state.get("phase") in ("connected", "disconnected", None) and state.get("phase"),
    lambda state: state.get("attempt"),
    lambda state: state.get("reason"),
)


class View:
    def __init__(self, key: str, source: str, title: str) -> None:
        self.key = key
        # A sample is its time, its sequence number, the proximity and twelve lines.
        self.samples: History[Sequence[float]] = History(MOST_SAMPLES)
        # A sample is its time, the acceleration in g and the rotation in degrees per second. A gap is the time of its
        # report, the number of missing samples, and its maximum error; None: the tag's clock restarted.
        self.motion: History[Sequence[float | None]] = History(MOST_MOTION)
        self.gestures: History[dict[str, Any]] = History(MOST_GESTURES)
        self.events: History[dict[str, Any]] = History(MOST_EVENTS)
        self._tracker = TouchTracker()
        self._present: dict[str, Any] = {"source": source, "title": title}
        self._changed: dict[str, Any] = {}
        self._is_new = True

    def __getitem__(self, name: str) -> Any:
        """A part of the current state; None if it is unknown."""
        return self._present.get(name)

    def set(self, **members: Any) -> None:
        for name, value in members.items():
            if name not in self._present or self._present[name] != value:
                self._present[name] = self._changed[name] = value

    def apply(self, time: float, kind: str, value: Any) -> None:
        """Unknown kinds are ignored."""
        if kind == "touch":
            self.touch(time, value["sequence"], value["proximity"], value["lines"])
        elif kind == "gesture":
            self.gesture(time, value["number"], value["name"], may_be_copy=value.get("may_be_copy") is True)
        elif kind == "state":
            self._state(time, value)
        elif kind == "gear":
            self.set(gear=value["component"])
        elif kind == "found":
            self.set(serial=value["serial"], identifier=value.get("identifier"))
        elif kind == "tag":
            self.set(tag=value)
        elif kind in ("light", "vibration"):
            self.set(**{kind: {"time": time, **value}})
        elif kind in LASTING:
            self.set(**{kind: value["name"] if kind == "name" else value})

    def touch(self, time: float, sequence: int, proximity: int, lines: Sequence[int]) -> None:
        self.samples.add((round(time, 3), sequence, proximity, *lines))
        points = self._tracker.process(Touch(sequence, proximity, tuple(lines)), time)
        self._touched([point for point in points if point.phase in (TouchPhase.BEGAN, TouchPhase.MOVED)])
        health = [each.name.lower() for each in self._tracker.health()]
        if self["line_health"] or set(health) != {"good"}:
            self.set(line_health=health)

    def _touched(self, points: Sequence[TouchPoint]) -> None:
        """The touches of the last sample. A touch is its ID, its position and width in lines, its strength, and its speed in lines per second."""
        touches = [
            (point.id, round(point.position, 2), round(point.width, 2), point.strength, round(point.speed, 1))
            for point in points
        ]
        if touches or self["touches"]:
            self.set(touches=touches)

    def moved(self, time: float, ax: float, ay: float, az: float, gx: float, gy: float, gz: float) -> None:
        acceleration = (round(axis, 3) for axis in (ax, ay, az))
        self.motion.add((round(time, 3), *acceleration, *(round(axis, 1) for axis in (gx, gy, gz))))

    def motion_gap(self, time: float, missing: int | None, uncertainty: int) -> None:
        self.motion.add((round(time, 3), missing, uncertainty))

    def gesture(
        self,
        time: float,
        number: int,
        name: str,
        made: float | None = None,
        may_be_copy: bool = False,
        is_taught: bool = False,
    ) -> None:
        """made: when the gesture was made, which is known only for the software tag. is_taught: the user has taught it."""
        mark = {"taught": True} if is_taught else {}
        members = {"number": number, "name": name, "made": made, "may_be_copy": may_be_copy, **mark}
        self.gestures.add({"time": round(time, 4), **members})

    def _state(self, time: float, state: Mapping[str, Any]) -> None:
        reason = state.get("reason") or {}
        shown = {
            "phase": state["phase"],
            "step": state["step"],
            "steps": state.get("total_steps"),
            "attempt": state.get("attempt"),
            "reason": reason.get("message"),
            "advice": reason.get("advice"),
        }
        before = self._present.get("state") or {}
        self.set(state=shown)
        if shown["phase"] != "connected":
            self.set(gear=None)
            self._tracker.cancel(time)
            self._touched([])
        # The fourteen steps are not separate events.
        if any(part(shown) != part(before) for part in EVENT_PARTS):
            parts = {name: shown[name] for name in ("phase", "attempt", "reason", "advice")}
            self.events.add({"time": round(time, 3), **parts})

    def forget(self) -> None:
        """Empties the history and the state, except what is true from the start."""
        self._present = {name: value for name, value in self._present.items() if name in PERMANENT}
        self._changed = {}
        self._tracker = TouchTracker()
        self.samples.clear()
        self.motion.clear()
        self.gestures.clear()
        self.events.clear()
        self._is_new = True

    def snapshot(self) -> dict[str, Any]:
        """Everything, for a new browser."""
        return {
            **self._present,
            "key": self.key,
            "samples": recent(self.samples),
            "motion": recent(self.motion),
            "gestures": list(self.gestures),
            "events": list(self.events),
        }

    def collect(self) -> dict[str, Any] | None:
        """The changes since the last call; None if there are none. A new view is a snapshot."""
        new = {
            "samples": self.samples.take_new(),
            "motion": self.motion.take_new(),
            "gestures": self.gestures.take_new(),
            "events": self.events.take_new(),
        }
        changed, self._changed = self._changed, {}
        if self._is_new:
            self._is_new = False
            return {**self.snapshot(), "whole": True}
        changes = {**changed, **{name: items for name, items in new.items() if items}}
        return {"key": self.key, **changes} if changes else None


def recent(history: History[Any]) -> list[Any]:
    """The part of a history that the page shows; its items begin with their time."""
    newest = history.last
    return [item for item in history if item[0] > newest[0] - WINDOW] if newest else []
