"""Prints the states of a connection while things happen to the tag, the adapter or bluetoothd: states.py [SERIAL]"""

from __future__ import annotations

import asyncio
import math
import sys

import jacquard


async def main(serial: str | None = None) -> None:
    async with jacquard.Manager() as manager:
        found = await manager.find(serial=serial)
        async with manager.connect(found, timeout=math.inf, wait_for_adapter=True) as connection:
            async for state in connection.states():
                reason = f": {state.reason.message}" if state.reason else ""
                print(f"{state.phase} {state.step}/{state.total_steps}{reason}", flush=True)


try:
    asyncio.run(main(*sys.argv[1:]))
except KeyboardInterrupt:
    pass
except jacquard.JacquardError as error:
    sys.exit(f"{error.message} {error.advice}")
