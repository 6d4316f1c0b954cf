"""Passes the library's log messages to Python's logging: logger "jacquard.<part>"."""

import logging
from typing import Any

from ..enums import LogLevel
from .convert import text

LEVELS = {LogLevel.WARNING: logging.WARNING, LogLevel.INFO: logging.INFO, LogLevel.DEBUG: logging.DEBUG}


def wanted_level() -> LogLevel:
    """The most verbose level that is enabled when a manager is opened."""
    logger = logging.getLogger("jacquard")
    return next((ours for ours, theirs in reversed(LEVELS.items()) if logger.isEnabledFor(theirs)), LogLevel.WARNING)


def forward(pointer: Any) -> None:
    struct = pointer.contents
    level = LEVELS.get(LogLevel(struct.level), logging.DEBUG)
    logging.getLogger(f"jacquard.{text(struct.part)}").log(level, "%s", text(struct.message))
