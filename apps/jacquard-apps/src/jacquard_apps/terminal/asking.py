"""Questions on the terminal."""

from __future__ import annotations

import asyncio
import sys


def is_possible() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


async def answer(question: str) -> str:
    """The line that the user types, "" at the end of the input. The command can be cancelled meanwhile."""
    print(question, end="", file=sys.stderr, flush=True)
    loop = asyncio.get_running_loop()
    typed = asyncio.Event()
    loop.add_reader(sys.stdin, typed.set)
    try:
        await typed.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return sys.stdin.readline()


async def confirmed(question: str) -> bool:
    return (await answer(f"{question} [y/N] ")).strip().lower() in ("y", "yes")
