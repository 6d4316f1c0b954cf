"""The gear that a tag is attached to."""

from __future__ import annotations

import asyncio

import jacquard

from ..system.together import within
from ..terminal import exits

# A tag reports attached gear immediately after connecting.
TIMEOUT = 3


async def component(connection: jacquard.Connection, capability: jacquard.Capability) -> jacquard.Component:
    """Returns the gear, if it has this capability."""
    async with connection.events(jacquard.Gear) as events:
        try:
            gear = await within(TIMEOUT, first(events))
        except asyncio.TimeoutError:
            raise exits.Failure("No gear is attached to the tag. Put the tag into its garment or bag.") from None
    if not gear.supports(capability):
        raise exits.Failure(f"{name(gear.info)} lacks this capability: {word(capability)}.")
    return gear


async def first(events: jacquard.Stream[jacquard.Gear[jacquard.Component]]) -> jacquard.Component:
    async for event in events:
        if event.component is not None:
            return event.component
    raise exits.Failure("The connection has been closed.")


def word(capability: jacquard.Capability) -> str:
    return (capability.name or "").lower()


def name(info: jacquard.ComponentInfo) -> str:
    return f"{info.vendor} {info.product}".strip() or f"{info.vendor_text} {info.product_text}"


async def played(effect: jacquard.Led | jacquard.Haptic, component: jacquard.Component) -> None:
    if isinstance(effect, jacquard.Led):
        await component.led(effect)
    else:
        await component.haptic(effect)
