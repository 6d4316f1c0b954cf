"""Requests from the broker: each gets one response, with a result or with an error that has a code."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import jacquard
import jsonschema
from jacquard import Capability, Haptic, Led, LedFrame, ValueType
from jacquard.haptic import SYMBOLS, WAVES
from jacquard.led import PATTERNS

from . import messages, recordings
from .errors import RequestError
from .light import color_of
from .schemas import validator
from .tag import TagBridge

# The maximum size of a payload in bytes. The longest valid request, an LED pattern with 62 frames, needs less than
# half.
LARGEST = 8192
# The maximum size of an ID. An ID that is longer, or not a string or number, is not returned.
LONGEST_ID = 128
# The maximum number of pending requests of one tag; the library executes them one after the other.
MOST_PENDING = 16


def decoded(payload: bytes) -> dict[str, Any]:
    """The JSON object of a request. An empty payload is an empty object."""
    if len(payload) > LARGEST:
        raise RequestError("oversized", f"The request has {len(payload)} bytes; at most {LARGEST} are accepted.")
    try:
        value = json.loads(payload.decode("utf-8") or "{}", parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise RequestError("malformed", f"The request is not JSON: {error}.") from None
    if not isinstance(value, dict):
        raise RequestError("malformed", "The request is not a JSON object.")
    return value


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not allowed")


def identity(payload: bytes) -> Any:
    """The ID of a request, even of one that is otherwise invalid; None if it has no ID."""
    try:
        value = decoded(payload).get("id")
    except RequestError:
        return None
    if isinstance(value, str):
        return value if len(value) <= LONGEST_ID else None
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63 else None


async def carry_out(bridge: TagBridge, command: str, payload: bytes) -> dict[str, Any]:
    """The result of a request. Raises RequestError."""
    body = decoded(payload)
    if command not in COMMANDS:
        expected = ", ".join(COMMANDS)
        raise RequestError("unknown_command", f"There is no command {command[:64]!r}; expected one of {expected}.")
    problem = jsonschema.exceptions.best_match(validator(f"request-{command}").iter_errors(body))
    if problem is not None:
        place = ".".join(str(part) for part in problem.absolute_path)
        raise RequestError("invalid", f"{place}: {problem.message}"[:500] if place else problem.message[:500])
    if command in BRIDGE_COMMANDS:
        BRIDGE_COMMANDS[command](bridge)
        return {}
    await bridge.ready(body.pop("schedule", 0), with_gear=command in GEAR_COMMANDS or body.get("gear", False))
    if bridge.tag is None:
        advice = "Wait until its availability is online, or set `schedule`."
        raise RequestError("not_connected", "The tag is not connected.", advice)
    try:
        return await TAG_COMMANDS[command](bridge, bridge.tag, body) or {}
    except jacquard.JacquardError as error:
        raise RequestError(messages.word(error.code), error.message, error.advice) from None
    except (TypeError, ValueError) as error:
        raise RequestError("invalid", str(error)) from None


def response(identity: Any, outcome: dict[str, Any] | RequestError) -> bytes:
    message: dict[str, Any] = {} if identity is None else {"id": identity}
    if isinstance(outcome, RequestError):
        error = {"code": outcome.code, "message": outcome.message, "advice": outcome.advice}
        return messages.encoded({**message, "status": "error", "error": error})
    return messages.encoded({**message, "status": "ok", "result": outcome})


def gear(bridge: TagBridge, capability: Capability) -> jacquard.Component:
    if bridge.gear is None:
        raise RequestError("no_gear", "The tag is not attached to gear.", "Attach the tag to its garment.")
    if not bridge.gear.supports(capability):
        name = messages.word(capability)
        raise RequestError("unsupported", f"The gear has no {name} capability.", "Use other gear.")
    return bridge.gear


async def battery(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> dict[str, Any]:
    level = messages.battery(await tag.battery())
    bridge.publish("battery", level)
    return level


async def led(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> None:
    component = gear(bridge, Capability.LED) if body.get("gear") else tag.component
    await component.led(pattern(body))


def pattern(body: dict[str, Any]) -> Led:
    if body.get("pattern") == "off":
        return Led.off()
    if "frames" in body:
        frames = tuple(LedFrame(color_of(frame["color"]), frame["seconds"]) for frame in body["frames"])
        type = PATTERNS["frames"]
        duration = body.get("seconds", sum(frame.duration for frame in frames))
    else:
        duration = body.get("seconds", 2)
        frames = (LedFrame(color_of(body.get("color", "white")), duration),)
        type = PATTERNS[body.get("pattern", "solid")]
    return Led(
        frames,
        type,
        duration=duration,
        intensity=body.get("intensity", 100),
        toggle=body.get("toggle", False),
        resumable=body.get("resumable", False),
    )


async def light(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> dict[str, Any]:
    return await bridge.light.set(tag, {name: value for name, value in body.items() if name != "id"})


async def haptic(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> None:
    if "symbol" in body:
        vibration = SYMBOLS[body["symbol"]]
    else:
        given: dict[str, Any] = {name: body[name] for name in ("on", "off", "repeats", "amplitude") if name in body}
        if "wave" in body:
            given["type"] = WAVES[body["wave"]]
        vibration = Haptic(**given)
    await gear(bridge, Capability.HAPTIC).haptic(vibration)


async def touch(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> None:
    gear(bridge, Capability.TOUCH)
    await bridge.touch(body.get("seconds", 60))


async def motion(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> None:
    seconds = body.get("seconds", 60)
    if not seconds:
        return await bridge.motion.stop()
    if bridge.connection is None:
        raise RequestError("not_connected", "The tag is no longer connected.")
    try:
        await bridge.motion.start(bridge.connection, tag, recordings.settings(body), seconds)
    except TimeoutError:
        raise RequestError("timeout", "The tag has not sent motion data.", "Try again.") from None


async def rename(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> None:
    await tag.rename(body["name"])


async def get_value(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> dict[str, Any]:
    return {"value": await tag.read_value(body["key"], **owner(body))}


async def set_value(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> None:
    type = ValueType[body["type"].upper()] if "type" in body else None
    await tag.write_value(body["key"], body["value"], type=type, **owner(body))


async def update(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> dict[str, Any]:
    if bridge.connection is None:
        raise RequestError("not_connected", "The tag is no longer connected.")
    return await bridge.updates.install(bridge.connection, tag.info, body)


def owner(body: dict[str, Any]) -> dict[str, int]:
    return {name: body[name] for name in ("vendor_id", "product_id") if name in body}


# Commands that wait for gear, which is reported shortly after a connection is established.
GEAR_COMMANDS = ("haptic", "touch")
Command = Callable[[TagBridge, jacquard.Tag, dict[str, Any]], Awaitable[Any]]
TAG_COMMANDS: dict[str, Command] = {
    "battery": battery,
    "download": recordings.download,
    "erase": recordings.erase,
    "get-value": get_value,
    "haptic": haptic,
    "led": led,
    "light": light,
    "motion": motion,
    "record": recordings.record,
    "recordings": recordings.recordings,
    "rename": rename,
    "set-value": set_value,
    "stop-recording": recordings.stop_recording,
    "touch": touch,
    "update": update,
}
# Commands that do not need the tag.
BRIDGE_COMMANDS: dict[str, Callable[[TagBridge], None]] = {
    "stop-download": lambda bridge: bridge.downloads.stop(),
    "stop-update": lambda bridge: bridge.updates.stop(),
}
COMMANDS = sorted(TAG_COMMANDS | BRIDGE_COMMANDS)
