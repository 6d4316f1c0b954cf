"""The file of jacquardctl run: what it may contain, and the messages about what is wrong."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import shutil
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jacquard_apps.terminal import exits
from jacquard_automations import action, file, lines, toml_file
from jacquard_automations.actions import MODULES as ACTIONS, READERS
from jacquard_automations.commands.run import EXAMPLES, example
from jacquard_automations.events import READERS as EVENTS
from jacquard_automations.table import Problem
from jacquardctl.parser import parsed
from jacquardctl.running import status_of

# Of a part of dbus-fast that is not used.
pytestmark = pytest.mark.filterwarnings("ignore:DynamicImporter:ImportWarning")
RULE = '[[on]]\ngesture = "cover"\ndo = { media = "next" }\n'


def problems(text: str) -> list[str]:
    with pytest.raises((Problem, toml_file.Problems)) as found:
        file.parse(text)
    several = found.value.all if isinstance(found.value, toml_file.Problems) else [found.value]
    return [f"{problem.line}: {problem}" for problem in several if isinstance(problem, Problem)]


def problem(text: str) -> str:
    (only,) = problems(text)
    return only


# What is accepted


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_valid_and_explained(name: str) -> None:
    text = example(name)
    assert len(file.parse(text).rules) >= 3
    assert sum(line.startswith("#") for line in text.splitlines()) >= 4


def test_examples_show_every_action_and_every_event() -> None:
    text = "\n".join(map(example, EXAMPLES))
    assert [key for key in (*READERS, *EVENTS) if f"{key} = " not in text] == []


def test_a_file_may_be_empty() -> None:
    assert file.parse("").rules == file.parse("# nothing\n[settings]\n").rules == ()


def test_all_of_a_rule() -> None:
    (rule,) = file.parse(
        '[[on]]\nname = "n"\ngesture = 7\ntwice = 0.5\ntag = ["01ZK", "x"]\nprofile = { a = "b" }\nlocked = true\n'
        'between = ["22:00", 06:30:00]\nrate = 3\ndo = [{ run = ["a"], time_limit = 0 }, { media = "next", player = "mpv" }]\n'
    ).rules
    assert (rule.label, rule.rate, rule.locked, rule.selection.words) == ("n", 3, True, ("01ZK", "x"))
    assert [str(one) for one in rule.actions] == ['run = ["a"], time_limit = 0.0', 'media = "next", player = "mpv"']
    assert rule.hours is not None and str(rule.trigger) == "7 twice"


def test_actions_are_printed_as_they_are_written() -> None:
    written = [
        'run = ["a", "b \\" c"]',
        'shell = "a | b"',
        'led = "teal:0.3"',
        'haptic = "alert"',
        'media = "pause"',
        'volume = "-5%"',
        'key = "ctrl+m", hold = 1',
        "scroll = -3, horizontal = true",
        'mqtt = "a/b", payload = "x", qos = 1, retain = true',
        'osc = "/a/b", to = "localhost:9000", value = 0.5',
        'osc = "/a/b", to = "[::1]:9000", value = [1, "x"]',
        'midi = { note = "C4" }, api = "jack"',
        "midi = { cc = 7, value = 3, channel = 16 }",
    ]
    actions = ", ".join(f"{{ {one} }}" for one in written)
    (rule,) = file.parse(f'[[on]]\ngesture = "cover"\ndo = [{actions}]\n').rules
    assert [str(one) for one in rule.actions] == written


def test_lines_of_every_form_of_toml() -> None:
    text = "\n".join(
        [
            "a = 1",
            '"b c".d = [',
            "  { e = '''",
            "x''' }, # [",
            '  { f = "]" },',
            "]",
            "[t.u]",
            "g = { h = 2021-01-01 00:00:00, i = [1, 2] }",
            "[[v]]",
            "[[v]]",
            "[v.w]",
            'j = """\\"""',
            '"""',
            "k = 1",
        ]
    )
    found = toml_file.values(text)[1]
    wanted = {
        ("a",): 1,
        ("b c", "d", 0, "e"): 3,
        ("b c", "d", 1, "f"): 5,
        ("t", "u", "g", "h"): 8,
        ("t", "u", "g", "i", 1): 8,
        ("v", 0): 9,
        ("v", 1): 10,
        ("v", 1, "w", "j"): 12,
        ("v", 1, "w", "k"): 14,
    }
    assert {path: line for path, line in found.items() if path in wanted} == wanted


def test_a_rule_can_follow_a_fader() -> None:
    actions = ['volume = "fader"', 'scroll = "fader"', 'osc = "/a", to = "9000"', "midi = { cc = 7 }"]
    text = ", ".join(f"{{ {one} }}" for one in actions)
    (rule,) = file.parse(f'[[on]]\nfader = "relative"\nlines = [11, 6]\nsteps = 10\nrate = 30\ndo = [{text}]').rules
    assert [str(one) for one in rule.actions] == actions
    assert str(rule.trigger) == "relative fader" and rule.trigger.needs_touches


def test_a_rule_may_need_held_lines() -> None:
    text = "".join(
        f"[[on]]\n{event}\nwhile_held = {lines}\ndo = {{ media = 'next' }}\n"
        for event, lines in [("gesture = 'cover'\ntwice = 1", 3), ("touch = 'tap'", [2, 0]), ("gesture = 'any'", [6, 11])]
    )
    rules = file.parse(text).rules
    assert [rule.trigger.held for rule in rules] == [(3, 3), (0, 2), (6, 11)]
    assert all(rule.trigger.needs_touches for rule in rules)
    assert [str(rule.trigger) for rule in rules] == [
        "cover twice while line 3 is held",
        "touch tap while lines 0 to 2 are held",
        "any while lines 6 to 11 are held",
    ]
    genie = "genie: a tag of the rule in line 1 (cover twice while line 3 is held) is in touch mode, and reports no such gesture"
    obstacles = file.parse(text + RULE.replace("cover", "genie")).obstacles()
    assert [(obstacle.line, str(obstacle)) for obstacle in obstacles] == [(text.count("\n") + 1, genie)]


def test_rules_that_a_fader_silences_are_named() -> None:
    fader = '[[on]]\nfader = "absolute"\ndo = { volume = "fader" }\n'
    genie = RULE.replace("cover", "genie")
    others = genie.replace("do", "tag = 'T002'\ndo") + RULE  # the last one is derived from touches
    obstacles = file.parse(genie + fader.replace("do", "tag = 'T001'\ndo") + others).obstacles()
    text = "genie: a tag of the rule in line 4 (absolute fader) is in touch mode, and reports no such gesture"
    assert [(obstacle.line, str(obstacle)) for obstacle in obstacles] == [(1, text)]


# What is refused


@pytest.mark.parametrize(
    "text, message",
    [
        ("a = [", "1: Invalid value"),
        ("x = 1", "1: key x: unknown key; expected mqtt, settings, on"),
        ("[setings]", "1: key setings: unknown key; did you mean settings?"),
        ("[settings]\n\nrates = 1", "3: [settings], key rates: unknown key; did you mean rate?"),
        ("[settings]\nrate = 0", "2: [settings], key rate: 0 is out of range; expected 1 to 100"),
        ("on = 3", "1: key on: 3 is not a list of tables"),
        ("[on]\ngesture = 'cover'", "1: key on: {'gesture': 'cover'} is not a list of tables"),
        ("[[on]]\ngesture = 'cover'", "1: [[on]] number 1: the key do is missing"),
        ("[[on]]\ngesture = 'cover'\ndoo = {}", "3: [[on]] number 1, key doo: unknown key; did you mean do?"),
        ("[[on]]\n\ngestur = 'cover'", "3: [[on]] number 1, key gestur: unknown key; did you mean gesture?"),
        (RULE.replace("cover", "covr"), "did you mean cover?"),
        (RULE.replace("next", "nxt"), "3: [[on]] number 1, key do.media: 'nxt' is not one of next, previous, "),
        (RULE.replace("media", "medai"), "3: [[on]] number 1, key do.medai: unknown key; did you mean media?"),
        (RULE + "[[on]]\ngear = 'on'", "5: [[on]] number 2, key gear: 'on' is not one of attached, detached"),
        (RULE + "locked = 1", "4: [[on]] number 1, key locked: 1 is neither true nor false"),
        (RULE + "between = ['8', '9']", '4: [[on]] number 1, key between: expected two times of day'),
        (RULE + 'name = "two\\nlines"', "4: [[on]] number 1, key name: 'two\\nlines' is not one line of printable characters"),
        (RULE + "held = 3", "4: [[on]] number 1, key held: unknown key; expected"),
        (RULE + "while_hold = 3", "4: [[on]] number 1, key while_hold: unknown key; did you mean while_held?"),
        (RULE + "while_held = 12", "4: [[on]] number 1, key while_held: 12 is neither a line, 0 to 11, nor the first and the last one"),
        (RULE + "while_held = [1, 2, 3]", "4: [[on]] number 1, key while_held: [1, 2, 3] is neither a line"),
        (RULE + "while_held = [0, 6]", "4: [[on]] number 1, key while_held: [0, 6] leaves too few lines for gestures"),
        (RULE.replace("cover", "genie") + "while_held = 0", "4: [[on]] number 1, key while_held: genie is not derived from touches"),
        (RULE + "gear = 'attached'", "4: [[on]] number 1, key gear: gesture and gear exclude each other"),
        (RULE.replace('media = "next"', 'volume = "fader"'), "3: [[on]] number 1, key do.volume: only a rule with the event fader"),
        (RULE.replace('media = "next"', 'scroll = "fader"'), "3: [[on]] number 1, key do.scroll: only a rule with the event"),
        (RULE.replace("gesture = \"cover\"", "fader = 'relativ'"), "2: [[on]] number 1, key fader: 'relativ' is not one of absolute, relative; did you mean relative?"),
        (RULE.replace("gesture = \"cover\"", "fader = 'relative'\nlines = [3, 4]"), "3: [[on]] number 1, key lines: the lines 3 to 4 are too few; expected at least 3"),
        (RULE.replace("gesture = \"cover\"", "fader = 'relative'\nsteps = 128"), "3: [[on]] number 1, key steps: 128 is out of range; expected 2 to 127"),
        (RULE.replace('media = "next"', 'osc = "a"'), "3: [[on]] number 1, key do.osc: 'a' is not the address of an OSC message"),
        (RULE.replace('media = "next"', 'osc = "/a"'), "3: [[on]] number 1, key do: the key to is missing"),
        (RULE.replace('media = "next"', 'osc = "/a", to = "x"'), "3: [[on]] number 1, key do.to: 'x' is not [HOST:]PORT"),
        (RULE.replace('media = "next"', 'osc = "/a", to = "1", value = true'), "3: [[on]] number 1, key do.value[1]: true is neither"),
        (RULE.replace('media = "next"', 'midi = "C4"'), "3: [[on]] number 1, key do.midi: 'C4' is not a table"),
        (RULE.replace('media = "next"', "midi = { not = 'C4' }"), "3: [[on]] number 1, key do.midi.not: unknown key; did you mean note?"),
        (RULE.replace('media = "next"', "midi = { mmc = 'go' }"), "3: [[on]] number 1, key do.midi.mmc: 'go' is not one of"),
        (RULE + RULE, "4: [[on]] number 2: the same rule is in line 1"),
        (RULE.replace("media", "run"), "3: [[on]] number 1, key do.run: expected a list of words"),
        (RULE.replace('media = "next"', "run = []"), "3: [[on]] number 1, key do.run: must not be empty"),
        (RULE.replace('media = "next"', 'led = "taupe"'), "3: [[on]] number 1, key do.led: argument COLOR: 'taupe'"),
        (RULE.replace('media = "next"', 'volume = "loud"'), '3: [[on]] number 1, key do.volume: "loud" is neither a level'),
        (RULE.replace('media = "next"', 'key = "ctl+m"'), "3: [[on]] number 1, key do.key: 'ctl' is not a key; did you mean ctrl?"),
        (RULE.replace('media = "next"', "scroll = 0"), "3: [[on]] number 1, key do.scroll: 0 steps do nothing"),
        (RULE.replace('media = "next"', 'mqtt = "a/#"'), "3: [[on]] number 1, key do.mqtt: 'a/#' is not the topic"),
        (RULE.replace('media = "next"', "dbus = { }"), "3: [[on]] number 1, key do.dbus: the key destination is missing"),
        ("[mqtt]\nhots = 1", "2: [mqtt], key hots: unknown key; did you mean host?"),
        ("[mqtt]\nhost = 1", "2: [mqtt], key host: 1 is not of type 'string'"),
        ("[mqtt]\npassword = 'x'", "1: [mqtt]: a password needs a username"),
        ("\n" * 9 + "x = " + "9" * 5000, "10: the line is longer than 4000 characters"),
        ("x = " + "[\n" * 100 + "]\n" * 100, "51: values are nested too deeply"),
        ("x = " + "[" * 100 + "]" * 100, "1: values are nested too deeply"),
    ],
    ids=lambda value: value[:40].split("\n")[-1] or "text",
)  # fmt: skip
def test_messages_name_line_table_key_and_the_nearest_word(text: str, message: str) -> None:
    assert message in problem(text)


def test_each_wrong_rule_is_reported() -> None:
    text = RULE.replace("cover", "covr") + RULE.replace("media", "medai") + "[[on]]\n"
    assert [line.split(":")[0] for line in problems(text)] == ["2", "6", "7"]


@pytest.mark.parametrize("kind", ["missing", "directory", "pipe", "binary", "large", "unreadable link"])
def test_what_is_not_a_file_of_text(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file"
    if kind == "directory":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "binary":
        path.write_bytes(b"a = 1\nb = '\xff'\n")
    elif kind == "large":
        path.write_bytes(b"#\n" * (toml_file.LARGEST // 2 + 1))
    elif kind == "unreadable link":
        path.symlink_to(path)
    with pytest.raises(toml_file.Invalid) as found:
        file.read(path)
    assert str(found.value).startswith(f"{path}:{2 if kind == 'binary' else 1}: ")


HOSTILE: list[Any] = [
    None, True, -1, 0, 1e400, float("nan"), 2**70, "", "\0", "x" * 200, "\x1b[2J", "💡", "../..", "%s%n", [], [[]], {}, [{}],
    {"a": 1}, [1, "a"], [None], "01ZK", ["", ""], {"": ""},
]  # fmt: skip


def toml(value: Any) -> str:
    if value is None:
        return "2021-01-01"
    if isinstance(value, dict):
        return "{" + ", ".join(f"'{key}' = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, str):
        return '"' + "".join(f"\\u{ord(one):04x}" if ord(one) < 32 else one for one in value) + '"'
    return f"[{', '.join(map(toml, value))}]" if isinstance(value, list) else action.toml(value)


def hostile_files() -> list[str]:
    """Wrong values of every key, and text that is cut off, repeated or replaced; always the same files."""
    chance = random.Random(35)
    keys = ["name", "gesture", "twice", "gear", "battery_below", "away_for", "tag", "profile", "between", "locked", "rate"]
    found = [f"{RULE}{key} = {toml(value)}\n" for key in keys[2:] for value in chance.sample(HOSTILE, 6)]
    keys = [*READERS, *EVENTS]
    found += [f'[[on]]\ngesture = "cover"\ndo = {{ {key} = {toml(value)} }}\n' for key in READERS for value in chance.sample(HOSTILE, 6)]
    found += [f"[[on]]\n{key} = {toml(value)}\n" for key in EVENTS for value in chance.sample(HOSTILE, 6)]
    found += [f"[{table}]\n{key} = {toml(chance.choice(HOSTILE))}\n" for table in ("mqtt", "settings") for key in ("rate", "host", "tls", "port", "parallel")]
    for _ in range(150):
        text = example(chance.choice(EXAMPLES))
        start, length = chance.randrange(len(text)), chance.randrange(1, 20)
        middle = "".join(chance.choices(string.printable + "\0[]{}\"'=", k=chance.randrange(8)))
        found.append(text[:start] + middle + text[start + length :])
    return found


def test_hostile_files_are_refused_with_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At least 200 files; some mutations of an example are valid."""
    path, refused = tmp_path / "automations.toml", 0
    for text in hostile_files():
        path.write_text(text, encoding="utf-8")
        status = status_of(["run", "--check", str(path)])
        shown, complaint = capsys.readouterr()
        if status == exits.OK:
            assert re.fullmatch(f"{re.escape(str(path))}: valid, (1 rule|(?!1 )[0-9]+ rules)\n", shown)
            continue
        refused += 1
        assert (status, shown) == (exits.USAGE, ""), text
        for line in complaint.splitlines():
            name, number, message = line.removeprefix("jacquardctl: ").removeprefix(f"{path}:").partition(":")
            assert line.startswith(f"jacquardctl: {path}:") and 1 <= int(name) <= text.count("\n") + 1, (text, line)
            assert number == ":" and "Traceback" not in message and line.isprintable()
    assert refused >= 200


# Commands


def test_examples_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["run", "--example", "media"]) == exits.OK
    assert capsys.readouterr().out == example("media")


def test_the_default_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "jacquard" / "automations.toml"
    assert file.default_path() == path
    assert status_of(["run", "--check"]) == exits.USAGE
    assert f"To begin with an example: mkdir -p {path.parent} && jacquardctl run --example media > {path}\n" in capsys.readouterr().err
    monkeypatch.delenv("XDG_CONFIG_HOME")
    assert file.default_path() == Path.home() / ".config" / "jacquard" / "automations.toml"


def test_problems_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file"
    path.write_text("x = 1")
    assert status_of(["run", "--check", "--json", str(path)]) == exits.USAGE
    wanted = '{"error": {"message": "unknown key; expected mqtt, settings, on", "file": "%s", "line": 1, "place": "key x"}}\n'
    assert capsys.readouterr().err == wanted % path


# The constructor of dbus-fast's MessageBus leaves its socket open if it fails.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_check_names_programs_tags_and_services_that_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/none")
    path = tmp_path / "file"

    status, shown = -1, ""

    def check(*words: str) -> list[str]:
        nonlocal status, shown
        status = status_of(["run", "--check", *words, str(path)])
        shown, complaint = capsys.readouterr()
        return [line.removeprefix(f"jacquardctl: {path}:") for line in complaint.splitlines()]

    path.write_text("[[on]]\ngesture = 'cover'\ndo = { run = ['no-such-program'] }\n")
    missing = '1: run = ["no-such-program"]: the program no-such-program was not found, or cannot be executed'
    assert check() == [missing] and (status, shown) == (exits.USAGE, "")
    # The rest may be there later.
    path.write_text("[[on]]\ngesture = 'cover'\ndo = { run = ['true'] }\n")
    none = "no tag is bound to this machine: see jacquardctl bind"
    assert check() == [f"1: {none}"] and (status, shown) == (exits.OK, f"{path}: valid, 1 rule\n")
    path.write_text("[[on]]\ngesture = 'cover'\ntag = '01ZK'\ndo = [{ media = 'next' }, { media = 'stop' }]\n")
    tag, bus = check()
    assert tag == "1: no tag 01ZK is bound to this machine: see jacquardctl bind"
    assert bus.startswith('1: media = "next": the session bus cannot be used: ')
    errors = [json.loads(line)["error"] for line in check("--json")]
    assert [error["line"] for error in errors] == [1, 1]
    assert json.loads(shown) == {"file": str(path), "valid": True, "rules": 1}


def test_a_missing_library_is_named_by_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    path = tmp_path / "file"
    path.write_text("".join(map(example, EXAMPLES)))
    assert status_of(["run", "--check", str(path)]) == exits.OK
    shown = capsys.readouterr().err
    for package in ("python3-dbus-fast", "python3-evdev", "jacquard-mqtt"):
        assert shown.count(f"the package {package} is not installed. Run: sudo apt install {package}\n") == 1


def test_a_missing_program_refuses_only_what_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name in ("wpctl", "pactl") else which(name))
    path = tmp_path / "file"
    path.write_text(example("media"))
    status = status_of(["run", "--check", str(path)])
    shown, complaint = capsys.readouterr()
    assert (status, shown) == (exits.OK, f"{path}: valid, 6 rules\n")
    assert complaint.count("neither wpctl nor pactl is installed. Run: sudo apt install wireplumber") == 1
    path.write_text("[[on]]\ngesture = 'cover'\ndo = { volume = '+5%' }\n")
    assert status_of(["run", "--check", str(path)]) == exits.USAGE


def test_files_are_read_with_tomlkit_before_python_3_11() -> None:
    pytest.importorskip("tomlkit", reason="python3-tomlkit is not installed")
    for name in EXAMPLES:
        assert toml_file.loaded_with_tomlkit(example(name)) == toml_file.loaded(example(name))
    with pytest.raises(Problem) as found:
        toml_file.loaded_with_tomlkit("a = 1\nb = \n")
    assert found.value.line == 2


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


@pytest.mark.parametrize("words", [["--check", "--enable"], ["--example", "tea"], ["--check", "--dry-run"]])
def test_wrong_words(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(["run", *words])


def test_each_kind_is_a_module_of_its_folder() -> None:
    assert set(READERS) == {key for module in ACTIONS for key in module.KEYS}
    assert lines.of("") == {}


def test_an_integer_of_3000_digits_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "file"
    path.write_text(f"[[on]]\ngesture = 'cover'\ntwice = {'9' * 3000}\ndo = {{ led = 'red' }}\n")
    assert status_of(["run", "--check", str(path)]) == exits.USAGE
    assert capsys.readouterr().err.startswith(f"jacquardctl: {path}:3: [[on]] number 1, key twice: 9999")


def test_a_byte_order_mark_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes("\ufeff[[on]]\ngesture = 'cover'\ndo = { led = 'red' }\n".encode())
    assert len(file.read(path).rules) == 1
    assert status_of(["run", "--add", "\ufeffgesture = 'brush-in'\n", "--do", "led = 'blue'\n", str(path)]) == exits.OK
    assert len(file.read(path).rules) == 2 and path.read_bytes().startswith("\ufeff[[on]]".encode())


def test_the_first_hint_works_on_a_new_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "a b"))
    assert status_of(["run"]) == exits.USAGE
    path = tmp_path / "a b" / "jacquard" / "automations.toml"
    command = f"mkdir -p '{path.parent}' && jacquardctl run --example media > '{path}'"
    assert capsys.readouterr().err.endswith(f"To begin with an example: {command}\n")

