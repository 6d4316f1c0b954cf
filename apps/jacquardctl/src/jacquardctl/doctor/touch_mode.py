"""Which program has set touch mode, in which a tag reports no gestures to any program."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping

import jacquard
from jacquard import ConnectionState, Gear, Phase, TouchMode, TouchModeReport
from jacquard_apps.system import processes
from jacquard_apps.system.together import within

from .finding import Finding

ABOUT = "touch mode"
# Seconds. The service has the link, so it reports at once.
TIMEOUT = 5


async def of_shared(manager: jacquard.Manager, tags: Iterable[str], names: Mapping[str, str]) -> list[Finding]:
    """tags: identifiers of those that a service has links to. names: those of known tags."""

    async def finding(tag: str) -> Finding | None:
        report = await reported(manager, tag)
        if report is None or report.mode is not TouchMode.CONTINUOUS:
            return None
        text = f"{names.get(tag, tag)} reports touches instead of gestures, as set by {processes.setter(report.process)}"
        remedy = "end that program" if report.process else "detach the gear from the tag, and attach it again"
        advice = f"To have its gestures again, {remedy}."
        return Finding(ABOUT, True, text, advice, details={"tag": tag, "process": report.process or None}, caveat=True)

    return [found for found in await asyncio.gather(*map(finding, tags)) if found is not None]


def of_others(holders: Mapping[str, int], names: Mapping[str, str]) -> list[Finding]:
    """holders: the processes that have links without a service, by the tags' identifiers."""
    return [
        Finding(
            ABOUT,
            True,
            f"cannot be checked for {names.get(tag, tag)}: only {processes.described(process)}, which uses it without a "
            "service, can have set it",
            "If its gestures are missing, end that program.",
            details={"tag": tag, "process": process},
            caveat=True,
        )
        for tag, process in sorted(holders.items())
    ]


async def reported(manager: jacquard.Manager, tag: str) -> TouchModeReport | None:
    """None: no gear is attached, or the tag cannot be used now."""

    async def first() -> TouchModeReport | None:
        async with manager.connect(tag, timeout=TIMEOUT) as connection:
            async for event in connection.events(ConnectionState, Gear, TouchModeReport):
                if isinstance(event, TouchModeReport):
                    return event
                if isinstance(event, Gear) and event.component is None:
                    return None
                if isinstance(event, ConnectionState) and event.phase is Phase.DISCONNECTED:
                    return None
        return None

    with contextlib.suppress(jacquard.JacquardError, asyncio.TimeoutError):
        return await within(TIMEOUT, first())
    return None
