"""The page of the board while a tag sends 60 samples a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from boards import Board
from browser import Page
from test_page import in_browser, shows

# The short test also runs alongside other tests and on slow machines, and while the browser still compiles the page, which
# takes about a minute and 10 % of its memory.
RUNS = [pytest.param(10, 0.08, 1.5, id="short"), pytest.param(300, 0.03, 1.1, id="five-minutes", marks=pytest.mark.browsers)]


@pytest.mark.parametrize("seconds, share_allowed, growth_allowed", RUNS)
def test_60_samples_per_second(seconds: int, share_allowed: float, growth_allowed: float) -> None:
    """Memory stays within its limit, and the view costs little."""

    async def body(page: Page, board: Board, tell: Callable[[str], str]) -> None:
        await page.until("board.store.selected")
        await page.click("#connect")
        await page.until(shows("#gear", "Trucker Jacket"))
        await page.click("input[value=touch]")
        await page.until("board.store.selected.mode === 'touch'")
        tell(f"every 16.667ms touch sweep for {2 * seconds + 60}s")
        # By then the page's histories are full.
        await page.until("board.store.selected.samples.at(-1)[0] - board.store.selected.samples[0][0] > 10.5", 60)
        await page.run(COUNT)
        # The measurement leaves out allocations that the page makes once.
        await receive(page, min(60, seconds))
        before = await memory(page, board)
        counted = await page.eval("counted")
        begin, used = asyncio.get_running_loop().time(), board.seconds_used
        await receive(page, seconds)
        passed = asyncio.get_running_loop().time() - begin
        share, rate = (board.seconds_used - used) / passed, (await page.eval("counted") - counted) / passed
        after = await memory(page, board)
        print(f"{rate:.1f} samples/s, {100 * share:.2f} % of a core, bytes of page and board: {before} → {after}")
        assert rate > 40
        assert share < share_allowed
        assert all(now < growth_allowed * then for then, now in zip(before, after))
        assert await page.eval("board.store.selected.samples.length") <= 1200

    from simulator import Simulator

    with Simulator() as simulator:
        simulator.tell("gear attach levis-trucker")
        with Board(bus=simulator.bus_address) as board:
            in_browser("chromium", board, lambda page: body(page, board, simulator.tell))


COUNT = """
  window.counted = 0;
  const add = board.heat.add.bind(board.heat);
  board.heat.add = (samples) => { counted += samples.length; add(samples); };
"""


async def receive(page: Page, seconds: int) -> None:
    """Waits until the page has samples of this time, in parts that are shorter than the time limit of a call."""
    latest = "board.store.selected.samples.at(-1)[0]"
    begin = await page.eval(latest)
    for passed in range(10, seconds + 1, 10):
        await page.until(f"{latest} >= {begin + passed}")


async def memory(page: Page, board: Board) -> tuple[int, int]:
    """Bytes of the page's objects, and of the board."""
    for _ in range(3):
        await page.cdp("HeapProfiler.collectGarbage")
    return int((await page.cdp("Runtime.getHeapUsage"))["usedSize"]), board.memory
