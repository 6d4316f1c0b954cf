"""Requests that change nothing for longer than they take."""

from __future__ import annotations

import statistics

from ..answer import Answer, Answers, evidence
from ..wire import BATTERY, RESPONSE, Packet
from ..world import World

TIMES, LEAST, ENOUGH = 20, 8, 15.0
PAUSE = 0.1
LATE = 5.0


async def latency(world: World) -> Answers:
    tag = await world.tag()
    start = world.clock.now()
    times: list[float] = []
    packets: list[Packet] = []
    while len(times) < TIMES and (len(times) < LEAST or world.clock.now() - start < ENOUGH):
        asked = world.clock.now()
        await tag.battery()

        def responses(asked: float = asked) -> list[Packet]:
            return [packet for packet in world.trace.since(asked, RESPONSE) if packet.field(BATTERY) is not None]

        # The library may have read the signal earlier.
        found = await world.trace.until(responses, LATE)
        if not found:
            return {"latency": Answer(doubt=f"the response was not seen after {len(times)} others")}
        times.append(found[0].last - asked)
        packets.append(found[0])
        await world.clock.sleep(PAUSE)
    middle = statistics.median(times)
    measured = {"median": middle, "least": min(times), "greatest": max(times)}
    # The middle half of the times: a few are late because this computer was busy.
    low, _, high = statistics.quantiles(times, n=4)
    measured["middle_half"] = high - low
    found_value = Answer(duration(middle), evidence=evidence(packets, start), measured=measured)
    if measured["middle_half"] > max(0.05 * world.clock.scale, middle / 2):
        found_value = Answer(doubt="the times differ too much", evidence=found_value.evidence, measured=measured)
    return {"latency": found_value}


def duration(seconds: float) -> str:
    """A duration as it is written in scenarios."""
    return f"{round(seconds * 1000)}ms"
