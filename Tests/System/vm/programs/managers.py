"""Two managers of one process and the tag 01ZK: managers.py ADAPTER after|at-once|together

The first connects and ends its connection; the second connects when that connection has ended, or immediately. With
"together", the first connection lasts until the end. The first manager stays open, and the second prints its events,
until gesture 99.
"""

import asyncio
import sys

import jacquard


async def use(manager: jacquard.Manager, identifier: str) -> None:
    async with manager.connect(identifier) as connection:
        async with connection.events(jacquard.Gesture) as events:
            tag = await connection.tag()
            print("second", await tag.battery(), flush=True)
            async for gesture in events:
                print("gesture", int(gesture.type), flush=True)
                if gesture.type == 99:
                    break


async def main(adapter: str, when: str) -> None:
    async with jacquard.Manager(adapter=adapter) as first, jacquard.Manager(adapter=adapter) as second:
        print("looking", flush=True)
        found = await first.find(serial="01ZK", timeout=60)
        async with first.connect(found) as connection:
            tag = await connection.tag()
            print("first", await tag.battery(), flush=True)
            if when == "after":
                await connection.disconnect()
            if when == "together":
                return await use(second, found.identifier)
        await use(second, found.identifier)


asyncio.run(main(*sys.argv[1:]))
