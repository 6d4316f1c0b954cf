"""Checks of the blocks of documents, one for each language: the problem with a block, or None."""

from __future__ import annotations

import ast
import builtins
import functools
import json
import os
import re
import shlex
import shutil
import sys
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from blocks import blocks
from conftest import HEADER, LIBRARY, LIBRARY_FOLDER, ROOT, SIMULATOR, STRICT, compiler, run
from header import INCLUDE, files

# The source folders of all programs in Python.
PYTHONPATH = ":".join(map(str, [ROOT / "bindings/python/src", *ROOT.glob("apps/*/src")]))
# Blocks that are not tested.
PICTURES = {"text", "mermaid", ""}
# Names that a fragment of C may use: the documents use them throughout.
WORDS = """
  jacquard_manager *manager = NULL; jacquard_scan *scan = NULL; jacquard_connection *connection = NULL;
  jacquard_tag *tag = NULL; jacquard_component *component = NULL; jacquard_subscription *subscription = NULL;
  jacquard_request *request = NULL; jacquard_firmware *firmware = NULL; const char *identifier = ""; void *user_data = NULL; int status = 0;
"""
CALLBACKS = """
void on_battery(const jacquard_battery *battery, const jacquard_error *error, void *user_data);
void on_done(const jacquard_error *error, void *user_data);
void on_gesture(const jacquard_gesture *gesture, void *user_data);
void on_state(const jacquard_connection_state *state, void *user_data);
void on_tag(const jacquard_advertisement *found, void *user_data);
void on_end(const jacquard_scan_result *result, void *user_data);
void on_progress(const jacquard_update_progress *progress, void *user_data);
void on_update(const jacquard_update_result *const *results, size_t count, const jacquard_error *error, void *user_data);
void on_log(const jacquard_log *log, void *user_data);
"""
# Programs outside this project. They are not run, because they change the machine.
COMMANDS = {
    "apt-get", "bluetoothctl", "btmon", "cc", "cd", "docker", "gcc", "git", "make", "pip", "pkg-config", "python3",
    "rfkill", "sudo", "systemctl", "swift", "usermod", "man", "journalctl", "loginctl", "mosquitto_sub", "mosquitto_pub",
    "mosquitto_rr", "playerctl", "cp", "mkdir", "pytest", "id", "dpkg", "gh",
}


def problem(language: str, body: str, folder: Path) -> str | None:
    """Why the block is invalid, or None."""
    kinds = {"c": problem_of_c, "python": problem_of_python, "console": problem_of_console, "sh": problem_of_shell}
    kinds["scenario"] = problem_of_scenario
    kinds["lua"] = problem_of_lua
    kinds["swift"] = problem_of_swift
    kinds["json"] = problem_of_json
    kinds["toml"] = problem_of_toml
    if language in PICTURES:
        return None
    if language not in kinds:
        return f"unknown language {language}"
    return kinds[language](body, folder)


def problem_of_c(body: str, folder: Path) -> str | None:
    """A program runs with a software tag; a fragment compiles with the names that the documents use."""
    flags = ["-std=c99", *STRICT, "-Wno-unused", "-Wno-unused-parameter"]
    flags += [f"-I{ROOT / 'include'}", f"-I{ROOT / 'bindings/c'}", "-D_POSIX_C_SOURCE=200809L"]
    headers = [f"<{path.relative_to(INCLUDE)}>" for path in files()]
    headers += ['"jacquard-blocking.h"', "<poll.h>", "<stdio.h>", "<string.h>"]
    head = "".join(f"#include {header}\n" for header in headers) + CALLBACKS
    if not re.search(r"^int main\(", body, re.MULTILINE):
        complaints = []
        for text in (body, f"void fragment(void);\nvoid fragment(void) {{{WORDS}\n{body}}}\n"):
            (folder / "fragment.c").write_text(f"{head}\n{text}")
            made = run([compiler("gcc"), *flags, "-fsyntax-only", folder / "fragment.c"])
            if made.returncode == 0:
                return None
            complaints.append(made.stderr)
        return "\n".join(complaints)
    (folder / "program.c").write_text(body)
    layer = [ROOT / "bindings/c/jacquard-blocking.c"] if "jacquard-blocking.h" in body else []
    library = [f"-L{LIBRARY_FOLDER}", "-ljacquard", f"-Wl,-rpath,{LIBRARY_FOLDER}", "-pthread"]
    made = run([compiler("gcc"), *flags, folder / "program.c", *layer, "-o", folder / "program", *library])
    return made.stderr or problem_of_run([folder / "program"], folder)


def problem_of_run(command: list[object], folder: Path, **settings: Any) -> str | None:
    """A program must print its output with an active tag. Afterwards it may run until it is stopped."""
    (folder / "scenario").write_text("gear attach levis-trucker\nafter ready every 500ms gesture brush-in for 20s\n")
    stopped = ["timeout", "--signal=INT", "10", *command]
    ran = run([SIMULATOR, "run", "--scenario", folder / "scenario", "--", *stopped], env=settings)
    good = ran.returncode in (0, 124) and ran.stdout and (ran.returncode == 124 or not ran.stderr)
    return None if good else f"status {ran.returncode}\n{ran.stdout}\n{ran.stderr}"


def problem_of_python(body: str, folder: Path) -> str | None:
    """A program runs with a software tag; a fragment is only checked for its names."""
    try:
        tree = ast.parse(body)
    except SyntaxError as error:
        return str(error)
    if not re.search(r"^(asyncio\.run|with |print)", body, re.MULTILINE):
        return unknown_names(tree)
    (folder / "program.py").write_text(body)
    settings = {"PYTHONPATH": str(ROOT / "bindings/python/src"), "JACQUARD_LIBRARY": str(LIBRARY)}
    settings["PYTHONUNBUFFERED"] = "1"
    return problem_of_run([sys.executable, "-B", folder / "program.py"], folder, **settings)


def problem_of_swift(body: str, folder: Path) -> str | None:
    """Whether it can be parsed. Tests/Interface/swift compiles and runs the programs."""
    (folder / "fragment.swift").write_text(body)
    parsed = run([compiler("swiftc"), "-frontend", "-parse", folder / "fragment.swift"])
    return parsed.stderr or None


def problem_of_lua(body: str, folder: Path) -> str | None:
    """A program runs with a software tag; it finds the installed header."""
    (folder / "program.lua").write_text(body)
    about = f"Name: jacquard\nDescription: as installed\nVersion: 0\nCflags: -I{HEADER.parent}\n"
    (folder / "jacquard.pc").write_text(about)
    settings = {"PKG_CONFIG_PATH": str(folder), "LD_LIBRARY_PATH": str(LIBRARY_FOLDER)}
    return problem_of_run(["luajit", folder / "program.lua"], folder, **settings)


def unknown_names(tree: ast.Module) -> str | None:
    """Attributes that do not exist, of the package and of the objects that documents call manager, connection and
    tag."""
    package = python_package()
    faces = {"jacquard": package, "manager": package.Manager, "connection": package.Connection, "tag": package.Tag}
    faces["component"] = package.Component
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in faces:
            if not hasattr(faces[node.value.id], node.attr):
                return f"{node.value.id} has no {node.attr}"
        if isinstance(node, ast.ImportFrom) and node.module == "jacquard":
            missing = [name.name for name in node.names if not hasattr(package, name.name)]
            if missing:
                return f"jacquard has no {missing}"
    return None


@functools.cache
def python_package() -> types.ModuleType:
    sys.path.insert(0, str(ROOT / "bindings/python/src"))
    try:
        import jacquard
        import jacquard.blocking
    finally:
        sys.path.pop(0)
    assert jacquard is not builtins
    return jacquard


def problem_of_console(body: str, folder: Path) -> str | None:
    """Lines that begin with "$ " or "# " are commands, the others are their output."""
    commands = re.findall(r"^[$#] ((?:.*\\\n)*.*)$", body, re.MULTILINE)
    return problem_of_shell("\n".join(commands), folder) if commands else "there is no command in it"


def problem_of_shell(body: str, folder: Path) -> str | None:
    checked = run(["sh", "-n"], stdin=None, input=body)
    if checked.returncode != 0:
        return checked.stderr
    for line in body.replace("\\\n", " ").splitlines():
        bare = re.sub(r"(^|\s)#.*", "", re.sub(r"'[^']*'", "'text'", line))
        for command in re.split(r"\|\||&&|(?<!\|)\|(?!\|)|;", bare):
            words = shlex.split(command.strip().removeprefix("(").removesuffix(")"), comments=True)
            while words and re.match(r"\w+=", words[0]):
                words = words[1:]
            wrong = problem_of_command(words)
            if wrong:
                return f"{line}: {wrong}"
    return None


def problem_of_command(words: list[str]) -> str | None:
    """Whether the command exists and accepts these words; commands that only print are run."""
    if not words:
        return None
    name, rest = words[0], words[1:]
    missing = [word for word in rest if re.fullmatch(r"(Tests|docs|tools|apps|bindings)/[\w./-]+", word) and not (ROOT / word).exists()]
    if missing:
        return f"there is no {missing}"
    if name in ("Tests/Support/long", "Tests/Support/check"):
        known = run([ROOT / name, "no-such-part"])
        unknown = [word for word in rest if not re.search(rf"(^|[ ,]){re.escape(word)}($|[ ,])", known.stdout + known.stderr, re.M)]
        return f"{name} has no {unknown}" if unknown else None
    if name == "sudo":
        return problem_of_command(rest)
    if name == "apt":
        return None if rest[:1] == ["install"] else f"apt {rest[0]}"
    if name == "make":
        targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
        unknown = [word for word in rest if "=" not in word and word not in targets and not word.startswith("build/")]
        missing = [word for word in rest if word.startswith("build/examples/") and word != "build/examples/NAME"
                   and not (ROOT / "bindings/c/examples" / f"{word.rsplit('/', 1)[1]}.c").exists()]
        return f"make has no {unknown + missing}" if unknown + missing else None
    if name == "jacquard-sim":
        return problem_of_simulator(rest)
    if name == "jacquard-mqtt":
        return problem_of_jacquard_mqtt(rest)
    if name == "jacquardctl":
        return problem_of_jacquardctl(rest)
    if name.startswith(("./", "../", "/")):
        return None
    if "/" in name:
        return None if (ROOT / name).exists() else f"there is no {name}"
    if name == "python3" and rest and rest[0].startswith(("bindings/", "docs/")):
        return None if (ROOT / rest[0]).exists() else f"there is no {rest[0]}"
    return None if name in COMMANDS or shutil.which(name) else f"there is no command {name}"


def problem_of_simulator(words: list[str]) -> str | None:
    words = words[: words.index("--") + 1] + ["true"] if "--" in words else words
    if words[:1] == ["run"] or words[:1] == ["peripheral"] or words[:1] == ["serve"]:
        for option, value in zip(words, words[1:]):
            if option == "--scenario" and "." not in value and run([SIMULATOR, "scenarios", value]).returncode:
                return f"there is no scenario {value}"
        known = run([SIMULATOR, "help", words[0]]).stdout
        unknown = [word for word in words[1:] if word.startswith("--") and word != "--" and word not in known]
        return f"jacquard-sim {words[0]} does not take {unknown}" if unknown else None
    ran = run([SIMULATOR, *words])
    return ran.stderr if ran.returncode else None


def problem_of_jacquardctl(words: list[str]) -> str | None:
    """Its parser accepts the words; a word in capitals is a placeholder."""
    words = [re.sub(r"\[.*?\]", "", word) for word in words]
    program = "import sys; from jacquardctl.parser import parsed; parsed(sys.argv[1:])"
    settings = {"PYTHONPATH": PYTHONPATH, "JACQUARD_LIBRARY": str(LIBRARY)}
    ran = run([sys.executable, "-B", "-c", program, *words], env=settings)
    return ran.stderr if ran.returncode else None


def problem_of_json(body: str, folder: Path) -> str | None:
    try:
        json.loads(body)
    except ValueError as error:
        return str(error)
    return None


def problem_of_toml(body: str, folder: Path) -> str | None:
    """Rules of jacquardctl run, taught gestures, or a configuration file of jacquard-mqtt."""
    (folder / "file.toml").write_text(body)
    if "[[on]]" in body:
        return problem_with_gestures(["run", "--check", folder / "file.toml"], taught(), folder)
    if "[[gesture]]" in body:
        return problem_with_gestures(["gesture", "list"], body, folder)
    return problem_of_jacquard_mqtt(["--check", "--config", folder / "file.toml"])


def taught() -> str:
    """The gestures of the documents."""
    return next(body for _, _, body in blocks() if "[[gesture]]" in body)


def problem_with_gestures(words: Iterable[object], gestures: str, folder: Path) -> str | None:
    (folder / "jacquard").mkdir()
    (folder / "jacquard" / "gestures.toml").write_text(gestures)
    settings = {"PYTHONPATH": PYTHONPATH}
    settings |= {"JACQUARD_LIBRARY": str(LIBRARY), "XDG_CONFIG_HOME": str(folder), "PATH": f"{folder}:{os.environ['PATH']}"}
    # The rules run this program, which need not be installed here.
    (folder / "notify-send").symlink_to("/bin/true")
    ran = run([sys.executable, "-B", "-m", "jacquardctl", *words], env=settings)
    return ran.stderr if ran.returncode else None


def problem_of_jacquard_mqtt(words: Iterable[object]) -> str | None:
    settings = {"PYTHONPATH": PYTHONPATH, "JACQUARD_LIBRARY": str(LIBRARY)}
    settings["XDG_CONFIG_HOME"] = "/nonexistent"
    if "--check" not in words:
        words = ["--check", *words]
    ran = run([sys.executable, "-B", "-m", "jacquard_mqtt", *words], env=settings)
    return ran.stderr if ran.returncode else None


def problem_of_scenario(body: str, folder: Path) -> str | None:
    """The software tag accepts it; lines about a program under test have no effect here."""
    (folder / "scenario").write_text(body)
    tags = max([1, *(int(number) for number in re.findall(r"^tag (\d+)", body, re.MULTILINE))])
    ran = run([SIMULATOR, "run", "--tags", tags, "--scenario", folder / "scenario", "--", "true"])
    return ran.stderr or None
