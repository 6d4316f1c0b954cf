"""A tag on a terminal, drawn with rich: one line while connecting for the first time, then everything."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from jacquard import Battery, ConnectionState, Gear, Gesture, Name, Touch
from jacquard_apps.tags import gear
from jacquard_apps.tags.view import View
from jacquard_apps.terminal import drawing, output

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

INTERVAL = 1 / 20
# A tag sends nothing when the finger is lifted.
TOUCH_SECONDS = 0.3
MOST_GESTURES = 8
MOST_REASONS = 3
LINES = 12
ARROWS = {"brush-in": "←", "brush-out": "→", "brush-up": "↑", "brush-down": "↓", "double-tap": "◎", "cover": "●"}


class LiveView:
    """Redraws after changes, at most twenty times per second."""

    def __init__(self, live: Any, name: str) -> None:
        self._live = live
        self._name = name
        self._view = View("", "tag", name)
        self._gear: str | None = None
        self._was_connected = False
        self._timer: asyncio.TimerHandle | None = None
        self._redraw()

    def take(self, event: Any) -> None:
        now = time.time()
        if isinstance(event, Touch):
            self._view.touch(now, event.sequence, event.proximity, event.lines)
        elif isinstance(event, Gesture):
            self._view.gesture(now, int(event.type), event.name, may_be_copy=event.may_be_copy)
        elif isinstance(event, ConnectionState):
            members = {name: output.plain(value) for name, value in vars(event).items() if name != "tag"}
            self._view.apply(now, "state", members)
            self._was_connected = self._was_connected or event.tag is not None
        elif isinstance(event, Gear):
            self._gear = None if event.component is None else gear.name(event.component.info)
        elif isinstance(event, (Battery, Name)):
            self._view.apply(now, type(event).__name__.lower(), output.members_of(event))
        self._schedule(INTERVAL)

    def signal(self, rssi: int | None) -> None:
        if rssi is not None:
            self._view.set(rssi=rssi)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._redraw()

    def _schedule(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._redraw)

    def _redraw(self) -> None:
        self._timer = None
        self._live.update(self._everything() if self._was_connected else self._connecting(), refresh=True)
        sample = self._view.samples.last
        if sample is not None and time.time() - sample[0] < TOUCH_SECONDS:
            self._schedule(TOUCH_SECONDS)

    def _connecting(self) -> RenderableType:
        from rich.text import Text

        state = self._view["state"] or {}
        line = Text.assemble(f"connecting to {output.printable(self._name)} ", *self._steps(state))
        if state.get("reason"):
            line.append(f"  {output.printable(state['reason'])}", "dim")
        line.truncate(self._live.console.width, overflow="ellipsis")
        return line

    def _steps(self, state: dict[str, Any]) -> list[Any]:
        step, steps = state.get("step") or 0, state.get("steps") or 14
        attempt = state.get("attempt") or 0
        parts: list[Any] = [drawing.gauge(step / steps, steps, "cyan"), f" {step}/{steps}"]
        return [*parts, f", attempt {attempt}"] if attempt > 1 else parts

    def _everything(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        view = self._view
        rows: list[tuple[str, Any]] = [("tag", Text(output.printable(view["name"] or self._name), "bold"))]
        rows.append(("link", self._link()))
        battery = view["battery"]
        if battery is not None:
            percent = battery["percent"]
            color = "red" if percent <= 15 else "green"
            charging = ", charging" if battery["charging"] else ""
            rows.append(("battery", Text.assemble(drawing.gauge(percent / 100, 10, color), f" {percent}%{charging}")))
        if view["rssi"] is not None:
            rows.append(("signal", Text.assemble(drawing.signal(view["rssi"]), " dBm")))
        rows.append(("gear", Text(output.printable(self._gear or "none"))))
        if view.samples.last is not None:
            rows.append(("touch", drawing.touch(self._lines())))
        history = self._history()
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column()
        for row in rows[: self._height(bool(history))]:
            table.add_row(*row)
        return Group(table, *self._newest(history, self._height() - self._lines_of(table)))

    def _height(self, less: int = 0) -> int:
        """Lines that the terminal has for the picture: rich would cut off the last ones."""
        return max(1, int(self._live.console.height) - less)

    def _lines_of(self, part: RenderableType) -> int:
        return len(self._live.console.render_lines(part))

    def _newest(self, history: list[Any], lines: int) -> list[Any]:
        """The last entries that fit."""
        shown: list[Any] = []
        for entry in reversed(history):
            lines -= self._lines_of(entry)
            if lines < 0:
                break
            shown.insert(0, entry)
        return shown

    def _link(self) -> Any:
        from rich.text import Text

        state = self._view["state"] or {}
        if state.get("phase") == "connected":
            event = self._view.events.last
            since = f", since {at(event['time'])}" if event else ""
            return Text.assemble(("● connected", "green"), since)
        word = "not connected" if state.get("phase") == "disconnected" else "connecting "
        return Text.assemble((f"○ {word}", "yellow"), *(self._steps(state) if word != "not connected" else []))

    def _lines(self) -> list[float]:
        sample = self._view.samples.last
        if sample is None or time.time() - sample[0] >= TOUCH_SECONDS:
            return [0] * LINES
        return list(sample[3:])

    def _history(self) -> list[Any]:
        """The last gestures, and why the last links ended; the newest last."""
        from rich.text import Text

        lines = []
        for gesture in list(self._view.gestures)[-MOST_GESTURES:]:
            name = output.printable(gesture["name"]) or f"number {gesture['number']}"
            mark = " (may be a copy)" if gesture["may_be_copy"] else ""
            lines.append((gesture["time"], Text.assemble((ARROWS.get(name, "◆"), "cyan"), f" {name}", (mark, "dim"))))
        reasons = [event for event in self._view.events if event["reason"] and event["phase"] != "connected"]
        for event in reasons[-MOST_REASONS:]:
            lines.append((event["time"], Text(f"! {output.printable(event['reason'])}", "yellow")))
        lines.sort(key=lambda line: float(line[0]))
        return [Text.assemble((f"{at(moment)}  ", "dim"), text) for moment, text in lines]


def at(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))


@contextlib.asynccontextmanager
async def shown(console: Console, name: str) -> AsyncIterator[LiveView]:
    """The last picture stays on the terminal."""
    from rich.live import Live

    with Live(console=console, auto_refresh=False) as live:
        view = LiveView(live, name)
        try:
            yield view
        finally:
            view.close()
