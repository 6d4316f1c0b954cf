"""reference.md: every declaration of the header, with its description."""

from __future__ import annotations

import re

from header.comments import Header, Item

INTRODUCTION = """\
# Reference

This page describes every function, type and constant of `jacquard.h`, and of the headers that include it. It is generated
from them. The [guide](guide.md) explains the concepts.
"""
KINDS = {
    "handle": "Handles",
    "function": "Functions",
    "callback": "Callbacks",
    "struct": "Structs",
    "enum": "Enumerations",
    "constant": "Constants",
}


def reference(header: Header) -> str:
    names = {item.name for item in header.items}
    parts = [INTRODUCTION, contents(header), "## Conventions\n"]
    parts += [f"### {name}\n\n{marked(text, names)}\n" for name, text in header.conventions]
    for section in header.sections:
        parts.append(f"## {section.title}\n")
        if section.text:
            parts += [f"`#include <{section.file}>`\n", *[f"{marked(each, names)}\n" for each in section.text]]
        parts += [described(item, names) for item in section.items]
    return "\n".join(parts)


def contents(header: Header) -> str:
    lines = ["| | |", "| --- | --- |", f"| [Conventions](#conventions) | {', '.join(linked_conventions(header))} |"]
    for section in header.sections:
        links = ", ".join(f"[{short(item.name)}](#{item.name.lower()})" for item in section.items)
        lines.append(f"| [{section.title}](#{anchor(section.title)}) | {links} |")
    return "\n".join(lines) + "\n"


def linked_conventions(header: Header) -> list[str]:
    return [f"[{name.lower()}](#{anchor(name)})" for name, _ in header.conventions]


def short(name: str) -> str:
    return re.sub(r"^(jacquard|JACQUARD)_", "", name)


def anchor(title: str) -> str:
    """The anchor as GitHub generates it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def described(item: Item, names: set[str]) -> str:
    parts = [f"### {item.name}\n", f"```c\n{item.declaration}\n```\n"]
    parts += [marked(paragraph, names) + "\n" for paragraph in item.text]
    if item.parameters:
        rows = [f"| `{name}` | {marked(text, names)} |" for name, text in item.parameters]
        parts.append(table("parameter", rows))
    if item.members:
        title = "constant" if item.kind == "enum" else "field"
        rows = [f"| `{member.name}` | {marked(member.text, names)} |" for member in item.members]
        parts.append(table(title, rows))
    if item.start:
        parts.append(f"Initialize with `{item.start}`.\n")
    if item.returns:
        parts.append(f"Returns {marked(item.returns, names)}\n")
    if item.since:
        parts.append(f"Since {item.since}.\n")
    return "\n".join(parts)


def table(title: str, rows: list[str]) -> str:
    return "\n".join([f"| {title} | |", "| --- | --- |", *rows]) + "\n"


def marked(text: str, names: set[str]) -> str:
    """Adds links to declarations, and marks code as code."""
    text = text.replace("|", "\\|")
    text = re.sub(r'See "Commands" (?:above|in jacquard\.h)', "See [Commands](#commands)", text)
    text = re.sub(r'[Ss]ee "(\w+)" (?:above|in jacquard\.h)', lambda found: f"see [{found[1]}](#{anchor(found[1])})", text)
    return "".join(
        part if part.startswith(("`", "[")) else words(part, names)
        for part in re.split(r"(`[^`]*`|\[[^\]]*\]\([^)]*\))", text)
    )


def words(text: str, names: set[str]) -> str:
    def mark(found: re.Match[str]) -> str:
        name = found[0].removesuffix("()")
        return f"[`{found[0]}`](#{name.lower()})" if name in names else f"`{found[0]}`"

    text = text.replace("<", "&lt;")
    return re.sub(r"\b(?:jacquard|JACQUARD)_\w+(?:\(\))?|(?<![\w`])_[A-Za-z]\w+|\bNULL\b|\bUINT32_MAX\b", mark, text)
