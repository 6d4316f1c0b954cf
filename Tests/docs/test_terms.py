"""Documents, comments, messages and test names use the terms of docs/contributing.md: words replaced by them are absent."""

import re

import pytest
from conftest import ROOT

# This file, and code that protoc generated.
EXCLUDED = {"Tests/docs/test_terms.py", "Tests/oracle/jacquard.pb.swift", "Tests/oracle/state.pb.swift"}
FOLDERS = ["Sources", "Tests", "bindings", "debian", "docs", "include", "tools", ".github"]
SUFFIXES = {"", ".c", ".cpp", ".h", ".js", ".map", ".md", ".modulemap", ".py", ".scenario", ".sh", ".swift", ".toml", ".yml"}

# (?<![.\w]) leaves out names of D-Bus such as org.example.Nobody.
REPLACED = {
    r"(?<![.\w])(nobody|somebody|whoever)": "name the program, process or user",
    r"anew": "again",
    r"younger|of that age": "newer",
    r"giv(e|es|en|ing) (it |them |this |that )?back|gave (it |them )?back": "released, or returned",
    r"(has|have|had|is|are|was|were|be) gone": "removed, lost, closed or ended",
    r"of (one's|the (caller|user|program|library|tag|process)'s) own": "its own X",
    r"so (many|long)(?! as)": "the number, the duration",
    r"look(s|ed|ing)? at": "read, checked or examined",
    r"wish(es|ed)? (for|of|that|to)": "want, request",
    r"(?<!there )(is|are|was|were) no (?!longer|more|one)\w+(?! left)": "is not a",
    r"(tells|told) (it |them |a |the )?(about|of|that|to|by|what|which|when|how|who)": "reports, receives, specifies",
    r"hear(s|d)? (of|about|nothing)": "receives, learns",
    r"what (stands|lies) (in|on|at|under|behind)": "name the contents",
    r"the (noun|verb)(s|'s)?": "handle, object or command",
    r"reply ticket|ticket of": "request ID",
}
PATTERN = re.compile("|".join(rf"(?P<g{i}>\b(?:{words})(?!\w))" for i, words in enumerate(REPLACED)))
ADVICE = list(REPLACED.values())

# Path and part of the line.
EXCEPTIONS = [
    ("Tests/vm/cases/permission-denied.sh", "nobody"),  # the user of that name
]


def texts():
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.suffix == ".md")
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = str(path.relative_to(ROOT))
            if name in EXCLUDED:
                continue
            if path.is_file() and path.suffix in SUFFIXES:
                yield path


def replaced_words():
    for path in texts():
        try:
            lines = path.read_text().splitlines()
        except UnicodeDecodeError:
            continue  # an archive or a program
        for number, line in enumerate(lines, 1):
            for match in PATTERN.finditer(line.lower()):
                yield str(path.relative_to(ROOT)), number, line.strip(), match


def excepted(path, line):
    return any(path == file and part in line for file, part in EXCEPTIONS)


def test_replaced_words_are_absent():
    found = [
        f"{path}:{number}: “{match[0]}” ({ADVICE[int(match.lastgroup[1:])]}): {line}"
        for path, number, line, match in replaced_words()
        if not excepted(path, line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path, part", EXCEPTIONS)
def test_exceptions_are_needed(path, part):
    assert any(path == file and part in line for file, _, line, _ in replaced_words())


@pytest.mark.parametrize("text", ["Nobody answers.", "the tag has gone", "It is no tag.", "so many bytes", "told that it ended"])
def test_pattern_finds(text):
    assert PATTERN.search(text.lower())


@pytest.mark.parametrize("text", ["org.example.Nobody", "There is no tag.", "so long as", "The link is no longer up.", "renewed"])
def test_pattern_ignores(text):
    assert not PATTERN.search(text.lower())
