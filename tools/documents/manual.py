"""Manual pages in man(7)'s language."""

from __future__ import annotations

import re
from collections import Counter

from command import Command, Operand, Option, Words

# Operands that the section about all commands describes.
TOLD_ALREADY = ("TAG",)


def page(root: Command, version: str, prose: dict[str, str], shared: tuple[str, ...] = ()) -> str:
    """prose: sections that are not part of a command line, by heading; DESCRIPTION comes first and the others last.
    shared: names of options that are described once, at their first occurrence."""
    lines = [
        '.\\" Written by tools/documents; do not edit.',
        f'.TH {root.name.upper()} 1 "" "libjacquard {version}"',
        ".ad l",
        f".SH NAME\n{roff(root.name)} \\- {roff(root.help.rstrip('.'))}",
        ".SH SYNOPSIS",
    ]
    for path, command in root.walk():
        if not command.children:
            lines.append(synopsis(path, command))
    lines.append(section("DESCRIPTION", prose["DESCRIPTION"]))
    common = {name: most_frequent(root, name) for name in shared}
    told = set(common.values())
    if root.children:
        lines.append(".SH COMMANDS")
        for path, command in root.walk():
            if command is not root and not command.children:
                lines.append(described(path, command, told))
        lines.append(".SH COMMON OPTIONS")
        lines += [item(common[name]) for name in shared]
    else:
        lines.append(".SH OPTIONS")
        lines += [item(option) for option in root.options]
    lines += [section(heading, text) for heading, text in prose.items() if heading != "DESCRIPTION"]
    return "\n".join(lines) + "\n"


def most_frequent(root: Command, name: str) -> Option:
    """The usual version of a shared option. A different version is described with its command."""
    options = [option for _, command in root.walk() for option in command.options if name in option.names]
    return Counter(options).most_common(1)[0][0]


def synopsis(path: tuple[str, ...], command: Command) -> str:
    words = [bold(word) for word in path]
    if command.options:
        words.append("[\\fIOPTION\\fR...]")
    return ".br\n" + " ".join([*words, *(usage(operand) for operand in command.operands)])


def usage(operand: Operand) -> str:
    text = italic(operand.name) + ("..." if operand.many else "")
    return f"[{text}]" if operand.optional else text


def described(path: tuple[str, ...], command: Command, told: set[Option]) -> str:
    lines = [f".SS {roff(' '.join(path[1:]))}", paragraph(sentence(command.help))]
    if command.description:
        lines.append(".PP\n" + paragraph(command.description))
    for operand in command.operands:
        if operand.name not in TOLD_ALREADY:
            lines.append(f".TP\n{usage(operand)}\n{paragraph(sentence(operand.help))}")
    lines += [item(option) for option in command.options if option not in told]
    return "\n".join(lines)


def item(option: Option) -> str:
    names = ", ".join(bold(name) for name in option.names)
    values = " ".join(italic(value) for value in option.values if not value.startswith("{"))
    known = "".join(one_of(words) for words in option.words if words.known)
    return f".TP\n{names} {values}".rstrip() + f"\n{paragraph(sentence(option.help) + known)}"


def one_of(words: Words) -> str:
    return f" {'For example' if words.more else 'One of'} {', '.join(words.known)}."


def section(heading: str, text: str) -> str:
    return f".SH {heading}\n" + "\n.PP\n".join(block(part) for part in text.strip("\n").split("\n\n"))


def block(text: str) -> str:
    """Indented lines are kept as they are; lines with a tab form a list of words and their meanings."""
    if text.startswith("    "):
        return ".nf\n" + "\n".join(roff(line) for line in text.split("\n")) + "\n.fi"
    if "\t" in text:
        return "\n".join(".TP\n{}\n{}".format(*map(roff, line.split("\t"))) for line in text.split("\n"))
    return paragraph(" ".join(text.split("\n")))


def paragraph(text: str) -> str:
    """One sentence per line, as usual in troff."""
    return "\n".join(roff(part) for part in re.split(r"(?<=[.:;]) (?=[A-Z])", text.replace("\n", " ")))


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".") + "."


def bold(text: str) -> str:
    return f"\\fB{roff(text)}\\fR"


def italic(text: str) -> str:
    return f"\\fI{roff(text)}\\fR"


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("“", '"').replace("”", '"')
    text = text.replace("‘", "\\(oq").replace("’", "\\(cq").replace("…", "...")
    return "\\&" + text if text.startswith((".", "'")) else text
