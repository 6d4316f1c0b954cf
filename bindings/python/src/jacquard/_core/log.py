"""Passes the library's log messages to Python's logging: logger "jacquard.<part>"."""

from __future__ import annotations

from typing import Any

from ..enums import LogLevel
from .convert import text

# logging.WARNING, INFO and DEBUG, without loading it.
LEVELS = {LogLevel.WARNING: 30, LogLevel.INFO: 20, LogLevel.DEBUG: 10}


def wanted_level() -> LogLevel:
    """The most verbose level that is enabled when a manager is opened."""
    import logging

    logger = logging.getLogger("jacquard")
    return next((ours for ours, theirs in reversed(LEVELS.items()) if logger.isEnabledFor(theirs)), LogLevel.WARNING)


def forward(pointer: Any) -> None:
    import logging

    struct = pointer.contents
    level = LEVELS.get(LogLevel(struct.level), logging.DEBUG)
    logging.getLogger(f"jacquard.{text(struct.part)}").log(level, "%s", text(struct.message))
