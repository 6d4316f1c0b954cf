"""Changes the values of one rule in the text of a file. Values that are equal, and comments, stay as they are written."""

from __future__ import annotations

from typing import Any

from . import lines, toml_file
from .action import toml

BLANK = " \t\r\n"
# New values are written above it.
LAST = "do"


def merged(text: str, line: int, rule: str) -> str | None:
    """The text with the values of `rule`, the text of a rule, in the rule that begins in this line. None if a value that
    differs is in a table of its own, or has a key with a dot."""
    before, after = values_of(text, line), values_of(rule, 1)
    old, new = pairs_of(text, line), pairs_of(rule, 1)
    changed = [key for key in before if key not in after or toml(before[key]) != toml(after[key])]
    if not old.keys() >= set(changed):
        return None
    newline = newline_of(text)
    fresh = {key: rule[pair.start : end_of(rule, pair)].replace("\n", newline) for key, pair in new.items()}
    at, indent = place_for_new(text, line, old.get(LAST))
    added = "".join(f"{indent}{fresh[key]}{newline}" for key in after if key not in before)
    edits = [(at, at, added)]
    for key in changed:
        pair = old[key]
        if key in after:
            value = rule[new[key].value : end_of(rule, new[key])].replace("\n", newline)
            edits.append((pair.value, end_of(text, pair), value))
        else:
            edits.append((start_of_line(text, pair.start), end_of_line(text, pair.end), ""))
    for start, end, written in sorted(edits, reverse=True):
        text = text[:start] + written + text[end:]
    return text


def values_of(text: str, line: int) -> dict[str, Any]:
    """The values of the rule that begins in this line."""
    rules: list[dict[str, Any]] = toml_file.values(text)[0]["on"]
    return dict(rules[int(header_of(text, line).path[1])])


def header_of(text: str, line: int) -> lines.Block:
    return next(block for block in lines.blocks(text) if block.is_rule and text.count("\n", 0, block.start) + 1 == line)


def pairs_of(text: str, line: int) -> dict[str, lines.Pair]:
    """The pairs of the rule directly below its header, with a key without a dot."""
    header = header_of(text, line)
    return {str(pair.path[-1]): pair for pair in header.pairs if len(pair.path) == len(header.path) + 1}


def place_for_new(text: str, line: int, last: lines.Pair | None) -> tuple[int, str]:
    """Where new values begin, and their indentation."""
    if last is not None:
        start = start_of_line(text, last.start)
        return start, text[start : last.start]
    return end_of_line(text, text.index("]]", header_of(text, line).start)), ""


def start_of_line(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def end_of_line(text: str, at: int) -> int:
    """The position after the end of the line. `at`: the end of a value, which may include the end of its line."""
    at = len(text[:at].rstrip(BLANK))
    return (text.find("\n", at) + 1) or len(text)


def end_of(text: str, pair: lines.Pair) -> int:
    return len(text[: pair.end].rstrip(BLANK))


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"
