"""Completions and manual pages match the programs, and shells and groff accept them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import documents
import places
import pytest
from command import Command

PAGES = {"jacquardctl": documents.jacquardctl(), "jacquard-mqtt": documents.jacquard_mqtt(), "jacquard-sim": documents.jacquard_sim([str(places.SIMULATOR)])}
SHELLS = {"bash": "{}.bash", "zsh": "_{}", "fish": "{}.fish"}


def run(*words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=60, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documents, which are made by Debian's Python without any other package, as `make install` and the package builder do."""
    folder = tmp_path_factory.mktemp("documents")
    made = run("/usr/bin/python3", "-S", "-B", str(places.TOOLS / "documents"), str(folder), str(places.SIMULATOR))
    assert (made.returncode, made.stderr) == (0, "")
    return folder


@pytest.mark.parametrize("name", PAGES)
def test_every_command_and_option_is_in_the_manual(folder: Path, name: str) -> None:
    page = (folder / f"{name}.1").read_text().replace("\\-", "-")
    text = run("groff", "-man", "-Tascii", "-rLL=200n", "-P-cbou", str(folder / f"{name}.1")).stdout
    for path, command in PAGES[name].walk():
        if command.children:
            continue
        assert f"       {' '.join(path)}" in text
        of_command = [part for part in page.split(".SS ") if part.startswith(" ".join(path[1:]) + "\n")]
        (section,) = of_command if len(path) > 1 else [page.split(".SH OPTIONS")[1]]
        for option in command.options:
            for word in option.names:
                assert f"\\fB{word}\\fR" in section or f"\\fB{word}\\fR" in page.split(".SH COMMON OPTIONS")[1]


@pytest.mark.parametrize("name", PAGES)
def test_the_manual_is_formatted_without_warnings(folder: Path, name: str) -> None:
    page = str(folder / f"{name}.1")
    for words in (
        ["groff", "-ww", "-man", "-Tutf8", page],
        ["groff", "-ww", "-man", "-Tascii", page],
    ):
        ran = run(*words)
        assert (ran.returncode, ran.stderr) == (0, "")
        assert ran.stdout


def completed(folder: Path, *words: str) -> list[str]:
    """The completions that bash offers for the last of these words, without the package bash-completion."""
    line = " ".join(f"'{word}'" for word in words)
    script = f"""
      set -u
      jacquardctl() {{
        case $1 in
          list) printf '%s\n' "SERIAL          NAME" "0000AAAAA001ZK  one" "0000BBBBB0T001  two" ;;
          gesture) printf '%s\n' "NAME       EXAMPLES" "zig zag    5" '$(exit)    5' "Öse        5" ;;
        esac
      }}
      source {folder}/jacquardctl.bash
      COMP_WORDS=({line}) COMP_CWORD={len(words) - 1}
      _jacquardctl
      printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    ran = run("bash", "--norc", "-c", script)
    assert ran.returncode == 0, ran.stderr
    return [word for word in ran.stdout.split("\n") if word]


@pytest.mark.parametrize(
    "words, offered",
    [
        (["sc"], ["scan"]),
        (["re"], ["rename", "record", "replay"]),
        (["config", ""], ["get", "set", "read", "write"]),
        (["module", "un"], ["unload"]),
        (["scan", "--ser"], ["--serial"]),
        (["scan", "--serial", ""], []),
        (["watch", "01ZK", "--on", "brush-i"], ["brush-in"]),
        (["watch", "--on", "cover", "true", "--fo"], ["--for"]),
        (["watch", "--json", "01ZK", "--o"], ["--on"]),
        (["watch", "01ZK", "--on", "cover", "--le"], ["--led"]),
        (["watch", "01ZK", "--on", "cover", "--led", "te"], ["teal"]),
        (["watch", "01ZK", "--on", "cover", "true", "--haptic", "al"], ["alert"]),
        (["watch", "--on", "cover", "--led", "teal", "0000B"], ["0000BBBBB0T001"]),
        (["led", "01ZK", "te"], ["teal"]),
        (["led", "01ZK", "teal", "red", "pi"], ["pink"]),
        (["led", "01ZK", "--pattern", "tri"], ["triple-blink"]),
        (["led", "--timeout", "5", "01ZK", "of"], ["off"]),
        (["led", "te"], []),
        (["play", "--map", "str"], ["strings"]),
        (["haptic", "01ZK", "al"], ["alert"]),
        (["haptic", "01ZK", "--wave", "const"], ["constant"]),
        (["config", "write", "01ZK", "queue"], ["queue-depth="]),
        (["battery", ""], ["0000AAAAA001ZK", "0000BBBBB0T001"]),
        (["battery", "0000B"], ["0000BBBBB0T001"]),
        (["config", "read", "0000B"], ["0000BBBBB0T001"]),
        (["gesture", "forget", ""], ["zig zag", "$(exit)", "Öse"]),
        (["gesture", "forget", "z"], ["zig zag"]),
        (["gesture", "teach", "01ZK", "Ö"], ["Öse"]),
        (["nonsense", "x"], []),
    ],
    ids=" ".join,
)
def test_bash_completes(folder: Path, words: list[str], offered: list[str]) -> None:
    assert completed(folder, "jacquardctl", *words) == offered


def test_bash_completes_files_and_programs(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a session.jsonl").touch()
    assert completed(folder, "jacquardctl", "replay", f"{tmp_path}/a") == [f"{tmp_path}/a session.jsonl"]
    assert completed(folder, "jacquardctl", "record", "01ZK", f"{tmp_path}/a") == [f"{tmp_path}/a session.jsonl"]
    assert "printf" in completed(folder, "jacquardctl", "replay", "file", "print")


def test_bash_offers_every_command_and_option(folder: Path) -> None:
    for path, command in PAGES["jacquardctl"].walk():
        if command.children:
            assert completed(folder, *path, "") == [child.name for child in command.children]
        assert completed(folder, *path, "-") == [name for option in command.options for name in option.names]


def test_fish_offers_every_command_and_option(folder: Path) -> None:
    def offered(words: str) -> set[str]:
        listed = "function jacquardctl; printf '%s\\n' 'NAME     EXAMPLES' 'zig zag  5'; end"
        script = f"{listed}; source {folder}/jacquardctl.fish; complete -C '{words}'"
        ran = run("fish", "--no-config", "-c", script)
        assert (ran.returncode, ran.stderr) == (0, "")
        return {line.split("\t")[0] for line in ran.stdout.splitlines()}

    def checked(path: tuple[str, ...], command: Command) -> None:
        words = " ".join(path)
        assert {child.name for child in command.children} <= offered(f"{words} ")
        assert {name for option in command.options for name in option.names} - {"-h"} <= offered(f"{words} --")

    for path, command in PAGES["jacquardctl"].walk():
        checked(path, command)
    assert offered("jacquardctl led 01ZK --pattern tri") == {"triple-blink"}
    assert "teal" in offered("jacquardctl led 01ZK te")
    assert "zig zag" in offered("jacquardctl gesture forget ")


def test_a_program_without_commands_is_completed(folder: Path) -> None:
    script = f"source {folder}/jacquard-mqtt.fish; complete -C 'jacquard-mqtt --'"
    ran = run("fish", "--no-config", "-c", f"function jacquard-mqtt; end; {script}")
    options = {line.split("\t")[0] for line in ran.stdout.splitlines()}
    assert (ran.stderr, options) == ("", {"--help", "--version", "--config", "--check", "--remove", "--debug"})
    words = "COMP_WORDS=(jacquard-mqtt --c) COMP_CWORD=1; _jacquard_mqtt; printf '%s ' \"${COMPREPLY[@]}\""
    ran = run("bash", "--norc", "-c", f"source {folder}/jacquard-mqtt.bash; {words}")
    assert (ran.stderr, ran.stdout) == ("", "--config --check ")


ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; unsetopt zle_bracketed_paste; autoload -U compinit; fpath=({folder} $fpath); compinit -D -u'
zpty -w shell 'jacquardctl() {{ print -l "NAME     EXAMPLES" "zig zag  5"; }}'
zpty -w shell 'print ready-$((1 + 1))'
zpty -r -m shell text '*ready-2*'
zpty -w -n shell $'{line}'
zpty -r -m shell text '*{wanted}*' && print found
zpty -d shell
"""


@pytest.mark.parametrize(
    "line, wanted",
    [
        ("jacquardctl mod\\t", "jacquardctl module"),
        ("jacquardctl config wri\\t", "config write"),
        ("jacquardctl led 01ZK --pat\\t", "--pattern"),
        ("jacquardctl led 01ZK --pattern tri\\t", "triple-blink"),
        ("jacquardctl haptic 01ZK al\\t", "alert"),
        ("jacquardctl watch 01ZK --on cover --led te\\t", "teal"),
        ("jacquardctl watch 01ZK --on cover true --on brush-o\\t", "brush-out"),
        ("jacquardctl watch 01ZK --on cover true --led teal --hap\\t", "--haptic"),
        ("jacquardctl gesture forget zi\\t", "zig\\\\ zag"),
    ],
)
def test_zsh_completes(folder: Path, line: str, wanted: str) -> None:
    script = ZSH.format(folder=folder, line=line, wanted=wanted)
    ran = run("zsh", "-f", "-c", script)
    assert ran.stdout.endswith("found\n"), ran


@pytest.mark.parametrize("program", ["jacquardctl", "jacquard-mqtt"])
@pytest.mark.parametrize("shell", SHELLS)
def test_shells_can_read_the_completions(folder: Path, shell: str, program: str) -> None:
    check = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}[shell]
    ran = run(*check, str(folder / SHELLS[shell].format(program)))
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("shell", SHELLS)
def test_jacquard_sim_writes_its_own_completions(shell: str, tmp_path: Path) -> None:
    script = run(str(places.SIMULATOR), "--generate-completion-script", shell)
    assert script.returncode == 0
    (tmp_path / "script").write_text(script.stdout)
    check = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}[shell]
    ran = run(*check, str(tmp_path / "script"))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert all(word in script.stdout for word in ("peripheral", "bus-address", "time-scale"))
