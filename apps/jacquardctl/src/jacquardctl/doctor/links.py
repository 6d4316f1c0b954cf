"""Which process has the link to a tag: the holder of the lock that the library takes (TagLockFile.swift)."""

from __future__ import annotations

import os
from pathlib import Path

LOCKS = Path("/proc/locks")


def runtime_directory() -> Path:
    """Where programs of this user lock tags, and where the user's service listens (RuntimeDirectory.swift)."""
    return Path(os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}") / "jacquard"


def holders(bus: str = "*", locks: Path = LOCKS) -> dict[str, int]:
    """The processes of this user that have links, by the tags' identifiers. bus: its ID; by default those on any bus."""
    try:
        locked = {line.split()[-3].rsplit(":", 1)[-1] for line in locks.read_text().splitlines() if " FLOCK " in line}
    except OSError:
        return {}
    found = {}
    for path in runtime_directory().glob(f"{bus}-*-*-*-*-*.lock"):
        try:
            if str(path.stat().st_ino) in locked:
                found[path.stem.split("-", 1)[1]] = int(path.read_text())
        except (OSError, ValueError):
            continue  # released in the meantime, or not written yet
    return found
