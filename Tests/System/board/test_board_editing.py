"""Rules that are changed through the board: what is written, who may do it, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import ctl
import pytest
from boards import Board, Client, run
from jacquard_automations.toml_file import version_of
from simulator import SERIAL
from test_board import with_client

RULES = """# mine
[[on]]
# to the wrist
gesture = "brush-in"   # here
do = { media = "next" }

[[on]]
gesture = "cover"
do = { run = ["touch", "DONE"] }
# the end
"""
NEW: dict[str, Any] = {"event": 'gesture = "double-tap", locked = false', "actions": ['led = "teal"', 'volume = "+5%"']}
COMMANDS = ['run = ["true"]', 'shell = "true"', 'key = "a"', 'dbus = { destination = "a.b", path = "/", interface = "a.b", member = "c" }']
CHANGES: list[dict[str, Any]] = [
    {"action": "add-rule", **NEW},
    {"action": "change-rule", "line": 2, **NEW},
    {"action": "remove-rule", "line": 2},
    {"action": "switch-rule", "line": 2, "value": False},
    {"action": "try-rule", "event": 'gesture = "cover"', "actions": ['shell = "touch DONE"']},
]
NAMES = [change["action"] for change in CHANGES]
each_change = pytest.mark.parametrize("change", CHANGES, ids=NAMES)


@pytest.fixture(name="rules")
def rules_fixture(tmp_path: Path) -> Path:
    path = tmp_path / "jacquard" / "automations.toml"
    path.parent.mkdir()
    path.write_text(RULES.replace("DONE", str(tmp_path / "done")))
    return path


def done(rules: Path) -> Path:
    return rules.parent.parent / "done"


def of(change: dict[str, Any], rules: Path) -> dict[str, Any]:
    """The request, for the file as it is."""
    text = json.dumps(change).replace("DONE", str(done(rules)))
    return {**json.loads(text), "version": version_of(rules.read_text())}


def on_board(rules: Path, body: Callable[[Client], Awaitable[Any]], *words: str) -> None:
    with Board(*words, folder=str(rules.parent.parent)) as board:
        board.link, board.base = (text.replace(board.host, f"127.0.0.1:{board.port}") for text in (board.link, board.base))
        with_client(board, body)
        board.stop()


async def lines(client: Client, *expected: tuple[int, str]) -> None:
    await client.until(lambda: [(rule["line"], rule["event"]) for rule in client.rules.get("rules", [])] == list(expected))


def test_rules_are_made_changed_switched_off_and_removed_in_the_file(rules: Path) -> None:
    before = rules.read_text()
    target = rules.with_name("target")
    rules.rename(target)
    rules.symlink_to("target")
    target.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(target, 1234, 1235)
    status = target.stat()

    async def body(client: Client) -> None:
        async def ask(**change: Any) -> None:
            assert await client.ask(version=client.rules["version"], **change) is None

        await lines(client, (2, "brush-in"), (7, "cover"))
        assert client.rules["may_edit"] and client.rules["may_run_commands"]
        assert client.rules["rules"][0]["source"] == {"event": 'gesture = "brush-in"', "conditions": "", "actions": ['media = "next"']}
        await ask(action="add-rule", **NEW)
        await lines(client, (2, "brush-in"), (7, "cover"), (12, "double-tap"))
        added = '\n[[on]]\ngesture = "double-tap"\nlocked = false\ndo = [\n  { led = "teal" },\n  { volume = "+5%" },\n]\n'
        assert rules.read_text() == before + added
        await ask(action="remove-rule", line=12)
        await lines(client, (2, "brush-in"), (7, "cover"))
        assert rules.read_text() == f"{before}\n"
        await ask(action="switch-rule", line=7, value=False)
        await client.until(lambda: [rule["is_enabled"] for rule in client.rules["rules"]] == [True, False])
        await ask(action="change-rule", line=7, event='gesture = "brush-up"', actions=['media = "play"'])
        await lines(client, (2, "brush-in"), (7, "brush-up"))
        # It stays switched off.
        assert [rule["is_enabled"] for rule in client.rules["rules"]] == [True, False]
        await ask(action="switch-rule", line=7, value=True)
        await client.until(lambda: all(rule["is_enabled"] for rule in client.rules["rules"]))
        await ask(action="change-rule", line=2, event='name = "song", gesture = "brush-in"', actions=['media = "previous"'])
        await client.until(lambda: client.rules["rules"][0]["name"] == "song")
        assert rules.read_text() == (
            '# mine\n[[on]]\n# to the wrist\ngesture = "brush-in"   # here\nname = "song"\ndo = { media = "previous" }\n\n'
            '[[on]]\ngesture = "brush-up"\ndo = { media = "play" }\n# the end\n\n'
        )

    on_board(rules, body, "--edit-rules")
    after = target.stat()
    assert rules.is_symlink() and (status.st_mode, status.st_uid, status.st_gid) == (after.st_mode, after.st_uid, after.st_gid)
    assert sorted(path.name for path in rules.parent.glob("*.toml*")) == ["automations.toml"]


def test_the_first_rule_makes_the_file(tmp_path: Path) -> None:
    async def body(client: Client) -> None:
        await client.until(lambda: client.rules)
        assert await client.ask(action="add-rule", version=client.rules["version"], **NEW) is None
        await lines(client, (1, "double-tap"))

    path = tmp_path / "jacquard" / "automations.toml"
    on_board(path, body, "--edit-rules")
    assert path.stat().st_mode & 0o777 == 0o600


@each_change
def test_nothing_is_changed_without_edit_rules(rules: Path, change: dict[str, Any]) -> None:
    before = rules.read_text()

    async def body(client: Client) -> None:
        await client.until(lambda: client.rules.get("rules"))
        assert not client.rules["may_edit"]
        assert "--edit-rules" in str(await client.ask(**of(change, rules)))

    on_board(rules, body)
    assert rules.read_text() == before and not done(rules).exists()


@each_change
def test_each_change_needs_the_cookie_the_origin_and_the_host(rules: Path, change: dict[str, Any]) -> None:
    before = rules.read_text()

    async def refused(board: Board, page: str, headers: dict[str, str], origin: str | None) -> None:
        async with aiohttp.ClientSession(headers=headers) as http:
            with pytest.raises(aiohttp.WSServerHandshakeError) as failure:
                await http.ws_connect(f"{page}live", origin=origin)
            assert failure.value.status == 403
            await posted(http, page, origin, 403, 405)

    async def posted(http: aiohttp.ClientSession, page: str, origin: str | None, *statuses: int) -> None:
        """A page of another site can send this without asking."""
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            headers = {"Origin": origin or "null", "Content-Type": "text/plain"}
            async with http.request(method, f"{page}live", data=json.dumps(of(change, rules)), headers=headers) as response:
                assert response.status in statuses
                assert "form-action 'none'" in response.headers["Content-Security-Policy"]

    async def body(board: Board) -> None:
        async with board.client() as client:
            (cookie,) = (one for one in client.http.cookie_jar)
            own = {"Cookie": f"{cookie.key}={cookie.value}"}
            name, evil = f"evil.example:{board.port}", "http://evil.example"
            await refused(board, client.page, {}, board.base)
            await refused(board, client.page, {"Cookie": f"{cookie.key}={'x' * 43}"}, board.base)
            await refused(board, f"{board.base}/{'0' * 32}/", own, board.base)
            await refused(board, client.page, own, evil)
            await refused(board, client.page, own, None)
            await refused(board, client.page, {**own, "Host": name}, f"http://{name}")
            # The page itself has to use its WebSocket, too.
            await posted(client.http, client.page, board.base, 405)
            # The board has processed all requests before this reply.
            assert await client.ask(action="search") is None
            assert rules.read_text() == before and not done(rules).exists()
            assert await client.ask(**of(change, rules)) is None
            assert (rules.read_text() != before) != done(rules).exists()

    with Board("--edit-rules", folder=str(rules.parent.parent)) as board:
        run(body(board))


@pytest.mark.parametrize("command", COMMANDS, ids=["run", "shell", "key", "dbus"])
def test_commands_over_the_network_are_only_switched_off(rules: Path, command: str) -> None:
    rules.write_text(f'[[on]]\ngesture = "cover"\ndo = {{ {command} }}\n\n[[on]]\ngesture = "brush-in"\ndo = {{ media = "next" }}\n')
    before = rules.read_text()

    async def refused(client: Client) -> None:
        await client.until(lambda: client.rules.get("rules"))
        assert client.rules["may_edit"] and not client.rules["may_run_commands"]
        assert [rule["may_run_commands"] for rule in client.rules["rules"]] == [True, False]
        harmless = {"event": 'gesture = "cover"', "actions": ['media = "next"']}
        for change in (
            {"action": "add-rule", "event": 'gesture = "brush-up"', "actions": ['media = "next"', command]},
            {"action": "change-rule", "line": 1, **harmless},
            {"action": "change-rule", "line": 5, "event": 'gesture = "brush-in"', "actions": [command]},
            {"action": "remove-rule", "line": 1},
            {"action": "try-rule", "event": 'gesture = "cover"', "actions": [command]},
            {"action": "switch-rule", "line": 1, "value": True},
        ):
            assert "--allow-commands" in str(await client.ask(**of(change, rules)))
            assert rules.read_text() == before
        assert await client.ask(**of({"action": "switch-rule", "line": 1, "value": False}, rules)) is None
        assert "--allow-commands" in str(await client.ask(**of({"action": "switch-rule", "line": 1, "value": True}, rules)))
        assert rules.read_text() == before.replace("do", "enabled = false\ndo", 1)
        assert await client.ask(**of({"action": "change-rule", "line": 6, **NEW}, rules)) is None

    async def permitted(client: Client) -> None:
        await client.until(lambda: client.rules.get("rules"))
        assert await client.ask(**of({"action": "switch-rule", "line": 1, "value": True}, rules)) is None
        assert await client.ask(**of({"action": "remove-rule", "line": 1}, rules)) is None

    on_board(rules, refused, "--edit-rules", "--listen", "0.0.0.0")
    on_board(rules, permitted, "--edit-rules", "--listen", "0.0.0.0", "--allow-commands")
    assert "cover" not in rules.read_text()


def test_allow_commands_needs_edit_rules() -> None:
    ran = subprocess.run(
        ctl.program("board", "--allow-commands"), env=ctl.environment("unix:path=/nonexistent"), capture_output=True, text=True
    )
    assert ran.returncode == 2 and "--allow-commands needs --edit-rules." in ran.stderr


@pytest.mark.parametrize("change", CHANGES[:4], ids=NAMES[:4])
def test_a_file_that_has_changed_meanwhile_is_not_replaced(rules: Path, change: dict[str, Any]) -> None:
    async def body(client: Client) -> None:
        await client.until(lambda: client.rules.get("rules"))
        request = of(change, rules)
        # The same rules in the same lines.
        rules.write_text(f"{rules.read_text()}# by an editor\n")
        now = rules.read_text()
        assert "changed" in str(await client.ask(**request))
        assert rules.read_text() == now
        rules.write_text("[[on]]\nwrong = 1\n")
        assert f"{rules}:2: " in str(await client.ask(**of(change, rules)))
        assert rules.read_text() == "[[on]]\nwrong = 1\n"

    on_board(rules, body, "--edit-rules")


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"action": "add-rule"}, "a rule has an event"),
    ({"action": "add-rule", "event": 'gesture = "cover"', "actions": []}, "a rule has an event"),
    ({"action": "add-rule", "event": 'gesture = "cover"', "actions": ['media = "next"'] * 17}, "a rule has an event"),
    ({"action": "add-rule", "event": 7, "actions": ['media = "next"']}, "a rule has an event"),
    ({"action": "add-rule", "event": "x" * 5000, "actions": ['media = "next"']}, "a rule has an event"),
    ({"action": "add-rule", "event": 'gesture = "covr"', "actions": ['media = "next"']}, "did you mean cover?"),
    ({"action": "add-rule", "event": 'gesture = "cover"\n[settings]', "actions": ['media = "next"']}, "not possible"),
    ({"action": "add-rule", "event": 'gesture = "brush-in"', "actions": ['media = "next"']}, "the same rule is in line 2"),
    ({"action": "add-rule", "event": 'gesture = "\ud800"', "actions": ['media = "next"']}, "not one of"),
    ({"action": "add-rule", "version": None, **NEW}, "names no version"),
    ({"action": "remove-rule", "line": 3}, "changed"),
    ({"action": "remove-rule", "line": "2"}, "changed"),
    ({"action": "change-rule", "line": 2}, "a rule has an event"),
    ({"action": "try-rule", "event": "", "actions": ['media = "next"']}, "not possible"),
]


def test_requests_that_the_page_would_not_send(rules: Path) -> None:
    before = rules.read_text()

    async def body(client: Client) -> None:
        await client.until(lambda: client.rules.get("rules"))
        for request, part in WRONG:
            assert part in str(await client.ask(**{"version": version_of(before), **request})), request
            assert rules.read_text() == before

    on_board(rules, body, "--edit-rules")


def test_a_rule_is_tried_without_its_event(rules: Path) -> None:
    def tried(*actions: str, event: str = 'gesture = "cover"') -> dict[str, Any]:
        return {"action": "try-rule", "event": event, "actions": list(actions)}

    async def body(client: Client) -> None:
        key = await client.tag()
        shell = f"shell = 'echo $JACQUARD_EVENT $JACQUARD_VALUE $JACQUARD_SERIAL >{done(rules)}'"
        assert await client.ask(tag=key, **tried(shell, 'led = "teal:0.1"')) is None
        assert done(rules).read_text() == f"try {SERIAL}\n"
        assert await client.ask(tag=key, **tried(shell, event='fader = "relative"')) is None
        assert done(rules).read_text() == f"try 0.5 {SERIAL}\n"
        # Each failing action is named, and the others are carried out.
        failed = await client.ask(tag=key, **tried("shell = 'exit 3'", shell, "shell = 'exit 4'"))
        assert failed == 'shell = "exit 3": ended with status 3; shell = "exit 4": ended with status 4'
        assert "was not found" in str(await client.ask(**tried("run = ['/nonexistent/program']")))
        assert await client.ask(**tried('led = "teal"')) == 'led = "teal": the link to the tag is lost'

    before = rules.read_text()
    on_board(rules, body, "--simulate", "--edit-rules")
    assert rules.read_text() == before
