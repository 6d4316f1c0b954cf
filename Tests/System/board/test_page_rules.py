"""The rules on the page: how they are made with the keyboard, recorded and switched, and what is said about them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import axe
import pytest
from boards import Board
from browser import Page
from jacquard_automations.reasons import Reason
from test_page import every_browser, in_browser, shows

TAB, ENTER, DOWN, ESCAPE = "\ue004", "\ue007", "\ue015", "\ue00c"
HOSTILE = "<img src=x onerror='document.title = 1'>"
RULES = f"""# mine
[[on]]
gesture = "brush-in"
do = {{ led = "teal" }}

[[on]]
name = "{HOSTILE}"
gesture = "cover"
do = {{ run = ["true"] }}
"""


@pytest.fixture(name="rules")
def rules_fixture(tmp_path: Path) -> Path:
    path = tmp_path / "jacquard" / "automations.toml"
    path.parent.mkdir()
    path.write_text(RULES)
    return path


async def focused(page: Page) -> str:
    return str(await page.eval("document.activeElement.id || document.activeElement.dataset.key || ''"))


async def tab_to(page: Page, name: str) -> None:
    """name: the id of a control, or the key of a rule's button."""
    for _ in range(60):
        if await focused(page) == name:
            return
        await page.press(TAB)
    raise AssertionError(f"{name} is not reached with Tab")


async def write(page: Page, name: str, text: str) -> None:
    await tab_to(page, name)
    for letter in text:
        await page.press(letter)


def listed(number: int) -> str:
    return f"document.querySelectorAll('#rules li b').length === {number}"


@every_browser
def test_a_rule_is_made_with_the_keyboard_by_making_its_gesture(browser: str, rules: Path) -> None:
    async def body(page: Page) -> None:
        await page.until(shows("#link", "Connected"))
        await page.until(f"board.store.selected.gear && {listed(2)}")
        await tab_to(page, "rule-new")
        await page.press(ENTER)
        assert await focused(page) == "rule-events"
        await tab_to(page, "rule-record")
        await page.press(ENTER)
        assert await page.text("#rules-told") == "Make the gesture on the sleeve now."
        await page.eval("board.link.send({action: 'gesture', value: 'brush-up'})")
        await page.until(shows("#rules-told", "Recorded: brush-up."))
        assert await page.eval("document.querySelector('#rule-event').value") == 'gesture = "brush-up"'
        await write(page, "rule-conditions", "locked = false")
        await tab_to(page, "rule-offers")
        await page.press("l")  # Louder
        await tab_to(page, "rule-add")
        await page.press(ENTER)
        await write(page, "rule-name", "up")
        await tab_to(page, "rule-save")
        await page.press(ENTER)
        await page.until(f"{listed(3)} && document.querySelector('#rule-form').hidden")
        assert rules.read_text() == RULES + (
            '\n[[on]]\nname = "up"\ngesture = "brush-up"\nlocked = false\ndo = { volume = "+5%" }\n'
        )
        await page.until("document.activeElement.id === 'rule-new'")
        await changed_with_the_keyboard(page, rules)

    with Board("--simulate", "--edit-rules", folder=str(rules.parent.parent)) as board:
        in_browser(browser, board, body)


async def changed_with_the_keyboard(page: Page, rules: Path) -> None:
    await tab_to(page, "try 2")
    await page.press(ENTER)
    await page.until(shows("#rules-told", "tried, it worked"))
    await tab_to(page, "switch 2")
    await page.press(ENTER)
    await page.until("document.querySelector('#rules li.off')")
    # The focus stays where it was.
    assert await focused(page) == "switch 2"
    await page.press(ENTER)
    await page.until("!document.querySelector('#rules li.off')")
    await tab_to(page, "change 11")
    await page.press(ENTER)
    await write(page, "rule-actions", "x")
    await tab_to(page, "rule-save")
    await page.press(ENTER)
    await page.until(shows("#rules-told", "This is not possible"))
    await page.press(ESCAPE)
    await page.until("document.querySelector('#rule-form').hidden")
    assert await focused(page) == "change 11"
    await tab_to(page, "remove 11")
    await page.press(ENTER)
    assert await page.eval("document.activeElement.innerText") == "Really remove"
    await page.press(ENTER)
    await page.until(listed(2))
    assert rules.read_text() == f"{RULES}\n"


@every_browser
def test_text_of_rules_is_only_text_and_commands_stay_closed_over_the_network(browser: str, rules: Path) -> None:
    async def body(page: Page) -> None:
        await page.until(listed(2))
        assert await page.eval("[...document.querySelectorAll('#rules b')].map((one) => one.innerText)") == ["brush-in", f"{HOSTILE}: cover"]
        assert await page.eval("document.title") == "Jacquard board" and not await page.eval("document.querySelectorAll('#rules img').length")
        buttons = "[...document.querySelectorAll('#rules li')].map((one) => [...one.querySelectorAll('button')].map((each) => each.innerText))"
        assert await page.eval(buttons) == [["Try", "Change", "Switch off", "Remove"], ["Switch off"]]
        await page.click("#rules [data-key='switch 6']")
        await page.until("document.querySelector('#rules li.off')")
        assert await page.eval(buttons) == [["Try", "Change", "Switch off", "Remove"], []]
        # Characters that the page does not receive would be lost.
        rules.write_text("[[on]]\ngesture = 'cover'\ntag = 'a\u202eb'\ndo = { led = 'red' }\n")
        await page.until(listed(1))
        assert await page.eval(buttons) == [["Switch off", "Remove"]]

    with Board("--edit-rules", "--listen", "0.0.0.0", folder=str(rules.parent.parent)) as board:
        board.link, board.base = (text.replace(board.host, f"127.0.0.1:{board.port}") for text in (board.link, board.base))
        in_browser(browser, board, body)
        board.stop()


@every_browser
def test_each_reason_is_shown(browser: str, rules: Path) -> None:
    """The test makes the messages of the board."""
    rule = {"name": "", "tags": [], "conditions": [], "actions": ['media = "next"'], "is_enabled": True, "count": 0, "time": None}

    def about(line: int, reason: str) -> dict[str, Any]:
        outcome = {"reason": reason, "text": f"because of {reason}", "event": "cover", "tag": "01ZK", "time": 1e9}
        obstacle = {"reason": reason, "text": f"it lacks {reason}"}
        state = {"ran": 1, "not_run": 2, "last": outcome, "last_ran": {**outcome, "time": 9e8}, "obstacles": [obstacle]}
        return {**rule, "line": line, "event": reason, **state}

    async def body(page: Page) -> None:
        await page.until(listed(2))
        await page.run("board.link.socket.onmessage = null")
        shown = [about(number, reason.value) for number, reason in enumerate(Reason)]
        obstacles = [{"reason": "not-running", "text": "Run: jacquardctl run"}]
        message = {"type": "rules", "rules": {"file": "/f", "obstacles": obstacles, "rules": shown}}
        await page.run(f"board.receive({json.dumps(message)})")
        assert await page.text("#rules-state") == "Run: jacquardctl run"
        words = {"ran": "ran", "running": "still running", "dry-run": "matched", "failed": "failed", "no-player": "failed"}
        for number, reason in enumerate(Reason):
            text = str(await page.eval(f"document.querySelectorAll('#rules li')[{number}].innerText"))
            assert f" 01ZK cover: {words.get(reason.value, 'not run')}: because of {reason.value}\n" in text
            assert f"Cannot run: it lacks {reason.value}" in text and "ran last at " in text and "ran: 1, not run: 2" in text

    with Board("--simulate", folder=str(rules.parent.parent)) as board:
        in_browser(browser, board, body)


@every_browser
def test_a_taught_gesture_is_recorded_and_a_fader_is_chosen(browser: str, rules: Path) -> None:
    async def body(page: Page) -> None:
        await page.until(shows("#link", "Connected"))
        taught = {"file": "/g", "problem": None, "gestures": [{"name": 'zig "zag"', "examples": 5, "count": 0, "time": None, "tag": None}]}
        await page.run(f"board.receive({json.dumps({'type': 'taught', 'taught': taught})}); document.querySelector('#rule-new').click()")
        assert await page.eval("[...document.querySelectorAll('#rule-events optgroup')].map((one) => one.label)") == [
            "Gesture", "Taught gesture", "Fader", "Touch mode", "Tag",
        ]  # fmt: skip
        await page.click("#rule-record")
        made = {"number": 0, "name": 'zig "zag"', "taught": True, "time": 1}
        tag = f"{{key: board.store.selected.key, gestures: [{json.dumps(made)}]}}"
        change = f"{{type: 'changes', now: board.link.now(), tags: [{tag}]}}"
        await page.run(f"board.receive({change})")
        assert await page.eval("document.querySelector('#rule-event').value") == 'trained = "zig \\"zag\\""'
        assert await page.eval("document.querySelector('#rule-events').selectedOptions[0].innerText") == 'zig "zag"'
        await page.run("const menu = document.querySelector('#rule-events'); menu.value = 'fader = \"relative\"'; menu.onchange()")
        await page.run("document.querySelector('#rule-offers').value = 'volume = \"fader\"'; document.querySelector('#rule-add').click()")
        await page.click("#rule-save")
        await page.until(listed(3))
        assert rules.read_text().endswith('[[on]]\nfader = "relative"\ndo = { volume = "fader" }\n')

    with Board("--simulate", "--edit-rules", folder=str(rules.parent.parent)) as board:
        in_browser(browser, board, body)


@pytest.mark.parametrize("size", [(390, 844), (360, 640), (320, 568)], ids=str)
def test_rules_and_sleeve_are_within_two_screens_of_a_phone(rules: Path, size: tuple[int, int]) -> None:
    rules.write_text(RULES + "".join(f"[[on]]\ngesture = {number}\ndo = {{ led = 'red' }}\n" for number in range(20, 40)))

    async def body(page: Page) -> None:
        await page.size(*size)
        await page.until(f"{shows('#link', 'Connected')} && board.store.selected.gear && {listed(22)}")
        await page.until("document.querySelector('#rules-state').innerText")
        sleeve, found = await page.box("section.sleeve"), await page.box("#automations")
        assert sleeve["y"] < found["y"] and found["y"] + found["height"] <= 2 * size[1]
        assert await page.eval("document.documentElement.scrollWidth") <= size[0]

    with Board("--simulate", "--edit-rules", folder=str(rules.parent.parent)) as board:
        in_browser("chromium", board, body)


@pytest.mark.browsers
@pytest.mark.parametrize("looks", ["light", "dark", "forced colours"])
@every_browser
def test_the_form_is_accessible_at_every_width(browser: str, looks: str, rules: Path) -> None:
    async def body(page: Page) -> None:
        await page.until(listed(2))
        if looks == "forced colours":
            if browser == "firefox":
                pytest.skip("Firefox cannot emulate forced colours")
            await page.cdp("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
        await page.click("#rule-new")
        for width in (320, 400, 800, 1360, 2560):
            await page.size(width, 1000)
            assert await page.eval("document.documentElement.scrollWidth") <= width
            assert await axe.findings(page) == []

    with Board("--simulate", "--edit-rules", folder=str(rules.parent.parent)) as board:
        in_browser(browser, board, body, dark=looks == "dark")
