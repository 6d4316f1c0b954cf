"""Reads the public header together with its comments: sections, declarations, and their descriptions."""

from __future__ import annotations

import dataclasses
import re

SECTION = re.compile(r"/\* -{20,} \*/\n/\* (?P<title>.+?) +\*/\n/\* -{20,} \*/")
SUBSECTION = re.compile(r"/\* (?P<title>\w[^*]*?) -{10,} \*/")
COMMENT = re.compile(r"/\*\*(?!<)(?P<text>.*?)\*/", re.DOTALL)
MEMBER_COMMENT = re.compile(r"/\*\*<(?P<text>.*?)\*/", re.DOTALL)
# The start of a header that includes the core.
PART = re.compile(r"#ifndef JACQUARD_(?P<name>\w+)_H\n#define JACQUARD_(?P=name)_H\n")
# Preprocessor lines, the macro that marks what is deprecated, and the two lines for C++.
SKIPPED = re.compile(
    r"#(?:ifndef|ifdef|else|endif|include)\b.*|#define JACQUARD_(?:H\b|DEPRECATED\b.*)|extern \"C\" \{|\}(?=\n#endif)"
    r"|/\*(?!\*)[^\n]*?\*/"
)
DEFINE = re.compile(r"#define (?P<name>JACQUARD_\w+) ?(?P<value>(?:.*\\\n)*.*)")
TAGS = re.compile(r"\s*@(param|return|since)\b\s*")


@dataclasses.dataclass
class Member:
    """A field of a struct, or a constant of an enum."""

    name: str
    declaration: str
    text: str


@dataclasses.dataclass
class Item:
    """A declaration. `kind` is function, callback, handle, struct, enum or constant."""

    kind: str
    name: str
    declaration: str
    text: list[str] = dataclasses.field(default_factory=list)
    parameters: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    returns: str = ""
    since: str = ""
    start: str = ""  # the _INIT macro of a struct that the caller fills
    members: list[Member] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Section:
    title: str
    level: int
    file: str
    text: list[str] = dataclasses.field(default_factory=list)  # about the file, if the section is its first one
    items: list[Item] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Header:
    conventions: list[tuple[str, str]]
    sections: list[Section]

    @property
    def items(self) -> list[Item]:
        return [item for section in self.sections for item in section.items]


def read(text: str) -> Header:
    first = COMMENT.search(text)
    assert first
    sections: list[Section] = []
    comment = None
    file, promise = "jacquard.h", list[str]()
    place = first.end()
    while place < len(text):
        rest = text[place:]
        space = len(rest) - len(rest.lstrip())
        if space or not rest:
            place += max(space, 1)
        elif found := SECTION.match(rest):
            sections.append(Section(found["title"], 1, file, promise))
            promise = []
            place += found.end()
        elif found := SUBSECTION.match(rest):
            sections.append(Section(found["title"].strip(), 2, file))
            place += found.end()
        elif found := COMMENT.match(rest):
            comment = found["text"]
            place += found.end()
        elif found := PART.match(rest):
            assert comment
            file, promise = f"jacquard/{found['name'].lower()}.h", paragraphs(lines(comment))[:-1]
            comment = None
            place += found.end()
        elif found := SKIPPED.match(rest):
            place += found.end()
        elif found := DEFINE.match(rest):
            if found["name"].endswith("_INIT"):
                begin_from(sections, found["name"])
            else:
                add(sections, Item("constant", found["name"], f"#define {found['name']} {found['value']}"), comment)
            # One comment may describe several definitions.
            comment = comment if rest[found.end() :].startswith("\n#define") else None
            place += found.end()
        else:
            length = declaration_length(rest)
            add(sections, declared(rest[:length]), comment)
            comment = None
            place += length
    return Header(conventions(first["text"]), sections)


def add(sections: list[Section], item: Item, comment: str | None) -> None:
    if comment is not None:
        describe(item, comment)
    sections[-1].items.append(item)


def begin_from(sections: list[Section], macro: str) -> None:
    for section in sections:
        for item in section.items:
            if f"{item.name}_init".upper() == macro:
                item.start = macro


def declaration_length(text: str) -> int:
    """Length up to the final semicolon, outside braces and comments."""
    bare = re.sub(r"/\*.*?\*/", lambda comment: " " * len(comment[0]), text, flags=re.DOTALL)
    depth = 0
    for index, character in enumerate(bare):
        depth += (character == "{") - (character == "}")
        if character == ";" and depth == 0:
            return index + 1
    raise ValueError(f"unterminated declaration: {text[:80]!r}")


def declared(text: str) -> Item:
    bare = re.sub(r"\s*/\*.*?\*/", "", text, flags=re.DOTALL).strip()
    if found := re.match(r"typedef enum (\w+) \{", bare):
        return Item("enum", found[1], bare, members=constants(text))
    if found := re.match(r"typedef struct (\w+) \{", bare):
        return Item("struct", found[1], bare, members=fields(text))
    if found := re.match(r"typedef struct (\w+) \1;", bare):
        return Item("handle", found[1], bare)
    if found := re.match(r"typedef .*?\(\*(\w+)\)\(", bare):
        return Item("callback", found[1], bare)
    if found := re.search(r"\b(jacquard_\w+)\(", bare):
        return Item("function", found[1], bare)
    raise ValueError(f"unknown declaration: {bare!r}")


def members(text: str, end: str) -> list[tuple[str, str]]:
    """Pairs of a declaration and the comment after it."""
    body = text[text.index("{") + 1 : text.rindex("}")]
    body = re.sub(r"/\*(?!\*<).*?\*/", "", body, flags=re.DOTALL)
    found = re.findall(rf"([^{end}]+?){end}?[ \t]*(?:(?=\n|$)|/\*\*<(.*?)\*/)", body, re.DOTALL)
    return [(declaration.strip(), plain(comment)) for declaration, comment in found if declaration.strip()]


def fields(text: str) -> list[Member]:
    return [Member(named(declaration), declaration, comment) for declaration, comment in members(text, ";")]


def named(declaration: str) -> str:
    found = re.search(r"(\w+)(?:\[\w+\])*$", declaration)
    assert found, declaration
    return found[1]


def constants(text: str) -> list[Member]:
    found = []
    for declaration, comment in members(text, ","):
        name, _, value = declaration.partition("=")
        found.append(Member(name.strip(), value.strip(), comment))
    return found


def describe(item: Item, comment: str) -> None:
    body, *tags = TAGS.split(lines(comment))
    item.text = paragraphs(body)
    for tag, value in zip(tags[::2], tags[1::2]):
        value = plain(value)
        if tag == "param":
            name, _, said = value.partition(" ")
            item.parameters.append((name, said))
        elif tag == "return":
            item.returns = value
        else:
            item.since = value


def lines(comment: str) -> str:
    """The comment without the stars at the start of its lines."""
    return "\n".join(re.sub(r"^\s*\* ?", "", line) for line in comment.strip().splitlines())


def paragraphs(text: str) -> list[str]:
    return [plain(paragraph) for paragraph in re.split(r"\n\s*\n", text.strip()) if paragraph.strip()]


def plain(text: str) -> str:
    return " ".join(re.sub(r"\n\s*\*(?!/)", " ", text).split())


def conventions(comment: str) -> list[tuple[str, str]]:
    """Names and texts of the paragraphs below "Conventions"."""
    text = lines(comment)
    _, _, text = text.partition("Conventions\n-----------\n")
    found = []
    for paragraph in paragraphs(text):
        heading = re.match(r"([A-Z]\w*)[. ]", paragraph)
        assert heading, paragraph
        found.append((heading[1], paragraph[len(heading[1]) + 2 :] if paragraph[len(heading[1])] == "." else paragraph))
    return found
