"""Records motion on a tag, downloads it, and converts it to CSV: motion-record.py [SECONDS [FILE]]"""

import asyncio
import os
import sys
import time

import jacquard


async def main(seconds: str = "10", path: str = "motion.bin") -> None:
    if os.path.lexists(path):
        sys.exit(f"{path} exists")
    async with jacquard.Manager() as manager:
        found = await manager.find(timeout=30)
        async with manager.connect(found) as connection:
            tag = await connection.tag()
            await tag.prepare_motion()
            name = time.strftime("%Y-%m-%d-%H%M%S")
            await tag.start_recording(name)  # continues without a link
            await asyncio.sleep(float(seconds))
            tag = await connection.tag()
            await tag.stop_motion()
            session = next(session for session in await tag.sessions() if session.name == name)
            await connection.download(session, path)  # continues after a lost link
            await tag.release_motion()
    jacquard.MotionFile.read(path).write_csv(f"{path}.csv")
    print(f"{path}: {session.size} bytes")


try:
    asyncio.run(main(*sys.argv[1:]))
except KeyboardInterrupt:
    pass
except jacquard.JacquardError as error:
    sys.exit(f"{error.message} {error.advice}")
