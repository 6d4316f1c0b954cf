"""What the page of the board says, its marks and colours, and how it looks to those who use it in another way."""

from __future__ import annotations

import json
import statistics
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import axe
import pictures
import pytest
from boards import Board
from browser import BROWSERS, Page
from recordings import DEMO
from test_page import LAST_GESTURE, across, every_browser, in_browser, selected, shows


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@every_browser
def test_the_mark_of_a_dead_line(browser: str, dark: bool) -> None:
    """Fingers pass over the software tag's sleeve, and the sixth line reads nothing."""

    async def body(page: Page) -> None:
        await page.until(shows("#link", "Connected"))
        assert await page.eval("matchMedia('(prefers-color-scheme: dark)').matches") == dark
        # Only the marks of lines: their text and their colour.
        await page.run("""
          window.marks = new Map();
          const draw = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
            if (this.font.startsWith("bold 13px")) marks.set(text, at);
            draw.call(this, text, ...at);
          };""")
        await page.click("input[value=touch]")
        await page.until("board.store.selected.mode === 'touch'")
        label = "document.querySelector('#sleeve').getAttribute('aria-label')"
        assert "line" not in (await page.eval(label)).replace("lines", "")
        await page.run("""
          for (let n = 0; n < 240; n++) {
            const at = (n - 120) / 3;
            const lines = Array.from({length: 12}, (_, line) => Math.round(90 * Math.exp(-((line - at) ** 2) / 2)) + n % 2);
            board.link.send({action: "stroke", lines: lines.with(5, 0), proximity: 2});
            await new Promise((next) => setTimeout(next, 16));
          }""")
        await page.until(f"{label}.endsWith('Broken: line 6 is dead.')")
        await page.until("marks.size")
        assert await page.eval("[...marks.keys()]") == ["×"]
        x, y = await page.eval("marks.get('×')")
        ((left, _),) = await across(page, (0, 0))
        box = await page.box("#sleeve")
        assert abs((x - (left - box["x"])) / (box["width"] * 0.5) - 5.5 / 12) < 1 / 12
        assert await contrast(page, x, y) > 4.5

    with Board("--simulate") as board:
        in_browser(browser, board, body, dark=dark)


async def contrast(page: Page, x: float, y: float) -> float:
    """The contrast of a text of 13 px there, from its brightest pixel to the median of its surroundings, as in WCAG."""
    luminances = await page.run(f"""
      const canvas = document.querySelector('#sleeve'), scale = canvas.width / canvas.clientWidth;
      const {{data}} = canvas.getContext('2d').getImageData(({x} - 10) * scale, {y} * scale, 20 * scale, 13 * scale);
      const linear = (part) => ((part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
      const all = [];
      for (let i = 0; i < data.length; i += 4) {{
        all.push(0.2126 * linear(data[i]) + 0.7152 * linear(data[i + 1]) + 0.0722 * linear(data[i + 2]));
      }}
      return all;""")
    return float((max(luminances) + 0.05) / (statistics.median(luminances) + 0.05))


@every_browser
def test_what_the_page_says(browser: str, tmp_path: Path) -> None:
    """The test makes the messages of the board."""
    (tmp_path / "demo.jsonl").write_text(DEMO)

    async def body(page: Page) -> None:
        await page.until(shows("#hint", "A recording of "))
        assert "2026" in await page.text("#hint")
        tag = {**pictures.content("touch"), "rules": None}
        await page.run("board.link.socket.onmessage = null")

        async def receive(**members: Any) -> None:
            await page.run(f"board.receive({json.dumps(members)})")

        await receive(**tag)
        await page.until(shows("#link", "Connected"))
        shown = "['gestures-to-make', 'person-to-stroke'].map((id) => !document.getElementById(id).hidden)"
        assert await page.eval(shown) == [False, True]
        advice = ["The tag did not respond any more and the link was lost.", "Advice: None needed; the library reconnects."]
        assert await page.eval("[...document.querySelectorAll('#events p')].map((one) => one.innerText)") == advice

        await receive(type="changes", tags=[{"key": tag["tags"][0]["key"], "mode_setter": "mpv (7)"}])
        assert (await page.text("#hint")).endswith("recognises no gestures. It was set by mpv (7).")
        await receive(type="changes", tags=[{"key": tag["tags"][0]["key"], "ending": True, "mode": "gesture"}])
        assert await page.eval(shown) == [True, False]
        assert await page.eval("[...document.querySelectorAll('#gestures-to-make button')].every((one) => !one.disabled)")
        assert await page.text("#connect") == "Disconnecting …"
        assert await page.eval("document.querySelector('#connect').disabled")

        assert not await page.eval("document.querySelector('#left-out').checkVisibility()")
        await receive(type="machine", machine={**tag["machine"], "left_out": 12})
        assert await page.text("#left-out") == "12 more tags in range not shown"

        await rules_and_taught_gestures(page, receive)

        await page.run("""
          window.texts = new Set();
          const draw = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, ...others) { texts.add(text); draw.call(this, text, ...others); };""")
        await receive(**pictures.content("gesture"))
        await page.until("['2 g', '0 g', '−2 g', '250 °/s', '−250 °/s'].every((one) => texts.has(one))")

    with Board("--simulate", str(tmp_path / "demo.jsonl")) as board:
        in_browser(browser, board, lambda page: selected(page, "demo", body))


async def rules_and_taught_gestures(page: Page, receive: Callable[..., Awaitable[None]]) -> None:
    assert not await page.eval("document.querySelector('#automations').checkVisibility()")
    rule = {"name": "", "event": "cover", "tags": ["01ZK"], "conditions": ["screen locked"], "actions": ['media = "next"'], "line": 3}
    state: dict[str, Any] = {"is_enabled": True, "ran": 0, "not_run": 0, "last": None, "last_ran": None, "obstacles": []}
    rules = [
        {**rule, **state, "count": 0, "time": None, "tag": None},
        {**rule, **state, "name": "n", "count": 2, "time": 9.5, "tag": "01ZK"},
    ]
    await receive(type="rules", rules={"file": "/f", "problems": [{"line": 7, "text": "key <b>x</b>"}], "rules": rules})
    assert await page.text("#problems") == "Line 7: key <b>x</b>"
    assert await page.text("#rules-file") == "/f · To change them here: jacquardctl board --edit-rules"
    assert [text.split("\n") for text in await page.eval("[...document.querySelectorAll('#rules li')].map((one) => one.innerText)")] == [
        ["cover", 'media = "next" 01ZK · screen locked', "no event yet"],
        ["n: cover", 'media = "next" 01ZK · screen locked', await page.text("#rules li.latest > :last-child")],
    ]
    assert (await page.text("#rules li.latest > :last-child")).startswith("matched 2 times, last at ")
    assert not await page.eval("document.querySelectorAll('#rules button').length")

    assert not await page.eval("document.querySelector('#taught').checkVisibility()")
    one = {"name": "zig-zag", "examples": 5, "count": 0, "time": None, "tag": None}
    two = {**one, "name": "<b>", "count": 1, "time": 9.5, "tag": "01ZK"}
    await receive(type="taught", taught={"file": "/g", "problem": None, "gestures": [one, two]})
    assert await page.eval("[...document.querySelectorAll('#taught li')].map((one) => one.innerText)") == [
        "zig-zag\n5 examples",
        f"<b>\n5 examples\n{await page.text('#taught li.latest > :last-child')}",
    ]
    assert (await page.text("#taught li.latest > :last-child")).startswith("made once, last at ")
    await receive(type="taught", taught={"file": "/g", "problem": "/g:1: <i>", "gestures": []})
    assert await page.text("#taught-problem") == "/g:1: <i>"


def test_forced_colours_leave_the_colours_of_the_light() -> None:
    async def body(page: Page) -> None:
        await page.cdp("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
        colours = "[...document.querySelectorAll('.swatch')].map((one) => getComputedStyle(one).backgroundColor)"
        assert len(set(await page.eval(colours))) == 9

    with Board() as board:
        in_browser("chromium", board, body)


@pytest.mark.browsers
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [400, 1360])
@pytest.mark.parametrize("browser", BROWSERS)
def test_accessibility(browser: str, width: int, dark: bool, tmp_path: Path) -> None:
    (tmp_path / "demo.jsonl").write_text(DEMO)

    async def body(page: Page) -> None:
        await page.size(width, 1000)
        await page.until(shows("#link", "Connected"))
        assert await page.eval("matchMedia('(prefers-color-scheme: dark)').matches") == dark
        assert await page.eval("document.documentElement.scrollWidth") <= width
        await page.eval("board.link.send({action: 'gesture', value: 'cover'})")
        await page.until(f"{LAST_GESTURE} 'Cover'")
        await page.until(shows("#rules .latest", "matched once"))
        assert await page.eval("document.documentElement.scrollWidth") <= width
        await page.click("#motion")
        await page.until(shows("#acceleration-now", " g"))
        assert await axe.findings(page) == []
        await page.run("[...document.querySelectorAll('#tags button')].find((one) => one.innerText.includes('demo')).click()")
        await page.until("!document.querySelector('#player').hidden")
        assert await axe.findings(page) == []

    rule = tmp_path / "jacquard" / "automations.toml"
    rule.parent.mkdir()
    rule.write_text(f"[[on]]\ngesture = 'cover'\ndo = {{ run = ['{'long' * 40}'] }}\n")
    with Board("--simulate", str(tmp_path / "demo.jsonl"), folder=str(tmp_path)) as board:
        in_browser(browser, board, body, dark=dark)
