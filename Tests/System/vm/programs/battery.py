"""Reads a battery with asyncio, and again without asyncio, using only the identifier from the first time."""

import asyncio
import sys

import jacquard
from jacquard import blocking


async def first_time() -> str:
    async with jacquard.Manager(adapter=sys.argv[1]) as manager:
        print("looking")
        found = await manager.find(serial="01ZK", timeout=60)
        print("found", found.serial, found.name, found.rssi)
        async with manager.connect(found) as connection:
            seen: list[str] = []
            async for state in connection.states():
                seen.append(f"{state.phase.name.lower()} {state.step}/{state.total_steps}")
                if state.tag is not None:
                    break
            print(", ".join(seen))
            assert state.tag
            print(state.tag.info.firmware, "battery", await state.tag.battery())
            async with connection.events(jacquard.Battery) as events:
                print("told", await events.next())
            await connection.disconnect()
        return found.identifier


def second_time(identifier: str) -> None:
    with blocking.Manager(adapter=sys.argv[1]) as manager, manager.connect(identifier) as connection:
        print("again, battery", connection.tag(timeout=60).battery())
        connection.disconnect()


second_time(asyncio.run(first_time()))
