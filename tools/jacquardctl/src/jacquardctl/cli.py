"""The way in."""

from __future__ import annotations

import signal


def main(words: list[str] | None = None) -> int:
    # Until there is something to take back, Ctrl-C ends us as it ends any program: without a word. Ignored it stays.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from .running import status_of

    return status_of(words)
