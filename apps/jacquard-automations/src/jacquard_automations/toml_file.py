"""Reads a TOML file that users edit, with the lines of its values, and replaces it as a whole."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import Any

from jacquard.whole_file import WholeFile

from . import lines
from .table import Problem

LARGEST = 1 << 20
# Longer lines make Python's readers fail: numbers of more than 4300 digits, and deeply nested values.
LONGEST_LINE = 4000
DEEPEST = 50


class Invalid(Exception):
    """The file cannot be used."""

    def __init__(self, path: Path, problems: list[Problem], version: str = "") -> None:
        """version: the version of the text, see version_of."""
        super().__init__("\n".join(f"{path}:{problem.line}: {problem}" for problem in problems))
        self.path = path
        self.problems = problems
        self.version = version


class Problems(Exception):
    def __init__(self, problems: list[Problem]) -> None:
        super().__init__()
        self.all = sorted(problems, key=lambda problem: problem.line)


def text_of(path: Path) -> str:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Problem("this is not a file", 1)
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise Problem(f"cannot be read: {error.strerror}", 1) from None
    if len(data) > LARGEST:
        raise Problem(f"the file is larger than {LARGEST >> 20} MiB", 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem("not encoded in UTF-8", data.count(b"\n", 0, error.start) + 1) from None


def version_of(text: str | None) -> str:
    """A word that differs for each text; "" if there is none."""
    return "" if text is None else hashlib.sha256(text.encode()).hexdigest()


def values(text: str) -> tuple[dict[str, Any], dict[lines.Path, int]]:
    """The values of a TOML text, and their lines."""
    text = text.removeprefix("\ufeff")  # the byte order mark of some editors
    check_size(text)
    try:
        table = loaded(text)
        return table, lines.of(text.replace("\r\n", "\n"))
    except RecursionError:
        raise Problem("values are nested too deeply", 1) from None


def check_size(text: str) -> None:
    depth = 0
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > LONGEST_LINE:
            raise Problem(f"the line is longer than {LONGEST_LINE} characters", number)
        opened = line.count("[") + line.count("{")
        depth = max(0, depth + opened - line.count("]") - line.count("}"))
        # Brackets in texts count as well; no rule has as many.
        if max(depth, opened) > DEEPEST:
            raise Problem("values are nested too deeply", number)


def loaded(text: str) -> dict[str, Any]:
    try:
        import tomllib
    except ImportError:
        return loaded_with_tomlkit(text)
    try:
        return tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError, or from Python itself for a number
        message, found = str(error), re.search(r" \(at (?:line (\d+), column \d+|end of document)\)$", str(error))
        if found is None:
            raise Problem(message, 1) from None
        line = int(found[1]) if found[1] else text.rstrip("\n").count("\n") + 1
        raise Problem(message[: found.start()], line) from None


def loaded_with_tomlkit(text: str) -> dict[str, Any]:
    """Replaces tomllib before Python 3.11."""
    try:
        import tomlkit
        from tomlkit.exceptions import ParseError, TOMLKitError
    except ImportError:
        raise Problem("reading it needs Python 3.11, or tomlkit. Run: sudo apt install python3-tomlkit", 1) from None
    try:
        return dict(tomlkit.parse(text).unwrap())
    except ParseError as error:
        raise Problem(re.sub(r" at line \d+ col \d+$", "", str(error)), error.line) from None
    except (TOMLKitError, ValueError) as error:
        raise Problem(str(error), 1) from None


def content(path: Path) -> bytes | None:
    """None if there is no such file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def write(path: Path, before: bytes | None, after: bytes) -> None:
    """Replaces the file, or the target of the symbolic link, as a whole. before: what it must contain."""

    def check() -> None:
        if content(path) != before:
            raise Problem("the file has just been changed by another program; nothing was written: try again", 1)

    Path(os.path.realpath(path)).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with WholeFile(path, overwrite=True, check=check, mode=0o600) as file:
        file.write(after)
