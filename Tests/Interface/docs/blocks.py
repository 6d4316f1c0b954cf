"""The code blocks of the documents."""

from __future__ import annotations

import re

from conftest import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "RELEASING.md", *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("bindings/*/README.md"))]
BLOCK = re.compile(r"^( *)```([a-z]*)\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)


def blocks() -> list[tuple[str, str, str]]:
    found = []
    for path in DOCUMENTS:
        name = str(path.relative_to(ROOT))
        text = path.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            indent, language, body = block.groups()
            line = text.count("\n", 0, block.start()) + 1
            found.append((f"{name}:{line}", language, re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)))
    return found
