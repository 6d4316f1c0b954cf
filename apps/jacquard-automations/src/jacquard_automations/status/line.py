"""The last line of a terminal: the links, the last event and the last rule."""

from __future__ import annotations

import contextlib
import sys
from types import TracebackType
from typing import Any

from jacquard_apps.terminal import output

from ..occasion import TagIdentity
from ..outcomes import Outcome
from ..rules import Rule
from . import shown


class StatusLine:
    """Shows nothing without a terminal or without rich."""

    def __init__(self) -> None:
        self._links: dict[str, str] = {}
        self._last = ""
        self._live: Any = None

    def link_changed(self, tag: TagIdentity, state: str) -> None:
        self._links[tag.label] = state
        self._show()

    def noted(self, rule: Rule, outcome: Outcome) -> None:
        self._last = f"{shown.of_outcome(outcome.described())} (line {rule.line})"
        self._show()

    @property
    def text(self) -> str:
        links = [f"{label} {state}" for label, state in self._links.items()] or ["no tag"]
        return " · ".join([*links, self._last or "no event yet"])

    def _show(self) -> None:
        if self._live is not None:
            from rich.text import Text

            line = Text(output.printable(self.text), style="reverse", no_wrap=True, overflow="ellipsis")
            # The loop decides when it is drawn; nothing is drawn while nothing happens.
            self._live.update(line, refresh=True)

    def __enter__(self) -> StatusLine:
        console = output.terminal()
        if console is not None:
            from rich.live import Live

            # Messages that go elsewhere must not appear here.
            redirects = sys.stderr is not None and sys.stderr.isatty()
            self._live = Live(console=console, auto_refresh=False, transient=True, redirect_stderr=redirects)
            self._live.__enter__()
            self._show()
        return self

    def __exit__(self, type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if self._live is not None:
            with contextlib.suppress(OSError):  # the terminal was closed
                self._live.__exit__(None, None, None)
            self._live = None
