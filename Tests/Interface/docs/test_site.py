"""`make site`: every document is a page, its links have targets, and nothing is loaded from another host."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from conftest import ROOT, run

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data", "link": "href"}
NAMES = ["README", "docs/guide", "docs/how-we-test", "bindings/c/README"]


@pytest.fixture(scope="module")
def site() -> Path:
    made = run(["make", "--no-print-directory", "site"], cwd=ROOT, timeout=600)
    assert (made.returncode, made.stderr) == (0, "")
    return ROOT / "build" / "site" / "html"


class Resources(HTMLParser):
    """What a browser loads with a page. Links of the head that it only offers to follow are left out."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        offers = {"index", "search", "next", "prev", "canonical"}
        if tag in LOADED and not offers & set((values.get("rel") or "").split()):
            self.found.append(values.get(LOADED[tag]) or "")


def resources(path: Path) -> list[str]:
    if path.suffix == ".css":
        return re.findall(r"""(?:@import|url\()\s*["']?([^"')\s;]+)""", path.read_text())
    return Resources(path.read_text()).found


def test_every_document_is_a_page(site: Path) -> None:
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("bindings/*/README.md")]
    pages = {str(path.relative_to(site).with_suffix("")) for path in site.rglob("*.html")}
    expected = {str(path.relative_to(ROOT).with_suffix("")) for path in documents}
    assert expected | {"docs/reference", "docs/errors", "index", "search"} <= pages
    assert set(NAMES) <= pages
    for name in NAMES:
        (heading,) = re.findall(r"^# (.*)", (ROOT / f"{name}.md").read_text(), re.MULTILINE)[:1]
        assert f"<h1>{heading}" in (site / f"{name}.html").read_text()
    assert (site / "_images" / "board.png").read_bytes() == (ROOT / "docs" / "pictures" / "board.png").read_bytes()


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    files = [*site.rglob("*.html"), *site.rglob("*.css")]
    found = {f"{path.name}: {resource}" for path in files for resource in resources(path)}
    assert len(found) > len(files)
    assert [each for each in sorted(found) if re.search(r": (?!data:)(\w+:|//)", each)] == []


@pytest.mark.parametrize("name, text", [
    ("a.html", '<script src="https://localhost/a.js"></script>'),
    ("a.html", '<link rel="stylesheet" href="//localhost/a.css">'),
    ("a.css", "@import 'https://localhost/a.css';"),
    ("a.css", "src: url(https://localhost/a.woff2)"),
])  # fmt: skip
def test_what_is_loaded_from_another_host_is_detected(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert "//localhost" in resources(tmp_path / name)[0]


def test_the_index_of_the_search_has_words_of_the_documents(site: Path) -> None:
    index = (site / "searchindex.js").read_text()
    assert all(re.search(rf"\b{word}\b", index) for word in ("haptic", "bluetoothd", "jacquard_manager_scan"))


def test_links_to_declarations_lead_to_the_reference(site: Path) -> None:
    text = (site / "docs" / "guide.html").read_text()
    assert 'href="reference.html#jacquard-error"' in text and 'href="errors.html"' in text
    assert '<h1>Errors' in (site / "docs" / "errors.html").read_text()


def test_other_files_of_the_tree_are_links_to_the_repository(site: Path) -> None:
    text = (site / "README.html").read_text()
    (repository,) = re.findall(r"^REPOSITORY := (.*)", (ROOT / "tools/release/settings").read_text(), re.MULTILINE)
    assert f'href="{repository}/blob/HEAD/include/jacquard.h"' in text and 'href="docs/guide.html#' in text


def test_links_without_targets_are_refused(site: Path, tmp_path: Path) -> None:
    """The tree has few documents, besides those that are generated from the header."""
    for name in ("tools/site/conf.py", "tools/release/settings", "include/jacquard.h"):
        (tmp_path / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("docs/generator", "tools/header", "Sources/Jacquard"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "build" / "site").mkdir(parents=True)
    (tmp_path / "build" / "site" / "tools").symlink_to(site.parent / "tools")
    for name in ("b", "guide"):
        (tmp_path / "docs" / f"{name}.md").write_text("# One\n")
    complaints = []
    for links in ("[one](docs/b.md#one)", "[two](docs/b.md#two) [c](docs/c.md) ![b](b.png)"):
        (tmp_path / "README.md").write_text(f"# A page\n\n{links}\n")
        made = run([tmp_path / "tools/site/conf.py"], timeout=300)
        complaints.append((made.returncode != 0, [name for name in ("'docs/b': 'two'", "docs/c.md", "b.png") if name in made.stderr]))
    assert complaints == [(False, []), (True, ["'docs/b': 'two'", "docs/c.md", "b.png"])], made.stderr
