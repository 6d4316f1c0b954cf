"""The entry point."""

from __future__ import annotations

import signal
import sys


def main(words: list[str] | None = None) -> int:
    # Until there is something to clean up, Ctrl-C ends the process silently. If SIGINT is ignored, it stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if (sys.argv[1:] if words is None else words) == ["--version"]:
        # Without loading the commands.
        from jacquard import __version__

        print(f"jacquardctl {__version__}")
        return 0
    from .running import status_of

    return status_of(words)
