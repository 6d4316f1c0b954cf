"""The tag's functions, which answer no question. Their results are part of the file."""

from __future__ import annotations

import asyncio
from typing import Any

import jacquard
from jacquard_apps.system.together import within as limited

from ..dialogue import FELT, SEEN, STROKE, STROKE_AGAIN, Dialogue
from ..undo import CONFIGURATION, MODULE, TOUCH
from ..wire import FIRMWARE_STATUS, encoded, number_within, request, within
from ..world import World
from .motion import check_idle, motion_module

SHINING, STROKING, STREAMING = 3.0, 6.0, 3.0
# Gestures that are listed.
MOST = 20
NAME = "Jacquard test"
IMAGE = {"size": 2, "stored": 4}


async def light(world: World, talk: Dialogue) -> dict[str, Any]:
    await (await world.tag()).led(jacquard.Led.solid("teal", SHINING))
    return {"light_seen": await talk.asks(SEEN)}


async def vibration(world: World, talk: Dialogue) -> dict[str, Any]:
    gear = await world.component()
    if gear is None or not gear.supports(jacquard.Capability.HAPTIC):
        return {}
    await gear.haptic(jacquard.Haptic.named("notification"))
    return {"vibration_felt": await talk.asks(FELT)}


async def touches(world: World, talk: Dialogue) -> dict[str, Any]:
    gear = await world.component()
    if gear is None or not gear.supports(jacquard.Capability.TOUCH):
        return {}
    samples: list[jacquard.Touch] = []
    gestures: list[jacquard.Gesture] = []
    world.promises.make(TOUCH, None)
    connection = await world.connection()
    connection.on(jacquard.Touch, samples.append)
    connection.on(jacquard.Gesture, gestures.append)
    await talk.instruct(STROKE)
    await world.clock.sleep(STROKING)
    await gear.set_touch_mode(jacquard.TouchMode.CONTINUOUS)
    await talk.instruct(STROKE_AGAIN)
    await world.clock.sleep(STROKING)
    await gear.set_touch_mode(jacquard.TouchMode.GESTURE)
    return {"gestures": [str(one) for one in gestures][:MOST], "touch_samples": len(samples)}


async def name(world: World, talk: Dialogue) -> dict[str, Any]:
    """Gives the tag another name for a moment. It is part of the configuration, which is restored."""
    world.promises.make(CONFIGURATION, (await world.configuration()).hex())
    await (await world.tag()).rename(NAME)
    return {"name_stored": NAME.encode() in await world.configuration()}


async def firmware(world: World, talk: Dialogue) -> dict[str, Any]:
    return {"firmware": await firmware_status(await world.tag())}


async def firmware_status(tag: jacquard.Tag) -> dict[str, Any]:
    """The image that an interrupted update has left. It is only read."""
    which = encoded((1, tag.info.vendor_id), (2, tag.info.product_id))
    response = await tag.send_request(request(1, 1, (FIRMWARE_STATUS, which)))
    content = within(response, FIRMWARE_STATUS)
    found = {word: number_within(content, number) for word, number in IMAGE.items()}
    return {"status": within(response, 2), **found}


async def stream(world: World) -> dict[str, Any]:
    """Samples of motion for a moment."""
    module = await motion_module(world)
    if module is None:
        return {}
    tag = await world.tag()
    if module.enabled:
        await check_idle(tag)
    world.promises.make(MODULE, module.enabled)
    world.promises.make(CONFIGURATION, (await world.configuration()).hex())
    samples = lost = 0
    async with (await world.connection()).motion() as events:
        end = world.clock.now() + STREAMING
        while (left := end - world.clock.now()) > 0:
            try:
                event = await limited(world.clock.real(left), events.next())
            except asyncio.TimeoutError:
                break
            samples += isinstance(event, jacquard.MotionSample)
            lost += event.missing if isinstance(event, jacquard.MotionGap) else 0
    return {"samples": samples, "lost": lost}


PARTS = (light, vibration, touches, name, firmware)
