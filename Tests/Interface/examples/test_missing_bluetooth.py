"""Examples and documented programs stop with a message if Bluetooth is missing or off from the start."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import HEADER, LIBRARY, LIBRARY_FOLDER, ROOT, SIMULATOR, STRICT, compiler, run

C_EXAMPLES = ROOT / "build" / "examples"
SCRIPTS = [ROOT / "bindings/python/examples", ROOT / "apps/jacquardctl/examples"]
ARGUMENTS = {"gestures": ["cover", "true"], "several": ["2"], "blocking-bind": ["01ZK"], "blocking-rename": ["Hugo"]}
ARGUMENTS["motion-record"] = ["1", "/tmp/never-recorded"]
DOCUMENTS = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("bindings/*/README.md"))]
PROGRAM = {"c": r"^int main\(", "python": r"^(asyncio\.run|with |print)", "lua": "^local"}
# Programs usually need less than a second. A program that waits for Bluetooth would not stop at all.
SECONDS = 10

# The missing part, its scenario (none without a bus), and a word of the message.
MACHINES = {
    "bus": (None, "bus"),
    "bluetoothd": ("bluetoothd kill", "Bluetooth service"),
    "adapter": ("adapter removed", "adapter"),
    "power": ("adapter off", "off"),
}


def programs() -> dict[str, Path | str]:
    found: dict[str, Path | str] = {f"{path.stem}.c": path for path in sorted((ROOT / "bindings/c/examples").glob("*.c"))}
    found.update({path.name: path for folder in SCRIPTS for path in sorted(folder.glob("*.*"))})
    for document in DOCUMENTS:
        blocks = re.findall(r"^```(\w+)\n(.*?)^```$", document.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        for number, (language, body) in enumerate(blocks):
            if language in PROGRAM and re.search(PROGRAM[language], body, re.MULTILINE):
                found[f"{document.relative_to(ROOT)}:{number}.{language}"] = body
    return found


PROGRAMS = programs()
Commands = tuple[Callable[[str], list[object]], dict[str, str]]


@pytest.fixture(scope="session")
def commands(tmp_path_factory: pytest.TempPathFactory) -> Commands:
    """The command that starts a program, with the settings that it needs to find the library."""
    folder = tmp_path_factory.mktemp("programs")
    (folder / "jacquard.pc").write_text(f"Name: jacquard\nDescription: built\nVersion: 0\nCflags: -I{HEADER.parent}\n")
    (folder / "jacquardctl").write_text(f'#!/bin/sh\nexec "{sys.executable}" -B -m jacquardctl "$@"\n')
    (folder / "jacquardctl").chmod(0o755)
    made: dict[str, list[object]] = {}

    def command(name: str) -> list[object]:
        if name not in made:
            made[name] = words(name, PROGRAMS[name], folder)
        return made[name]

    sources = [ROOT / "bindings/python/src", *ROOT.glob("apps/*/src")]
    settings = {"PYTHONPATH": ":".join(map(str, sources)), "JACQUARD_LIBRARY": str(LIBRARY)}
    settings |= {"PKG_CONFIG_PATH": str(folder), "LD_LIBRARY_PATH": str(LIBRARY_FOLDER)}
    return command, settings


def words(name: str, program: Path | str, folder: Path) -> list[object]:
    stem, _, language = name.replace("/", "-").rpartition(".")
    if language == "sh":
        return ["env", f"PATH={folder}:/usr/bin:/bin", program, "01ZK"]
    if not isinstance(program, str):
        return [C_EXAMPLES / stem, *ARGUMENTS.get(stem, [])] if language == "c" else [sys.executable, "-B", program]
    source = folder / f"{stem}.{language}"
    source.write_text(program)
    if language == "c":
        return [built(source)]
    return ["luajit", source] if language == "lua" else [sys.executable, "-B", source]


def built(source: Path) -> Path:
    """Compiles a program with all warnings."""
    layer = [ROOT / "bindings/c/jacquard-blocking.c"] if "jacquard-blocking.h" in source.read_text() else []
    flags = ["-std=c99", *STRICT, f"-I{HEADER.parent}", f"-I{ROOT / 'bindings/c'}", "-D_POSIX_C_SOURCE=200809L"]
    library = [f"-L{LIBRARY_FOLDER}", "-ljacquard", "-pthread"]
    made = run([compiler("gcc"), *flags, source, *layer, "-o", source.with_suffix(""), *library])
    assert (made.returncode, made.stderr) == (0, "")
    return source.with_suffix("")


@pytest.mark.parametrize("missing", MACHINES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_reports_what_is_missing_and_stops(
    commands: Commands, tmp_path: Path, name: str, missing: str
) -> None:
    command, settings = commands
    scenario, said = MACHINES[missing]
    began = tmp_path / "began"
    started = ["sh", "-c", 'date +%s.%N >"$0"; exec timeout --signal=KILL 20 "$@"', began, *command(name)]
    if scenario is None:
        ran = run(started, env={**settings, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"})
    else:
        (tmp_path / "scenario").write_text(f"{scenario}\n")
        ran = run([SIMULATOR, "run", "--scenario", tmp_path / "scenario", "--", *started], env=settings)
    seconds = time.time() - float(began.read_text())
    assert 0 < ran.returncode < 100, (ran.returncode, ran.stdout, ran.stderr)
    last = ran.stderr.splitlines()[-1]
    assert said in last and "jacquard-sim" not in ran.stderr
    assert seconds < SECONDS


def test_all_kinds_of_programs_are_tested() -> None:
    names = " ".join(PROGRAMS)
    assert all(name in names for name in ("README.md:", "docs/guide.md:", ".lua", "battery.py", "remote-control.sh"))
    assert names.count(".c") > 22
