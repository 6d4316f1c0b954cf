"""How jacquardctl understands its words: what is refused, and with which message."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import ctl
import pytest
from jacquard_apps.terminal import exits
from jacquardctl.parser import parser
from simulator import SERIAL, Simulator

ADDRESS = "C0:1A:DA:00:00:00"


@pytest.fixture
def bound(simulator_for_module: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Simulator:
    """A simulator with one bound tag, which may therefore be omitted."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    assert ctl.run(simulator_for_module, "bind", SERIAL).returncode == exits.OK
    return simulator_for_module


def complaint(simulator: Simulator, status: int, *words: str) -> str:
    """The error message of a failed command."""
    ran = ctl.run(simulator, *words)
    assert (ran.returncode, ran.stdout) == (status, ""), ran
    assert ran.stderr
    return ran.stderr


# A forgotten word


@pytest.mark.parametrize(
    "words, missing",
    [
        (["rename", SERIAL], "NAME"),
        (["rename", "Jacquard-01ZK"], "NAME"),
        (["rename", ADDRESS], "NAME"),
        (["rename", "c0:1a:da:00:00:01"], "NAME"),
        (["rename", "1ae7dc88-c143-75d1-ea86-2ce103737190"], "NAME"),
        (["rename", "--json", "zk"], "NAME"),
        (["record", SERIAL], "FILE"),
        (["record", SERIAL, "--force", "--for", "1"], "FILE"),
        (["config", "get", SERIAL], "KEY"),
        (["config", "set", SERIAL, "key"], "VALUE"),
        (["module", "load", SERIAL], "MODULE"),
        (["module", "unload", SERIAL], "MODULE"),
        (["module", "delete", SERIAL, "--yes"], "MODULE"),
        (["module", "install", SERIAL, "--yes"], "FILE"),
        (["firmware", "check", SERIAL], "FILE"),
        (["firmware", "install", SERIAL, "--yes"], "FILE"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_tag_alone_does_not_stand_for_the_next_word(
    bound: Simulator, tmp_path: Path, words: list[str], missing: str
) -> None:
    before = bound.tell("journal requests")
    text = complaint(bound, exits.USAGE, *words)
    word = next(word for word in words[::-1] if word not in ("--yes", "--force", "--for", "1", "key"))
    assert f"{missing} is missing: {word} selects a tag." in text
    assert bound.tell("journal requests") == before
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_a_forgotten_word_is_named_when_several_tags_are_bound(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with Simulator("--tags", "2") as simulator:
        serials = [line["serial"] for line in ctl.objects(ctl.run(simulator, "scan", "--json", "--timeout", "2").stdout)]
        for serial in serials:
            assert ctl.run(simulator, "bind", serial).returncode == exits.OK
        assert len(serials) == 2
        assert "NAME is missing: " in complaint(simulator, exits.USAGE, "rename", serials[0])
        assert "TAG is missing. " in complaint(simulator, exits.USAGE, "rename", "Hugo")


def test_blanks_around_a_serial_number_are_ignored(bound: Simulator) -> None:
    assert ctl.run(bound, "battery", f" {SERIAL} ").returncode == exits.OK


def test_names_that_cannot_be_seen_are_refused(bound: Simulator) -> None:
    for name in ("a\nb", "\x1b[31m", "\t", " "):
        assert "name " in complaint(bound, exits.USAGE, "rename", SERIAL, name)


def test_a_word_that_is_no_tag_stands_for_the_next_word(bound: Simulator) -> None:
    assert ctl.run(bound, "config", "set", "mode", SERIAL).returncode == exits.OK
    assert ctl.run(bound, "config", "get", "mode").stdout == f"{SERIAL}\n"
    assert ctl.run(bound, "config", "set", SERIAL, SERIAL, "1").returncode == exits.OK
    assert ctl.run(bound, "config", "get", SERIAL, SERIAL).stdout == "1\n"


def test_a_recording_of_the_only_bound_tag(bound: Simulator, tmp_path: Path) -> None:
    for name in ("walk", "run", "zk"):
        bound.tell(f"session {name} samples 20")
    assert ctl.run(bound, "motion", "download", "walk", "run", "--timeout", "9").returncode == exits.OK
    assert sorted(path.name.split("-")[1] for path in tmp_path.glob("*.bin")) == ["run", "walk"]
    assert ctl.run(bound, "motion", "erase", "walk", "--yes", "--timeout", "9").returncode == exits.OK
    assert [line.split()[0] for line in ctl.run(bound, "motion", "sessions").stdout.splitlines()[1:]] == ["run", "zk"]
    text = complaint(bound, exits.USAGE, "motion", "download", "sit", "--timeout", "9")
    assert text == "jacquardctl: The tag has no recording ‘sit’: see jacquardctl motion sessions.\n"
    # Words that select a tag do not stand for a recording.
    for word in (SERIAL, "zk", ADDRESS):
        assert "NAME or --all is required" in complaint(bound, exits.USAGE, "motion", "erase", word, "--yes")
    assert "NAME or --all is required" in complaint(bound, exits.USAGE, "motion", "erase", "--yes")
    assert "Either NAME or --all" in complaint(bound, exits.USAGE, "motion", "erase", "run", "--all", "--yes")
    assert ctl.run(bound, "motion", "erase", "--all", "--yes").returncode == exits.OK


@pytest.mark.parametrize("words", [["battery", SERIAL], ["scan", "--timeout", "1"], ["doctor", "--timeout", "1"]])
def test_known_tags_that_cannot_be_read(
    simulator_for_module: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str]
) -> None:
    """Tags in range are still found, and the file is named."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "jacquard" / "state.json").mkdir(parents=True)
    ran = ctl.run(simulator_for_module, *words)
    assert ran.returncode == exits.OK and ran.stdout
    assert "state.json" in (ran.stdout if words[0] == "doctor" else ran.stderr)


@pytest.mark.parametrize("action", ["check", "install"])
def test_several_files_without_a_tag(bound: Simulator, tmp_path: Path, action: str) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(bytes(8))
        words = ["--vendor", "00-00-00-01", "--product", "00-00-00-02", "--version", "1.0.0"]
        assert ctl.run(bound, "firmware", "manifest", name, *words).returncode == exits.OK
    text = complaint(bound, exits.USAGE, "firmware", action, "a", "b", "--timeout", "5", *["--yes"][: action == "install"])
    assert "Two images are for the same component" in text


# Help and messages


def test_the_usage_shows_that_the_tag_may_be_omitted(simulator: Simulator) -> None:
    assert ctl.run(simulator, "rename", "--help").stdout.split("\n\n")[0].endswith(" [TAG] NAME")
    assert "usage: jacquardctl rename" in complaint(simulator, exits.USAGE, "rename")
    assert "arguments are required: NAME" in complaint(simulator, exits.USAGE, "rename")


def test_words_that_may_be_omitted_are_not_required(simulator: Simulator) -> None:
    for words, missing in ((["replay"], "FILE"), (["motion", "download", "--json", "--x"], "TAG")):
        assert complaint(simulator, exits.USAGE, *words).endswith(f"arguments are required: {missing}\n")


def test_an_image_without_a_manifest(simulator: Simulator, tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(bytes(8))
    for words in (["firmware", "info"], ["firmware", "check", SERIAL], ["module", "install", SERIAL, "--yes"]):
        text = complaint(simulator, exits.USAGE, *words, str(image))
        assert text == f"jacquardctl: The manifest {image}.json is missing: see jacquardctl firmware manifest.\n"


def test_a_file_that_is_no_motion_recording(simulator: Simulator, tmp_path: Path) -> None:
    for words in (["show", __file__], ["convert", __file__, str(tmp_path / "out.csv")], ["convert", __file__, "-"]):
        text = complaint(simulator, exits.FAILED, "motion", *words)
        assert text.startswith(f"jacquardctl: {__file__} is not a motion file: ") and "Remove" not in text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["record", SERIAL], ["record", SERIAL, "--force"], ["motion", "stream", SERIAL, "--output"]])
def test_a_directory_is_not_a_file(simulator: Simulator, tmp_path: Path, words: list[str]) -> None:
    text = complaint(simulator, exits.USAGE, *words, str(tmp_path))
    assert str(tmp_path) in text and "directory" in text and "--force" not in text


# Words that would be accepted in silence


def arguments_of(command: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.Action]]:
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from arguments_of(below)
        elif action.nargs != 0 and action.choices is None:
            yield f"{command.prog} {action.metavar or action.dest}", action


ARGUMENTS = dict(arguments_of(parser()))


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_empty_text_is_refused(argument: str) -> None:
    # A stored value may be empty.
    if argument == "jacquardctl config set VALUE":
        return
    action = ARGUMENTS[argument]
    if action.dest == "on" and action.type is None:
        return  # checked by its action, see below
    with pytest.raises((argparse.ArgumentTypeError, ValueError, TypeError)):
        (action.type or str)("")  # type: ignore[operator]


@pytest.mark.parametrize(
    "words",
    [
        ["bind", SERIAL, "--profile", "a=1", "--profile", "a=2"],
        ["config", "write", SERIAL, "queue-depth=1", "queue-depth=2"],
        ["motion", "stream", SERIAL, "--for", "1", "--csv", "--json"],
        ["motion", "convert", __file__, "-", "--json"],
        ["motion", "record", SERIAL, "--gyroscope-rate", "0"],
        ["led", SERIAL, "off", "--intensity", "50"],
        ["led", SERIAL, "off", "--duration", "3"],
        ["led", SERIAL, "off", "--toggle"],
        ["led", SERIAL, "red:0.3", "--duration", "3"],
        ["watch", SERIAL, "--for", "1", "--on", "cover", ""],
        ["watch", SERIAL, "--for", "1", "--on", "", "true"],
        ["watch", SERIAL, "--for", "1", "--on", "cover", "--led", ""],
        ["watch", SERIAL, "--for", "1", "--on", "cover", "--haptic", ""],
        ["watch", SERIAL, "--for", "1", "--on", "cover", "--led", "off --pattern breathe"],
        ["replay", __file__, "--scenario", "--", "true"],
        ["replay", __file__, "--scenario", "--speed", "2"],
        ["replay", __file__, "--speed", "0"],
        ["replay", __file__, "--speed", "nan"],
        ["board", "--simulate", "--no-browser", "--adapter", "00:1A:7D:DA:71:13"],
        ["record", SERIAL, "-", "--force"],
        ["unbind", SERIAL, "--timeout", "5"],
        ["led", SERIAL, "red", "--all"],
        ["led", "--all", SERIAL, "red"],
        ["haptic", SERIAL, "alert", "--all"],
        ["watch", SERIAL, "--all", "--for", "1"],
        ["watch", SERIAL, SERIAL.lower(), "--for", "1"],
    ],
    ids=" ".join,
)
def test_words_without_effect_are_refused(simulator_for_module: Simulator, words: list[str]) -> None:
    text = complaint(simulator_for_module, exits.USAGE, *words)
    assert "recording" not in text, "refused for another reason"
