"""errors.md: every status, its meaning and the library's advice."""

from __future__ import annotations

import re

from header.comments import Header

INTRODUCTION = """\
# Errors

These are the negative results of functions, the values of `code` in a [`jacquard_error`](reference.md#jacquard_error), and the
names of the exceptions of the Python package. This page is generated from the header and the library's texts. An error's
`message` has more details than this table, such as the adapter, tag or D-Bus error; `jacquard_status_text()` returns the text in
the second column.

"""


def errors(header: Header, source: str) -> str:
    """`source` is the content of the Swift file with the texts."""
    cases = {int(number): name for name, number in re.findall(r"case (\w+) = (-\d+)", source)}
    texts, advice = (switch(source, name) for name in ("text", "advice"))
    statuses = next(item for item in header.items if item.name == "jacquard_status")
    rows = []
    for status in statuses.members:
        number = int(status.declaration)
        if number == 0:
            continue
        case = cases[number]
        name = status.name.removeprefix("JACQUARD_ERROR_")
        rows.append(f"| `{name}` {number} | {texts[case]} | {sentence(status.text)} | {advice[case]} |")
    head = "| `JACQUARD_ERROR_` | text | cause | advice |\n| --- | --- | --- | --- |\n"
    return INTRODUCTION + head + "\n".join(rows) + "\n"


def switch(source: str, name: str) -> dict[str, str]:
    """The strings of `var NAME: String { switch self { case .a, .b: "..." } }` by case."""
    _, _, body = source.partition(f"var {name}: String {{")
    assert body
    literal = r'"(?:[^"\\]|\\.)*"'
    found = re.findall(rf"case ((?:\.\w+,?\s*)+):\s*({literal}(?:\s*\+\s*{literal})*)", body[: body.index("\n  }")])
    joined = {cases: re.sub(r'"\s*\+\s*"', "", text)[1:-1] for cases, text in found}
    return {case: text for cases, text in joined.items() for case in re.findall(r"\w+", cases)}


def sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
