"""Which lines of a sleeve do not respond, while a person strokes over it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Callable

import jacquard
from jacquard import Capability, LineHealth, Touch, TouchTracker
from jacquard_apps.system.together import within
from jacquard_apps.tags import gear
from jacquard_apps.terminal import exits
from jacquard_apps.touch import touching

from .finding import Finding

ABOUT = "sleeve"
# Seconds, for the link and for touch mode.
CONNECTING = 20
# A stroke over all lines and back has more samples.
FEWEST = 60
BRIDGED = "Touches are tracked across a line that is dead or stuck. Look for a thread that is torn or folded, or for moisture."


class Lines:
    """A reader of touching.read()."""

    def __init__(self) -> None:
        self.samples = 0
        self.health: tuple[LineHealth, ...] = touching.GOOD
        self._tracker = TouchTracker()

    def read(self, touch: Touch) -> None:
        self._tracker.process(touch)
        self.samples += 1
        self.health = self._tracker.health()

    def lost(self) -> None:
        self._tracker.cancel()


async def of_bound(
    manager: jacquard.Manager, names: Mapping[str, str], seconds: float, tell: Callable[[str], None]
) -> list[Finding]:
    """names: those of the bound tags, by their identifiers. tell: says what the person must do."""
    if not names:
        return [Finding(ABOUT, False, "No tag is bound, so there is no sleeve to examine.", "Bind one: jacquardctl bind")]
    findings = []
    for tag, name in names.items():
        tell(f"stroke over the whole sleeve of {name}, and back")
        findings.append(await judged(manager, tag, name, seconds))
    return findings


async def judged(manager: jacquard.Manager, tag: str, name: str, seconds: float) -> Finding:
    """The finding about a sleeve, after reading touches for this time."""
    lines = Lines()
    try:
        async with manager.connect(tag, timeout=CONNECTING) as connection:
            await gear.component(connection, Capability.TOUCH)
            await within(seconds, touching.read(connection, lines))
    except asyncio.TimeoutError:
        pass
    except (exits.Failure, jacquard.JacquardError) as error:
        return Finding(ABOUT, False, f"{name} could not be examined. {error}", details={"tag": tag})
    return finding(tag, name, lines)


def finding(tag: str, name: str, lines: Lines) -> Finding:
    health = [each.name.lower() for each in lines.health]
    details = {"tag": tag, "samples": lines.samples, "line_health": health}
    bad = [f"line {number} is {each}" for number, each in enumerate(health) if each != LineHealth.GOOD.name.lower()]
    if bad:
        return Finding(ABOUT, False, f"{name}: {', '.join(bad)}", BRIDGED, details=details)
    if lines.samples < FEWEST:
        text = f"{name}: too few touches to judge the lines: {lines.samples} samples"
        return Finding(ABOUT, True, text, "Stroke over the whole sleeve and back until it ends.", details=details, caveat=True)
    return Finding(ABOUT, True, f"{name}: all lines respond as far as they were touched", details=details)
