"""Connects to a tag, reads its battery, lights it, and prints what it reports until Ctrl-C: events.py [SERIAL]"""

from __future__ import annotations

import asyncio
import sys

import jacquard


async def main(serial: str | None = None) -> None:
    async with jacquard.Manager() as manager:
        found = await manager.find(serial=serial, timeout=30)
        async with manager.connect(found) as connection:  # stays connected until the block ends
            tag = await connection.tag()  # waits until connected; a new one after each reconnection
            print(await tag.battery())
            await tag.led(jacquard.Led.blink("teal", duration=2))
            async for event in connection.events(jacquard.Gesture, jacquard.Gear):
                print(event, flush=True)


try:
    asyncio.run(main(*sys.argv[1:]))
except KeyboardInterrupt:
    pass
except jacquard.JacquardError as error:
    sys.exit(f"{error.message} {error.advice}")
