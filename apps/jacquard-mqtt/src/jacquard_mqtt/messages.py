"""The messages, as described by the schemas."""

from __future__ import annotations

import datetime
import json
import time
from typing import Any

import jacquard

from .errors import RequestError

ONLINE = b"online"
OFFLINE = b"offline"
# A gesture without a name is called "unknown"; its number is in the message.
UNKNOWN = "unknown"
GESTURES = (*(str(number) for number in jacquard.GestureType), UNKNOWN)


def encoded(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False).encode("utf-8", errors="replace")


def now(age: float = 0) -> str:
    """The current time, or the time of something that is this number of seconds old."""
    when = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=age)
    return when.isoformat(timespec="milliseconds")


def word(member: Any) -> str:
    """The name of an enumeration's member, as one word."""
    return str(member.name).lower()


def gesture(event: jacquard.Gesture, boot: str, number: int, is_derived: bool = False) -> dict[str, Any]:
    name = event.name if event.name in GESTURES else UNKNOWN
    mark = {"derived": True} if is_derived else {}
    return {"gesture": name, "number": int(event.type), "boot": boot, "seq": number, **mark, "time": now()}


def touch(event: jacquard.Touch) -> dict[str, Any]:
    return {"sequence": event.sequence, "proximity": event.proximity, "lines": list(event.lines), "time": now()}


def fader(percent: int, step: int) -> dict[str, Any]:
    return {"percent": percent, "step": step, "time": now()}


def motion(event: jacquard.MotionEvent) -> dict[str, Any]:
    if isinstance(event, jacquard.MotionSample):
        return {
            "acceleration": [round(value, 5) for value in event.acceleration],
            "rotation": [round(value, 4) for value in event.rotation],
            "ticks": event.ticks,
            "time": now(time.monotonic() - event.time),
        }
    if isinstance(event, jacquard.MotionGap):
        return {"missing": event.missing, "uncertainty": event.uncertainty, "time": now()}
    return {"restart": True, "time": now()}


def battery(event: jacquard.Battery) -> dict[str, Any]:
    return {"percent": event.percent, "charging": event.charging, "time": now()}


def gear(info: jacquard.ComponentInfo | None) -> dict[str, Any]:
    if info is None:
        return {"attached": False}
    known = [flag for flag in jacquard.Capability if flag in info.capabilities]
    return {
        "attached": True,
        "vendor": info.vendor or info.vendor_text,
        "product": info.product or info.product_text,
        "capabilities": [word(flag) for flag in known],
    }


# A tag's information about itself.
INFO = ("serial", "address", "vendor", "model", "firmware")


def info(tag: jacquard.TagInfo) -> dict[str, Any]:
    return {
        "serial": tag.serial,
        "address": tag.address,
        "vendor": tag.vendor,
        "model": tag.model,
        "firmware": ".".join(map(str, tag.firmware)),
    }


def error(error: jacquard.JacquardError) -> dict[str, Any]:
    return {"code": word(error.code), "message": error.message, "advice": error.advice}


def failure(command: str, error: RequestError) -> dict[str, Any]:
    head = {"command": command, "code": error.code, "message": error.message, "advice": error.advice}
    return {**head, "time": now()}


def state(
    bridge: str, phase: str, since: str, attempt: int, reason: jacquard.JacquardError | None, ended: str
) -> dict[str, Any]:
    return {
        "bridge": bridge,
        "phase": phase,
        "since": since,
        "attempt": attempt,
        "reason": None if reason is None else error(reason),
        "disconnect_reason": ended,
    }
