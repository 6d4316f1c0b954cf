"""Plays a recording from any time and at any speed, with pauses."""

from __future__ import annotations

import asyncio
import bisect
from pathlib import Path
from typing import Any, Callable

from jacquard_apps.recording.reader import Moment, Recording
from jacquard_apps.tags.view import WINDOW, View

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
KINDS = ("found", "state", "tag", "battery", "gear", "gesture", "name", "touch")


class Playback:
    def __init__(self, key: str, file: str, recording: Recording, changed: Callable[[], None]) -> None:
        self.view = View(key, "recording", Path(file).name)
        self._moments = [moment for moment in recording.moments if moment.kind in KINDS]
        self._times = [moment.time for moment in self._moments]
        # Seeking needs all of these, but only the last samples.
        self._lasting = [moment for moment in self._moments if moment.kind != "touch"]
        self._samples = [moment for moment in self._moments if moment.kind == "touch"]
        self._sample_times = [moment.time for moment in self._samples]
        self._duration = recording.duration
        self._changed = changed
        self._next = 0
        self._position = 0.0
        self._speed = 1.0
        # Loop time at which the position was _position; None while paused.
        self._since: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.view.set(started=recording.started, duration=recording.duration)
        self.seek(0)

    @property
    def position(self) -> float:
        if self._since is None:
            return self._position
        passed = asyncio.get_running_loop().time() - self._since
        return min(self._position + passed * self._speed, self._duration)

    @property
    def playing(self) -> bool:
        return self._since is not None

    def play(self) -> None:
        if self._since is None:
            if self._position >= self._duration:
                self.seek(0)
            self._since = asyncio.get_running_loop().time()
            self._report()
            self._advance()

    def pause(self) -> None:
        if self._since is not None:
            self._position, self._since = self.position, None
            self._stop_timer()
            self._report()

    def set_speed(self, speed: float) -> None:
        if speed not in SPEEDS:
            raise ValueError(f"speed is {speed:g}; expected one of {', '.join(format(one, 'g') for one in SPEEDS)}")
        was_playing = self.playing
        self.pause()
        self._speed = speed
        self._report()
        if was_playing:
            self.play()

    def seek(self, time: float) -> None:
        was_playing = self.playing
        self._stop_timer()
        self._position = min(max(time, 0.0), self._duration)
        self._since = asyncio.get_running_loop().time() if was_playing else None
        self._next = bisect.bisect_right(self._times, self._position)
        self.view.forget()
        for moment in self._lasting:
            if moment.time > self._position:
                break
            self._apply(moment)
        first = bisect.bisect_left(self._sample_times, self._position - WINDOW)
        last = bisect.bisect_right(self._sample_times, self._position)
        for moment in self._samples[first:last]:
            self._apply(moment)
        self._report()
        if was_playing:
            self._advance()

    def close(self) -> None:
        self._stop_timer()

    def _apply(self, moment: Moment) -> None:
        self.view.apply(moment.time, moment.kind, moment.value)

    def _advance(self) -> None:
        """Shows everything that is due, and sleeps until the next moment."""
        self._timer = None
        now = self.position
        due = bisect.bisect_right(self._times, now, self._next)
        for moment in self._moments[self._next : due]:
            self._apply(moment)
        self._next = due
        if due == len(self._moments) and now >= self._duration:
            self.pause()
            return
        self._changed()
        until = self._times[due] if due < len(self._times) else self._duration
        self._timer = asyncio.get_running_loop().call_later((until - now) / self._speed, self._advance)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _report(self) -> None:
        player: dict[str, Any] = {"playing": self.playing, "position": round(self.position, 3), "speed": self._speed}
        self.view.set(player=player)
        self._changed()
