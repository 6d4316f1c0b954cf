"""Prints the acceleration of a tag until Ctrl-C: motion-stream.py [SERIAL]"""

from __future__ import annotations

import asyncio
import sys

import jacquard


async def main(serial: str | None = None) -> None:
    settings = jacquard.MotionSettings(accelerometer_rate=100, gyroscope_rate=100)
    async with jacquard.Manager() as manager:
        found = await manager.find(serial=serial, timeout=30)
        async with manager.connect(found) as connection:  # its end stops the stream on the tag
            async for event in connection.motion(settings):  # continues after a lost link
                if isinstance(event, jacquard.MotionSample):
                    print(*(f"{axis:.3f}" for axis in event.acceleration), flush=True)
                else:
                    print(event, file=sys.stderr, flush=True)


try:
    asyncio.run(main(*sys.argv[1:]))
except KeyboardInterrupt:
    pass
except jacquard.JacquardError as error:
    sys.exit(f"{error.message} {error.advice}")
