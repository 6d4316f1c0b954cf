"""Every status with its meaning and the library's advice: errors.md, and the library's type. Names, numbers and causes are those of
the header; Sources/Jacquard/status-texts.json has the texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from header.comments import Header

INTRODUCTION = """\
# Errors

These are the negative results of functions, the values of `code` in a [`jacquard_error`](reference.md#jacquard_error), and the
names of the exceptions of the Python package. This page is generated from the header and the library's texts. An error's
`message` has more details than this table, such as the adapter, tag or D-Bus error; `jacquard_status_text()` returns the text in
the second column.

"""
HEAD = "| `JACQUARD_ERROR_` | text | cause | advice |\n| --- | --- | --- | --- |\n"
# Words of Swift, which cannot be cases.
CASES = {"internal": "internalError"}
TYPE = """\
// swift-format-ignore-file
// Generated from the header and status-texts.json by docs/generator; do not edit.

extension JacquardError {{
  /// The numbers of `jacquard_status`; they never change.
  public enum Code: Int32, CaseIterable, Sendable {{
{cases}
  }}
}}

extension JacquardError.Code {{
  /// One sentence for the user. It describes the kind of failure; an error's message has the details.
  public var text: String {{ words.text }}
  /// The usual remedy. The Bluetooth advice is based on the issue trackers of other Bluetooth libraries.
  public var advice: String {{ words.advice }}

  private var words: (text: String, advice: String) {{
    switch self {{
{words}
    }}
  }}
}}
"""


class Error(NamedTuple):
    name: str
    number: int
    text: str
    cause: str
    advice: str

    @property
    def case(self) -> str:
        """Of the library's type."""
        case = re.sub(r"_(\w)", lambda found: found[1].upper(), self.name.lower())
        return CASES.get(case, case)


def table(header: Header, texts: str) -> Iterator[Error]:
    """`texts` is the content of status-texts.json. Every status must have texts, in the order of the header."""
    statuses = next(item for item in header.items if item.name == "jacquard_status")
    members = {status.name.removeprefix("JACQUARD_ERROR_"): status for status in statuses.members if int(status.declaration)}
    words = json.loads(texts)
    assert list(words) == list(members), set(words) ^ set(members)
    for name, status in members.items():
        yield Error(name, int(status.declaration), words[name]["text"], sentence(status.text), words[name]["advice"])


def errors(header: Header, texts: str) -> str:
    rows = (f"| `{each.name}` {each.number} | {each.text} | {each.cause} | {each.advice} |\n" for each in table(header, texts))
    return INTRODUCTION + HEAD + "".join(rows)


def swift(header: Header, texts: str) -> str:
    found = list(table(header, texts))
    cases = (f"    case {each.case} = {each.number}" for each in found)
    words = (f"    case .{each.case}: ({literal(each.text)}, {literal(each.advice)})" for each in found)
    return TYPE.format(cases="\n".join(cases), words="\n".join(words))


def literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
