"""Uses the tag 01ZK beside other programs, until gesture 99: guest.py ADAPTER

Prints states with the process that has the link, and gestures. Reads the battery on each link.
"""

import asyncio
import sys

import jacquard


async def report_states(connection: jacquard.Connection) -> None:
    async for state in connection.states():
        through = f", through process {state.service_process}" if state.service_process else ""
        print(f"{state.phase.name.lower()}{through}", flush=True)
        if state.tag is not None:
            print("answered", await state.tag.battery(), flush=True)


async def main(adapter: str) -> None:
    async with jacquard.Manager(adapter=adapter) as manager, manager.connect(serial="01ZK") as connection:
        states = asyncio.create_task(report_states(connection))
        async with connection.events(jacquard.Gesture) as events:
            async for gesture in events:
                print("gesture", int(gesture.type), flush=True)
                if gesture.type == 99:
                    break
        await connection.disconnect()
        await states


asyncio.run(main(sys.argv[1]))
