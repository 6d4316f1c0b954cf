"""Names of other processes."""

from __future__ import annotations

from pathlib import Path

PROC = Path("/proc")


def name(process: int) -> str | None:
    """The name that `ps` shows, which the process can choose; None if the process has ended, or is hidden."""
    try:
        return (PROC / str(process) / "comm").read_text(errors="replace").rstrip("\n")
    except OSError:
        return None


def setter(process: int) -> str:
    """The name of the program that has set touch mode: see jacquard.TouchModeReport."""
    return described(process) if process else "a program that no longer uses the tag, or is not known"


def described(process: int) -> str:
    program = name(process)
    return f"process {process}" if program is None else f"{program} ({process})"
