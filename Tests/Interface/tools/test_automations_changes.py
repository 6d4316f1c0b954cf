"""Changes of the file of rules by jacquardctl."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from jacquard_apps.terminal import exits
from jacquard_automations import edit, file, toml_file
from jacquard_automations.table import Problem
from jacquardctl.running import status_of
from test_automations_file import RULE

# Changes of the file

EDITED = """# The head, with an umlaut: ü
[mqtt]
host = "localhost"   # here

# The first.
[[on]]
gesture = "cover" # by hand
do = [ # two
  { shell = '''
# not a comment''' },
  { media = "next" }, # second
] # end of the first

# The second rule,
# in two lines.

  [[ "on" ]]
gear = "attached"
do.media = "play"
[on.profile]
room = "kitchen"
# Below the second.

[settings]
rate = 5

[[on]]
battery_below = 20
do = { media = "stop" }
# The end"""


NEW = '[[on]]\ngesture = "brush-in"\nlocked = false\ndo = { media = "next" }\n'


def changed(path: Path, *words: str) -> str:
    assert status_of(["run", str(path), *words]) == exits.OK
    return path.read_bytes().decode()


ADD = ["--add", 'gesture = "brush-in", locked = false', "--do", 'media = "next"']


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_rule_is_added_replaced_and_removed_and_nothing_else_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], newline: str
) -> None:
    path = tmp_path / "file"

    def text(*parts: str) -> str:
        return "".join(parts).replace("\n", newline)

    first, rest = EDITED.split("# The second", 1)
    head, rule = first.split("[[on]]")
    second, end = rest.split("# Below", 1)
    lead = second.split("  [[")[0]
    path.write_bytes(text(EDITED).encode())
    assert changed(path, *ADD) == text(EDITED, "\n\n", NEW)
    assert capsys.readouterr().out == f"{path}:32: added\n"
    assert changed(path, "--remove", "32") == text(EDITED, "\n\n")
    path.write_bytes(text(EDITED).encode())
    # Comments stay, apart from what follows.
    assert changed(path, "--remove", "6") == text(head, "\n# The second", rest)
    assert capsys.readouterr().out.endswith(f"{path}:6: removed\n")
    path.write_bytes(text(EDITED).encode())
    assert changed(path, "--remove", "17") == text(first, "# The second", lead, "# Below", end)
    path.write_bytes(text(EDITED).encode())
    assert changed(path, "--remove", "6", *ADD) == text(head, NEW, "\n# The second", rest)
    assert capsys.readouterr().out.endswith(f"{path}:6: replaced\n")
    assert rule.endswith("first\n\n")
    path.write_bytes(text(RULE, "\n", NEW).encode())
    assert changed(path, "--remove", "1") == text(NEW)


def test_a_rule_with_several_actions_and_every_kind_of_value(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "file"
    event = """gesture = 7, twice = 0.5, tag = ["01ZK", "a \\" b"], profile = { "a b" = "ü", c = 'd' }, between = ["22:00", 06:30:00]"""
    text = changed(path, "--add", event, "--do", "run = ['a', \"b\"]", "--do", " led = 'red' ")
    assert text == (
        '[[on]]\ngesture = 7\ntwice = 0.5\ntag = ["01ZK", "a \\" b"]\nprofile = { "a b" = "ü", c = "d" }\n'
        "between = [\"22:00\", 06:30:00]\ndo = [\n  { run = ['a', \"b\"] },\n  { led = 'red' },\n]\n"
    )
    assert path.stat().st_mode & 0o777 == 0o600 and len(file.read(path).rules) == 1


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_change_keeps_comments_and_what_is_equal(tmp_path: Path, newline: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(EDITED.replace("\n", newline).encode())
    event = 'name = "n", gesture = "cover", twice = 1'
    edit.change(path, 6, edit.rule_of(event, ["media = 'next'", 'led = "red"']))
    head, rest = EDITED.split("do = [ # two")
    end = rest.partition("] # end")[2]
    done = "name = \"n\"\ntwice = 1\ndo = [\n  { media = 'next' },\n  { led = \"red\" },\n] # end"
    assert path.read_bytes().decode() == f"{head}{done}{end}".replace("\n", newline)
    edit.change(path, 6, edit.rule_of('gesture = "cover"', ["media = 'next'", 'led = "red"']))
    assert path.read_bytes().decode() == f"{head}{done[done.index('do') :]}{end}".replace("\n", newline)
    # A value in a table of its own is replaced with the rule.
    edit.change(path, 16, edit.rule_of('gear = "attached"', ['media = "play"']))
    replaced = '[[on]]\ngear = "attached"\ndo = { media = "play" }\n# Below the second.'.replace("\n", newline)
    assert replaced in path.read_bytes().decode()


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("line", [6, 17, 27])
def test_a_rule_is_switched_off_and_on_and_nothing_else_changes(tmp_path: Path, line: int, newline: str) -> None:
    path = tmp_path / "file"
    before = EDITED.replace("\n", newline).encode()
    path.write_bytes(before)
    edit.switch(path, line, False)
    rules = file.read(path)
    assert [rule.line for rule in rules.rules if not rule.is_enabled] == [line] and len(rules.active) == 2
    assert len(path.read_bytes().splitlines()) == len(before.splitlines()) + 1
    edit.switch(path, line, False)
    edit.switch(path, line, True)
    assert path.read_bytes() == before


def test_a_change_of_a_text_that_is_not_the_current_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(RULE)
    version = file.read(path).version
    assert version == toml_file.version_of(RULE) != toml_file.version_of("") != toml_file.version_of(None) == ""
    path.write_text(f"{RULE}# by an editor\n")
    for change in (
        lambda: edit.edit(path, 1, None, version),
        lambda: edit.edit(path, None, NEW, version),
        lambda: edit.change(path, 1, NEW, version),
        lambda: edit.switch(path, 1, False, version),
    ):
        with pytest.raises(Problem, match="has been changed by another program since it was shown"):
            change()
    assert path.read_text() == f"{RULE}# by an editor\n"


def test_a_rule_with_a_fader_is_added(tmp_path: Path) -> None:
    path = tmp_path / "file"
    assert changed(path, "--add", 'fader = "relative"', "--do", 'volume = "fader"').endswith('do = { volume = "fader" }\n')
    assert status_of(["run", str(path), "--add", 'gesture = "cover"', "--do", 'volume = "fader"']) == exits.USAGE


def test_mode_and_symbolic_link_are_kept(tmp_path: Path) -> None:
    path, target = tmp_path / "link", tmp_path / "folder" / "target"
    target.parent.mkdir()
    target.write_text(RULE)
    target.chmod(0o640)
    path.symlink_to("folder/target")
    changed(path, *ADD)
    assert path.is_symlink() and target.read_text() == f"{RULE}\n{NEW}" and target.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in target.parent.iterdir()] == ["target"]


@pytest.mark.parametrize(
    "words, message",
    [
        (["--add", "gesture = 'covr'", "--do", "media = 'next'"], "This is not a rule: 'covr' is not one of"),
        (["--add", "gesture = 'cover'", "--do", "media = 'nxt'"], "This is not a rule: 'nxt' is not one of next, "),
        (["--add", "gesture = 'cover' }\nx = { y = 1", "--do", "media = 'next'"], "This is not a rule: the event is more than one"),
        (["--add", "gesture = 'cover', do = {}", "--do", "media = 'next'"], "This is not a rule: "),
        (["--add", "gesture = 'cover'", "--do", "media = 'next'"], ":5: [[on]] number 2: the same rule is in line 1"),
        (["--add", "gesture = 'cover'"], "--add EVENT needs --do ACTION"),
        (["--do", "media = 'next'"], "--add EVENT needs --do ACTION"),
        (["--remove", "2"], ":2: no rule begins in line 2; rules begin in lines 1"),
        (["--remove", "1", "--once"], "--add and --remove only change the file: leave the other options out."),
    ],
    ids=str,
)
def test_changes_that_are_refused_change_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    path = tmp_path / "file"
    path.write_text(RULE)
    assert status_of(["run", str(path), *words]) == exits.USAGE
    assert message in capsys.readouterr().err
    assert path.read_text() == RULE and list(tmp_path.iterdir()) == [path]


def test_an_invalid_file_and_one_with_scattered_rules_are_not_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file"
    texts = {"[[on": "1: ", f"{RULE}[settings]\n[on.profile]\na = 'b'\n": "1: other tables are between the parts of this rule"}
    for text, message in texts.items():
        path.write_text(text)
        assert status_of(["run", str(path), "--remove", "1"]) == exits.USAGE
        assert f"{path}:{message}" in capsys.readouterr().err and path.read_text() == text


@pytest.mark.parametrize("before", [RULE, None], ids=["changed", "created"])
def test_a_file_that_has_changed_since_it_was_read_is_not_replaced(
    before: str | None,
    tmp_path: Path,
    changed_meanwhile: Callable[[Path, str], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "file"
    if before is not None:
        path.write_text(before)
    changed_meanwhile(path, "# by an editor\n")
    assert status_of(["run", str(path), *ADD]) == exits.USAGE
    assert "has just been changed by another program; nothing was written: try again" in capsys.readouterr().err
    assert path.read_text() == "# by an editor\n" and list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_the_file_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text(RULE)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert status_of(["run", str(path), *ADD]) == exits.FAILED
    assert path.read_text() == RULE and list(tmp_path.iterdir()) == [path]
