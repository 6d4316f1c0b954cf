"""Adds, replaces and removes a rule in the file. All other bytes stay as they are.

Rules are cut out of the text: tomlkit 0.11 moves those that follow another table, and removes the comment above a rule
together with the rule before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from . import file, lines, merge, toml_file
from .action import toml, toml_key
from .table import Problem

# Blanks, also a byte order mark, which other programs write.
BLANK = " \t\r\n\ufeff"


def rule_of(event: str, actions: Sequence[str]) -> str:
    """The text of a rule. event: its event and conditions on one line; actions: the text between the braces of each.
    Raises Problem."""
    event, actions = event.strip(BLANK), [action.strip(BLANK) for action in actions]
    root, _ = toml_file.values(f"on = {{ {event} }}")
    if set(root) != {"on"} or "\n" in event:
        raise Problem("the event is more than one", 1)
    for action in actions:
        file.table_of_action(action)
    tables = [f"{{ {action} }}" for action in actions]
    done = tables[0] if len(tables) == 1 else "[\n" + "".join(f"  {table},\n" for table in tables) + "]"
    text = written(root["on"]) + f"do = {done}\n"
    try:
        file.parse(text)
    except toml_file.Problems as problems:
        raise problems.all[0] from None
    return text


def written(entries: Mapping[str, Any]) -> str:
    return "[[on]]\n" + "".join(f"{toml_key(key)} = {toml(value)}\n" for key, value in entries.items())


def edit(path: Path, removed: int | None, added: str | None, version: str | None = None) -> int:
    """removed: the line in which a rule begins; if a rule is also added, it takes its place. version: the version of
    the text that the line belongs to (see toml_file.version_of), None for the current one. Returns the line of the
    change. Raises Invalid if the file is or would be invalid, and Problem if it cannot be changed like this."""
    text = read(path, version)
    before = text or ""
    newline = merge.newline_of(before)
    gap = ""
    if removed is None:
        start = end = len(before)
        if before and not before.endswith(newline * 2):
            gap = newline if before.endswith(newline) else newline * 2
    else:
        start, end = place(before, removed)
        is_after_blank = not start or before[:start].endswith(newline * 2)
        if added is None and is_after_blank and before.startswith(newline, end):
            end += len(newline)
    after = before[:start] + gap + (added or "").replace("\n", newline) + before[end:]
    write(path, text, after)
    return after.count("\n", 0, start + len(gap)) + 1


def change(path: Path, line: int, rule: str, version: str | None = None) -> None:
    """Makes the rule that begins in this line equal to one whose text is `rule`. Values that are equal, and comments, stay as
    they are, unless the rule is written in a way that does not permit that: then it is replaced. See `edit`."""
    text = read(path, version)
    place(text or "", line)
    after = merge.merged(text or "", line, rule)
    if after is None:
        edit(path, line, rule, version)
    else:
        write(path, text, after)


def switch(path: Path, line: int, is_on: bool, version: str | None = None) -> None:
    """Switches the rule that begins in this line on or off. See `edit`."""
    text = read(path, version) or ""
    place(text, line)
    entries = merge.values_of(text, line)
    entries.pop("enabled", None)
    if not is_on:
        entries = {"enabled": False, **entries}
    change(path, line, written(entries), toml_file.version_of(text))


def read(path: Path, version: str | None) -> str | None:
    """The text of a valid file, None if there is none."""
    text = toml_file.text_of(path) if path.exists() else None
    check(path, text or "")
    if version is not None and version != toml_file.version_of(text):
        raise Problem("the file has been changed by another program since it was shown; nothing was written: try again", 1)
    return text


def write(path: Path, before: str | None, after: str) -> None:
    check(path, after)
    toml_file.write(path, None if before is None else before.encode(), after.encode())


def check(path: Path, text: str) -> None:
    try:
        if len(text.encode()) > toml_file.LARGEST:
            raise Problem(f"the file is larger than {toml_file.LARGEST >> 20} MiB", 1)
        file.parse(text, str(path.parent))
    except Problem as problem:
        raise toml_file.Invalid(path, [problem]) from None
    except toml_file.Problems as problems:
        raise toml_file.Invalid(path, problems.all) from None


def place(text: str, line: int) -> tuple[int, int]:
    """The part of the text from the beginning of the line in which a rule begins to the end of its last line."""
    blocks = lines.blocks(text)
    first = {text.count("\n", 0, block.start) + 1: block for block in blocks if block.is_rule}
    if line not in first:
        known = ", ".join(map(str, first)) or "none"
        raise Problem(f"no rule begins in line {line}; rules begin in lines {known}", line)
    own = [block for block in blocks if block.path[:2] == first[line].path]
    position = blocks.index(first[line])
    if own != blocks[position : position + len(own)]:
        raise Problem("other tables are between the parts of this rule: edit the file", line)
    return text.rfind("\n", 0, own[0].start) + 1, (text.find("\n", own[-1].end) + 1) or len(text)
