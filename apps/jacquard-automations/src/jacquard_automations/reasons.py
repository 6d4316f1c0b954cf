"""Why a rule ran or did not run, as words for programs."""

from __future__ import annotations

import enum


class Reason(enum.Enum):
    # At an event.
    RAN = "ran"
    RUNNING = "running"
    DRY_RUN = "dry-run"
    HOURS = "hours"
    LOCKED = "locked"
    OTHER_TAG = "other-tag"
    MADE_ONCE = "made-once"
    COPY = "copy"
    TOO_OLD = "too-old"
    SUSPENDED = "suspended"
    TOO_MANY = "too-many"
    BUSY = "busy"
    NO_PLAYER = "no-player"
    FAILED = "failed"
    # Before any event.
    SWITCHED_OFF = "switched-off"
    NOT_RUNNING = "not-running"
    INVALID_FILE = "invalid-file"
    MISSING = "missing"
    NO_ACCESS = "no-access"
    UNREACHABLE = "unreachable"
    UNBOUND = "unbound"
    BLUETOOTH = "bluetooth"
    LINK = "link"
    GEAR = "gear"
    TOUCH_MODE = "touch-mode"
    OTHER_RULE = "other-rule"
