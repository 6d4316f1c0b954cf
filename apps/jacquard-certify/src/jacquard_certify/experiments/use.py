"""Requests that change nothing for longer than they take."""

from __future__ import annotations

import statistics

import jacquard

from ..answer import Answer, Answers, Unsafe, evidence
from ..undo import TOUCH
from ..wire import BATTERY, RESPONSE, Packet
from ..world import World

TIMES = 20
PAUSE = 0.1
LATE = 5.0


async def latency(world: World) -> Answers:
    tag = await world.tag()
    start, times, packets = world.clock.now(), [], []
    for _ in range(TIMES):
        asked = world.clock.now()
        await tag.battery()

        def responses(asked: float = asked) -> list[Packet]:
            return [packet for packet in world.trace.since(asked, RESPONSE) if packet.field(BATTERY) is not None]

        # The library may have read the signal earlier.
        found = await world.trace.until(responses, LATE)
        if found:
            times.append(found[0].last - asked)
            packets.append(found[0])
        await world.clock.sleep(PAUSE)
    if len(times) < TIMES:
        return {"latency": Answer(doubt=f"only {len(times)} of {TIMES} responses were seen")}
    middle = statistics.median(times)
    measured = {"median": middle, "least": min(times), "greatest": max(times), "deviation": statistics.pstdev(times)}
    found_value = Answer(duration(middle), evidence=evidence(packets, start), measured=measured)
    if measured["deviation"] > max(0.05 * world.clock.scale, middle / 2):
        found_value = Answer(doubt="the times differ too much", evidence=found_value.evidence, measured=measured)
    return {"latency": found_value}


def duration(seconds: float) -> str:
    """In the words of scenarios."""
    return f"{round(seconds * 1000)}ms"


async def touch_mode(world: World) -> int:
    """The number of touch samples in ten seconds, or until the sleeve has been touched long enough."""
    gear = await world.component()
    if gear is None or not gear.supports(jacquard.Capability.TOUCH):
        raise Unsafe("there is no gear that senses touches")
    samples: list[jacquard.Touch] = []
    world.promises.make(TOUCH, None)
    with (await world.connection()).on(jacquard.Touch, samples.append):
        await gear.set_touch_mode(jacquard.TouchMode.CONTINUOUS)
        await world.clock.sleep(10)
    await gear.set_touch_mode(jacquard.TouchMode.GESTURE)
    return len(samples)
