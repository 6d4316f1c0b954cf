"""The page in browsers: each of its features once, without an error in the console."""

from __future__ import annotations

import re
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from boards import Board, run
from browser import BROWSERS, Page
from recordings import DEMO

# Firefox needs longer to start, and finds the same faults.
EVERY_BROWSER = [pytest.param("chromium"), pytest.param("firefox", marks=pytest.mark.browsers)]
every_browser = pytest.mark.parametrize("browser", EVERY_BROWSER)


def in_browser(browser: str, board: Board, body: Callable[[Page], Awaitable[Any]], **options: Any) -> None:
    async def main() -> None:
        async with BROWSERS[browser](**options) as page:
            await page.size(1360, 1000)
            await page.open_board(board.link)
            assert re.fullmatch(f"{board.base}/[0-9a-f]{{32}}/", await page.eval("location.href"))
            await body(page)
            assert page.complaints == []

    run(main(), 600)


def shows(selector: str, text: str) -> str:
    return f"document.querySelector('{selector}').innerText.includes('{text}')"


async def across(page: Page, *parts: tuple[float, float]) -> list[tuple[float, float]]:
    """Points of the sleeve's lines, from (0, 0) to (1, 1)."""
    box = await page.box("#sleeve")
    area = {"x": box["width"] * 0.25, "y": box["height"] * 0.2, "width": box["width"] * 0.5, "height": box["height"] * 0.45}
    return [(box["x"] + area["x"] + x * area["width"], box["y"] + area["y"] + y * area["height"]) for x, y in parts]


LAST_GESTURE = "document.querySelector('#gestures b')?.innerText === "


@every_browser
def test_a_software_tag(browser: str) -> None:
    async def body(page: Page) -> None:
        await page.until(shows("#link", "Connected"))
        await page.until(shows("#gear", "Trucker Jacket"))
        assert await page.text("#battery") == "80 %"
        assert "dBm" in await page.text("#signal")
        await gestures(page)
        await touch(page)
        await light(page)
        await faults(page)

    with Board("--simulate") as board:
        in_browser(browser, board, body)


async def gestures(page: Page) -> None:
    strokes = {
        "Brush out": [(0.1, 0.5), (0.5, 0.5), (0.9, 0.5)],
        "Brush in": [(0.9, 0.5), (0.5, 0.5), (0.1, 0.5)],
        "Brush down": [(0.5, 0.1), (0.5, 0.5), (0.5, 0.9)],
        "Brush up": [(0.5, 0.9), (0.5, 0.5), (0.5, 0.1)],
    }
    for name, points in strokes.items():
        await page.pointer(*await across(page, *points))
        await page.until(f"{LAST_GESTURE} '{name}'")
    await page.pointer(*await across(page, (0.5, 0.5)), taps=2, type="touch")
    await page.until(f"{LAST_GESTURE} 'Double tap'")
    await page.pointer(*await across(page, (0.5, 0.5)), hold=900)
    await page.until(f"{LAST_GESTURE} 'Cover'")
    assert "finger to screen" in await page.text("#latency")
    await page.until(shows("#spoken", "Cover"))
    for key, name in {"\ue014": "Brush out", "c": "Cover"}.items():
        await page.run("document.querySelector('#sleeve').focus()")
        await page.press(key)
        await page.until(f"{LAST_GESTURE} '{name}'")
    # Set when the gesture has been drawn, in the next frame.
    await page.until("board.store.selected.gestures.every((gesture) => gesture.latency !== undefined)")
    latencies = await page.eval("[...board.store.selected.gestures].map((gesture) => gesture.latency)")
    # The page knows the server's clock to within the time of a message.
    assert all(0 <= latency < 1 for latency in latencies), latencies
    print("finger to screen:", [round(latency * 1000) for latency in latencies], "ms")


async def touch(page: Page) -> None:
    await page.until("board.strokes.fingers.size === 0")
    await page.click("input[value=touch]")
    await page.until("board.store.selected.mode === 'touch'")
    await page.pointer(*await across(page, (0, 0.5), (0.3, 0.5), (0.6, 0.5), (1, 0.5)), step=150)
    line = "lines => lines.indexOf(Math.max(...lines))"
    await page.until(f"board.store.selected.samples.some(sample => ({line})(sample.slice(3)) > 8)")
    samples = await page.eval("board.store.selected.samples")
    strongest = [sample[3:].index(max(sample[3:])) for sample in samples]
    assert len(samples) > 5 and strongest == sorted(strongest) and strongest[0] < 3 and strongest[-1] > 8
    await page.until("board.heat.head > 0")
    # Keys move a finger across the lines, too.
    last = await page.eval("board.store.selected.samples.at(-1)[0]")
    await page.run("document.querySelector('#sleeve').focus()")
    await page.press("\ue014")
    await page.until(f"board.store.selected.samples.filter((sample) => sample[0] > {last} && sample[2]).length > 5")
    # The sleeve shows the touches of a simulated person.
    await page.until("board.strokes.fingers.size === 0")
    await page.run("document.querySelector('#person-stroke').value = 'there-and-back'")
    await page.click("#stroke")
    await page.until("board.store.selected.touches?.length === 1")
    await page.click("input[value=gesture]")
    await page.until("board.store.selected.mode === 'gesture'")


async def light(page: Page) -> None:
    await page.click("#colors button[title=orange]")
    await page.until("board.store.selected.light?.color === '#ff8000'")
    await page.click("#vibrations button")
    await page.until("board.store.selected.vibration?.name === 'insert'")


async def faults(page: Page) -> None:
    await page.eval("document.querySelector('#charge').value = 12")
    await page.run("document.querySelector('#charge').dispatchEvent(new Event('change'))")
    await page.until(shows("#battery", "12 %"))
    for number, text in enumerate(("Drop the link", "Kill bluetoothd")):
        await page.run(f"[...document.querySelectorAll('#mishaps button')].find((one) => one.innerText === '{text}').click()")
        await page.until(f"{shows('#link', 'Connected')} === false")
        await page.until(f"{shows('#link', 'Connected')} && board.store.selected.gear")
        reasons = await page.eval("board.store.selected.events.filter((event) => event.reason).length")
        assert reasons > number
    await page.click("#connect")
    await page.until(shows("#link", "Disconnected"))
    assert await page.text("#connect") == "Connect"


# The number of pixels of a canvas with nearly the colour of an axis, for the axis with the fewest.
FEWEST = """
  const canvas = document.querySelector('#%s'), style = getComputedStyle(document.documentElement);
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return Math.min(...['--accent', '--indigo', '--good'].map((name) => {
    const color = style.getPropertyValue(name).trim(), parts = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] > 128 && parts.every((part, j) => Math.abs(part - data[i + j]) < 50)) count++;
    }
    return count;
  }));
"""


@every_browser
def test_motion(browser: str) -> None:
    async def body(page: Page) -> None:
        await page.until(shows("#link", "Connected"))
        assert not await page.eval("document.querySelector('#moved').checkVisibility()")
        await page.click("#motion")
        await page.until("board.store.selected.motion.length > 60")
        await page.until(f"{shows('#acceleration-now', ' g')} && {shows('#rotation-now', '°/s')}")
        assert re.match(r"x −?\d\.\d\d +y −?\d\.\d\d +z −?\d\.\d\d g", await page.text("#acceleration-now"))
        await page.until(shows("#motion-rate", "samples/s"))
        assert await page.eval("document.querySelector('#motion').checked")
        for canvas in ("acceleration", "rotation"):
            # The letters at the ends of the lines have fewer pixels than this.
            await page.until(f"await (async () => {{ {FEWEST % canvas} }})() > 40")
        await page.run("[...document.querySelectorAll('#mishaps button')].find((one) => one.innerText === 'Drop the link').click()")
        await page.until(shows("#motion-gaps", "missing at"))
        await page.until(shows("#spoken-gaps", "missing"))
        assert re.search(r"\d+ samples missing", await page.text("#motion-gaps"))
        for width in (400, 1360):
            await page.size(width, 1000)
            assert await page.eval("document.documentElement.scrollWidth") <= width
        assert await page.eval("board.store.selected.streaming")
        await page.click("#motion")
        await page.until(shows("#motion-rate", "stopped"))
        assert not await page.eval("document.querySelector('#motion').checked")
        # The received samples move out of the card.
        await page.until("!document.querySelector('#moved').checkVisibility()")

    with Board("--simulate") as board:
        in_browser(browser, board, body)


@every_browser
def test_a_recording(browser: str, tmp_path: Path) -> None:
    (tmp_path / "demo.jsonl").write_text(DEMO)

    async def body(page: Page) -> None:
        await page.until(shows("#tags", "demo.jsonl"))
        await page.run("const seek = document.querySelector('#seek'); seek.value = 12; seek.dispatchEvent(new Event('input'));")
        await page.until(shows("#gestures", "Brush out"))
        assert "0:12 / 0:24" in await page.text("#position")
        await page.run("const speed = document.querySelector('#speed'); speed.value = 8; speed.dispatchEvent(new Event('change'));")
        await page.until("board.store.selected.player.speed === 8")
        await page.click("#play")
        await page.until(shows("#gestures", "Cover"))
        await page.until("document.querySelector('#play').innerText === 'Play'")
        await page.until(shows("#events", "The tag did not respond any more"))
        assert not await page.eval("document.querySelector('#controls').checkVisibility()")

    with Board(str(tmp_path / "demo.jsonl")) as board:
        in_browser(browser, board, body)


@every_browser
def test_a_restarted_board(browser: str, tmp_path: Path) -> None:
    async def main() -> None:
        with Board("--simulate", folder=str(tmp_path)) as first:
            async with BROWSERS[browser]() as page:
                await page.open_board(first.link)
                await page.until(shows("#link", "Connected"))
                port = str(first.port)
                await page.until(shows("#uptime", "for 0:0"))
                first.stop()
                await page.until(shows("#banner", "The board is not running, or not reachable. What is shown here is its state at "))
                assert await page.text("#server") == "not reachable"
                # Nothing is shown as if it were current.
                assert (await page.text("#link"), await page.text("#uptime")) == ("Unknown", "")
                assert await page.eval("board.link.now() === board.link.now() && document.querySelector('#connect').disabled")
                assert await page.text("#tags .hidden") == ", unknown"
                with Board("--simulate", "--port", port, folder=str(tmp_path)) as second:
                    await page.until(shows("#server", "live"))
                    await page.until(shows("#link", "Connected"))
                    await page.until(shows("#uptime", "for"))
                    assert not await page.eval("document.querySelector('#banner').checkVisibility()")
                    second.stop()
                (tmp_path / "jacquard" / f"board-{port}").unlink()
                with Board("--port", port, folder=str(tmp_path)):
                    await page.until(shows("#banner", "Open the link"))
                # The browser's messages while there is no server.
                others = [one for one in page.complaints if not any(word in one for word in ("WebSocket", "Failed to load", "establish"))]
                assert others == []

    run(main(), 300)


@every_browser
def test_too_many_browsers(browser: str) -> None:
    async def main() -> None:
        async with board.client() as client, BROWSERS[browser]() as page:
            url = f"{client.page}live"
            others = [await client.http.ws_connect(url, origin=board.base) for _ in range(15)]
            await page.open_board(board.link)
            await page.until(shows("#banner", "16 browsers are already showing this board. Close one of them"))
            assert await page.text("#server") == "full"
            await others.pop().close()
            await page.until("document.querySelector('#server').innerText === 'live'")
            await page.until("!document.querySelector('#banner').innerText.includes('browsers')")
            assert page.complaints == []
            for other in others:
                await other.close()

    with Board() as board:
        run(main(), 300)


@every_browser
def test_a_board_that_does_not_respond(browser: str) -> None:
    async def body(page: Page) -> None:
        await page.until("document.querySelector('#server').innerText === 'live'")
        board.process.send_signal(signal.SIGSTOP)
        try:
            # The second check comes before the reply to the ping of the first.
            await page.run("board.link.watch(); board.link.watch()")
            await page.until(shows("#banner", "not reachable"))
        finally:
            board.process.send_signal(signal.SIGCONT)
        await page.until("document.querySelector('#server').innerText === 'live'")

    with Board() as board:
        in_browser(browser, board, body)


async def selected(page: Page, title: str, body: Callable[[Page], Awaitable[Any]]) -> None:
    button = f"[...document.querySelectorAll('#tags button')].find((one) => one.innerText.includes('{title}'))"
    await page.until(button)
    await page.run(f"{button}.click()")
    await body(page)
