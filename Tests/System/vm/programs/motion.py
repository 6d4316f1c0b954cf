"""motion.py ADAPTER SAMPLES HERTZ...: receives that many samples of a stream at each rate, and prints what it received."""

from __future__ import annotations

import asyncio
import sys

import jacquard


async def receive(connection: jacquard.Connection, wanted: int, hertz: int) -> None:
    settings = jacquard.MotionSettings(accelerometer_rate=hertz, gyroscope_rate=hertz)
    samples, missing, uncertain = [], 0, 0
    async with connection.motion(settings) as events:
        async for event in events:
            if isinstance(event, jacquard.MotionSample):
                samples.append(event)
            elif isinstance(event, jacquard.MotionGap):
                missing += event.missing
                uncertain += event.uncertainty
            if len(samples) == wanted:
                break
    assert all(earlier.ticks < later.ticks for earlier, later in zip(samples, samples[1:]))
    of = (samples[-1].ticks - samples[0].ticks) * hertz / 31250 + 1
    print(f"{len(samples)} samples, {missing} missing ({uncertain} uncertain), of {of:.0f}", flush=True)


async def main(adapter: str, wanted: str, *rates: str) -> None:
    async with jacquard.Manager(adapter=adapter) as manager:
        found = await manager.find(timeout=60)
        for hertz in rates:
            async with manager.connect(found) as connection:
                await receive(connection, int(wanted), int(hertz))


asyncio.run(main(*sys.argv[1:]))
