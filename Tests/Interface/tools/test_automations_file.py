"""The file of jacquardctl run: what it may contain, and the messages about what is wrong."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import pytest
from jacquard_apps.terminal import exits
from jacquard_automations import file, lines, toml_file
from jacquard_automations.actions import MODULES as ACTIONS, READERS
from jacquard_automations.commands.run import EXAMPLES, example
from jacquard_automations.events import READERS as EVENTS
from jacquard_automations.rules import Source
from jacquard_automations.table import Problem
from jacquardctl.parser import parsed
from jacquardctl.running import status_of

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
    conditions = 'tag = ["01ZK", "x"], profile = { a = "b" }, locked = true, between = ["22:00", 06:30:00], rate = 3'
    assert rule.source == Source("gesture = 7, twice = 0.5", conditions, ('run = ["a"], time_limit = 0', 'media = "next", player = "mpv"'))
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
    # Tags and services may be there later, so the file is valid.
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
