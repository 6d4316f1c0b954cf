"""Requests to record motion on a tag, and to list, download and erase the recordings there."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from typing import Any

import jacquard
from jacquard import MotionActivity, MotionSettings, Session

from .errors import RequestError
from .tag import TagBridge

TEXTS = ("campaign", "group", "subject", "product")


def settings(body: dict[str, Any]) -> MotionSettings:
    """The settings that a request to record or to stream contains."""
    rate = body.get("rate", 25)
    return MotionSettings(rate, rate, body.get("acceleration_range", 16), body.get("rotation_range", 2000))


def chosen(sessions: list[Session], body: dict[str, Any]) -> Session:
    """The recording that a request names."""
    given = {text: body[text] for text in ("name", *TEXTS) if text in body}
    found = [one for one in sessions if all(getattr(one, text) == value for text, value in given.items())]
    if len(found) == 1:
        return found[0]
    count = f"{len(found)} recordings" if found else "no recording"
    advice = f"Add {', '.join(TEXTS)}." if found else "The request `recordings` lists them."
    raise RequestError("unknown_recording", f"The tag has {count} {body['name']!r}.", advice)


async def record(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> dict[str, Any]:
    name = body.get("name", time.strftime("%Y-%m-%d-%H%M%S"))
    texts = {text: body[text] for text in TEXTS if text in body}
    async with bridge.module.used(tag):
        await tag.start_recording(Session(name, **texts), settings(body))
    return {"name": name}


async def stop_recording(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> None:
    async with bridge.module.used(tag):
        if (await tag.motion_status()).activity is not MotionActivity.RECORDING:
            raise RequestError("not_recording", "The tag is not recording motion.")
        await tag.stop_motion()


async def recordings(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> dict[str, Any]:
    async with bridge.module.used(tag):
        return {"recordings": [dataclasses.asdict(session) for session in await tag.sessions()]}


async def download(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> dict[str, Any]:
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(bridge.module.used(tag))
        session = chosen(await tag.sessions(), body)
        if bridge.connection is None:
            raise RequestError("not_connected", "The tag is no longer connected.")
        # The broker may be away for hours, but the tag is no longer needed when it has sent everything.
        result = await bridge.downloads.download(
            bridge.connection, session, body.get("offset", 0), body.get("id"), stack.aclose
        )
    return result


async def erase(bridge: TagBridge, tag: jacquard.Tag, body: dict[str, Any]) -> dict[str, Any]:
    erased: list[str] = []
    async with bridge.module.used(tag):
        sessions = await tag.sessions()
        for session in sessions if "all" in body else [chosen(sessions, body)]:
            await tag.erase_session(session)
            bridge.downloads.forget(session)
            erased.append(session.name)
    return {"erased": erased}
