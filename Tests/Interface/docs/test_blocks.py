"""Every code block in the documents is valid: it compiles, runs, or is accepted by its program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from block_problems import problem
from blocks import DOCUMENTS, blocks
from conftest import ROOT
from header import INCLUDE, comments, files, whole


@pytest.mark.parametrize("place, language, body", blocks(), ids=[block[0] for block in blocks()])
def test_block(tmp_path: Path, place: str, language: str, body: str) -> None:
    wrong = problem(language, body, tmp_path)
    assert wrong is None, wrong


@pytest.mark.parametrize(
    "language, body",
    [
        ("c", "jacquard_manager_scan(manager);"),
        ("c", "int main(void) { return 1; }"),
        ("c", "int main(void) { jacquard_manager *it; }"),
        ("python", "def"),
        ("python", "import jacquard\nprint(jacquard.Nothing)"),
        ("python", "jacquard.Manger()"),
        ("python", "tag.batery()"),
        ("console", "no command at all"),
        ("console", "$ make everything-else"),
        ("console", "$ make build/examples/nothing"),
        ("console", "$ jacquard-sim run --scenario nothing -- ./battery"),
        ("console", "$ jacquard-sim run --colour -- ./battery"),
        ("console", "$ jacquard-sim levitate"),
        ("console", "$ jacquardctl levitate"),
        ("console", "$ true && no-such-program-anywhere"),
        ("console", "$ python3 docs/nothing"),
        ("console", "$ python3 -m pytest Tests/nothing"),
        ("console", "$ Tests/Support/long nothing"),
        ("console", "$ (cd build && no-such-program-anywhere)"),
        ("sh", "if true; then"),
        ("lua", "require 'jacquard'"),
        ("lua", "end"),
        ("scenario", "gear attach umbrella"),
        ("json", "{"),
        ("toml", "colour = 1"),
        ("toml", "[[on]]\ngesture = 'wave'\ndo = { media = 'next' }"),
        ("console", "$ jacquard-mqtt --levitate"),
        ("perl", "print 1"),
    ],
)
def test_a_broken_block_is_detected(tmp_path: Path, language: str, body: str) -> None:
    assert problem(language, body + "\n", tmp_path) is not None


@pytest.mark.parametrize("path", DOCUMENTS, ids=[str(path.relative_to(ROOT)) for path in DOCUMENTS])
def test_links_have_targets(path: Path) -> None:
    text = re.sub(r"^ *```.*?^ *```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        file, _, place = link.partition("#")
        if "://" in link:
            continue
        target = path.parent / file if file else path
        if not target.exists() or (place and place not in anchors(target)):
            lost.append(link)
    assert lost == []


def anchors(path: Path) -> set[str]:
    if path.resolve() in files():  # the anchors of the reference, which is generated from these files
        sections = [each for each in comments.read(whole()).sections if INCLUDE / each.file == path.resolve()]
        return {item.name.lower() for section in sections for item in section.items} | {"conventions"}
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_names_every_document() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    documents = {path.name for path in ROOT.glob("docs/*.md")}
    assert documents - set(re.findall(r"\]\(docs/([\w.-]+\.md)\)", readme)) == set()
