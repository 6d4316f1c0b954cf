"""Files of rules that are refused."""

from __future__ import annotations

import os
import random
import re
import string
from pathlib import Path
from typing import Any

import pytest
from jacquard_apps.terminal import exits
from jacquard_automations import action, file, toml_file
from jacquard_automations.actions import READERS
from jacquard_automations.commands.run import EXAMPLES, example
from jacquard_automations.events import READERS as EVENTS
from jacquardctl.running import status_of
from test_automations_file import RULE, problem, problems

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
